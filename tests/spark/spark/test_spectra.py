"""Frequencies added up by Spark from their files: the spectrum that this process would find."""

import random
from pathlib import Path
from typing import Any

import pytest
from support.oracles import STATE_OF

from treaty.engine.components.frequencies import Frequencies, complete
from treaty.engine.core.errors import EngineError
from treaty.engine.protocol.requests import SpectraRequest
from treaty.engine.spark.scan.spectra import spectra
from treaty.engine.states.state_files import StateFiles

KIND = Frequencies()
PIECES = 4


def pieces(columns: int) -> list[Any]:
    """Frequencies of four partitions with many values in common, and nulls."""
    rng = random.Random(columns)
    values = [None, "", "ä", *map(str, range(40))]
    rows = [[tuple(rng.choice(values) for _ in range(columns)) for _ in range(90)] for _ in range(PIECES)]
    return [STATE_OF["frequencies"](each) for each in rows]


def test_spark_finds_the_spectrum_that_merging_here_finds(spark: Any, tmp_path: Path) -> None:
    files, given = StateFiles(str(tmp_path / "states")), {f"of {count}": pieces(count) for count in (1, 2)}
    named = {key: tuple(files.write(KIND.dump(each)) for each in some) for key, some in given.items()}
    found = spectra(spark, SpectraRequest(files.url, named))
    for key, some in given.items():
        merged = KIND.merge_all(some)
        whole = complete(merged)
        assert whole is not None
        assert (found[key].times, found[key].whole) == (merged.times, whole.times)
        assert max(merged.times) > 1


def test_files_that_are_gone_are_told(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="stored frequencies cannot be merged"):
        spectra(spark, SpectraRequest(str(tmp_path), {"key": ("gone.parquet",)}))
