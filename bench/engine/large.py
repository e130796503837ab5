"""Compare merging large frequencies in this process and with Spark, to set the switch."""

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treaty.engine.components.frequencies import Frequencies, groups, singletons

PIECES = 8
KIND = Frequencies()


def files(folder: Path, distinct: int) -> list[Path]:
    """Return the state files of eight partitions with `distinct` distinct texts in total.

    Each text is in two of them."""
    import numpy
    import pyarrow

    from treaty.engine.components.dictionary_encoding import encode_texts
    from treaty.engine.components.frequencies import FrequencyTable

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for at in range(PIECES):
        path = folder / f"frequencies-{distinct}-{at}.parquet"
        if not path.exists():
            ids = numpy.arange(distinct)[(numpy.arange(distinct) + at) % PIECES < 2]
            texts = numpy.char.add("key-", numpy.char.zfill((ids * 7919 % distinct).astype(str), 10))
            table = pyarrow.table({"k0": pyarrow.array(texts), "n": pyarrow.array(ids % 3 + 1)})
            path.write_bytes(KIND.dump(FrequencyTable((encode_texts(table),))))
        paths.append(path)
    return paths


def here(paths: Sequence[Path]) -> tuple[int, int]:
    """Return the number of distinct and of single values, merged in this process."""
    merged_counts = KIND.merge_all([KIND.load(path.read_bytes()) for path in paths])
    return groups(merged_counts), singletons(merged_counts)


def by_spark(session: Any, paths: Sequence[Path]) -> tuple[int, int]:
    """Return the same from one Spark query over the files."""
    summed = session.read.parquet(*map(str, paths)).groupBy("k0").agg({"n": "sum"}).withColumnRenamed("sum(n)", "n")
    spectrum = dict(summed.groupBy("n").count().collect())
    return sum(spectrum.values()), spectrum.get(1, 0)


def peak() -> float:
    """Return the peak memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
