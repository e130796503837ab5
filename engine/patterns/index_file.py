"""Store an index as one Parquet file: a row for each pattern, ascending by id, and the rest in the metadata.

The file is read through a memory map; the texts of patterns are read only when they are needed. Reading executes
nothing, and other files or formats raise an error."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from treaty.engine.patterns.calibration import FLOORS, Background, Calibration
from treaty.engine.patterns.index import PatternIndex, SelectionOptimism
from treaty.engine.patterns.lake_sums import FIELDS, PatternSums

FORMAT = 1
_KEY = b"treaty_patterns"


class UnreadableIndex(Exception):
    """The file is no pattern index that this version can read."""


class ArrowTexts(Sequence[str]):
    """Texts of an Arrow array, converted on access."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> "ArrowTexts": ...
    def __getitem__(self, place: int | slice) -> "str | ArrowTexts":
        if isinstance(place, slice):
            return ArrowTexts(self._array[place])
        return str(self._array[int(place)].as_py())


def save(index: PatternIndex, path: str | Path, *, least: int = 1) -> None:
    """Write an index atomically, with the patterns of at least `least` columns.

    Rare patterns are most of an index and say nothing until more columns are added."""
    import pyarrow as pa
    from pyarrow import parquet

    sums = index.sums.frequent(least) if least > 1 else index.sums
    fields = {name: pa.array(getattr(sums, name)) for name in FIELDS}
    fields["impurity"] = fields["impurity"].cast(pa.float32())
    table = pa.table({**fields, "text": pa.array(list(sums.texts), pa.string())})
    header = json.dumps(_header(index), ensure_ascii=True, separators=(",", ":")).encode()
    fresh = Path(f"{path}.new")
    parquet.write_table(
        table.replace_schema_metadata({_KEY: header}),
        fresh,
        compression="zstd",
        use_dictionary=False,
        store_schema=True,
    )
    fresh.replace(path)


def load(path: str | Path) -> PatternIndex:
    """Read an index from a file. Raises UnreadableIndex."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(path, memory_map=True)
        header = json.loads((table.schema.metadata or {})[_KEY])
    except (OSError, pa.ArrowInvalid, KeyError, ValueError):
        raise UnreadableIndex(f"{path} is not a pattern index") from None
    if header.get("format") != FORMAT or header.get("floors") != list(FLOORS):
        raise UnreadableIndex(f"{path} is an index of another format; create it again with `treaty patterns index`")
    fields = {name: table[name].to_numpy().astype(dtype) for name, dtype in FIELDS.items()}
    sums = PatternSums(size=header["size"], **fields, texts=ArrowTexts(table["text"].combine_chunks()))
    if not bool(np.all(sums.ids[1:] > sums.ids[:-1])):
        raise UnreadableIndex(f"{path} is damaged: its patterns are not sorted")
    return _index(sums, header)


def _header(index: PatternIndex) -> Mapping[str, Any]:
    return {
        "format": FORMAT,
        "floors": FLOORS,
        "size": index.sums.size,
        "cells": dict(index.calibration.cells),
        "seen": {str(number): masks for number, masks in index.background.columns.items()},
        "excess": [index.optimism.expected, index.optimism.observed, index.optimism.promises],
    }


def _index(sums: PatternSums, document: Mapping[str, Any]) -> PatternIndex:
    return PatternIndex(
        sums,
        Calibration({key: tuple(counts) for key, counts in document["cells"].items()}),
        Background({int(number): tuple(masks) for number, masks in document["seen"].items()}),
        SelectionOptimism(*document.get("excess", ())),
    )
