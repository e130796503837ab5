"""Frequencies of many distinct values merged in this process, and by Spark from the same files: where to switch."""

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treaty.engine.components.frequencies import Frequencies, groups, singletons

PIECES = 8
KIND = Frequencies()


def files(folder: Path, distinct: int) -> list[Path]:
    """The paths of the state files of eight partitions with so many distinct texts together, each in two of them."""
    import numpy
    import pyarrow

    from treaty.engine.components.dictionary_encoding import encode_texts
    from treaty.engine.components.frequencies import FrequencyTable

    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for at in range(PIECES):
        path = folder / f"frequencies-{distinct}-{at}.parquet"
        if not path.exists():
            ids = numpy.arange(distinct)[(numpy.arange(distinct) + at) % PIECES < 2]
            texts = numpy.char.add("key-", numpy.char.zfill((ids * 7919 % distinct).astype(str), 10))
            table = pyarrow.table({"k0": pyarrow.array(texts), "n": pyarrow.array(ids % 3 + 1)})
            path.write_bytes(KIND.dump(FrequencyTable((encode_texts(table),))))
        found.append(path)
    return found


def here(paths: Sequence[Path]) -> tuple[int, int]:
    """How many distinct values, and how many single ones, merged in this process."""
    together = KIND.merge_all([KIND.load(path.read_bytes()) for path in paths])
    return groups(together), singletons(together)


def by_spark(session: Any, paths: Sequence[Path]) -> tuple[int, int]:
    """The same by one Spark query over the files."""
    summed = session.read.parquet(*map(str, paths)).groupBy("k0").agg({"n": "sum"}).withColumnRenamed("sum(n)", "n")
    found = dict(summed.groupBy("n").count().collect())
    return sum(found.values()), found.get(1, 0)


def peak() -> float:
    """The most memory that this process has had so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
