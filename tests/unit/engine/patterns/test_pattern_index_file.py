"""The index of a lake as a file: it comes back as it was, small, and what is none is refused."""

from pathlib import Path

import pytest

from treaty.engine.patterns.index import indexed
from treaty.engine.patterns.index_file import UnreadableIndex, load, save
from treaty.engine.patterns.inference import infer
from treaty.engine.patterns.lake_sums import FIELDS

COLUMNS = [[f"{n % 24}:{n * 7 % 60:02d}" for n in range(start, start + 60)] for start in range(8)]


def test_an_index_comes_back_as_it_was_written(tmp_path: Path) -> None:
    index, path = indexed(COLUMNS), tmp_path / "lake.parquet"
    save(index, path)
    read = load(path)
    for name in set(FIELDS) - {"impurity"}:
        assert getattr(read.sums, name).tolist() == getattr(index.sums, name).tolist()
    assert read.sums.impurity.tolist() == pytest.approx(index.sums.impurity.tolist(), rel=1e-6)
    assert list(read.sums.texts) == list(index.sums.texts)
    assert (read.calibration, read.optimism) == (index.calibration, index.optimism)
    assert infer(COLUMNS[0], read) == infer(COLUMNS[0], index)


def test_rare_patterns_can_be_left_out_of_the_file(tmp_path: Path) -> None:
    index = indexed([*COLUMNS, ["only-here"] * 50])
    save(index, tmp_path / "lake.parquet", least=2)
    read = load(tmp_path / "lake.parquet")
    assert 0 < len(read.sums) < len(index.sums)
    assert read.sums.size == index.sums.size


@pytest.mark.parametrize("content", [b"", b"no index", b"PAR1"])
def test_what_is_no_index_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.parquet"
    path.write_bytes(content)
    with pytest.raises(UnreadableIndex, match=r"other\.parquet is not a pattern index"):
        load(path)


def test_a_table_that_is_no_index_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"id": [1]}), tmp_path / "table.parquet")
    with pytest.raises(UnreadableIndex):
        load(tmp_path / "table.parquet")
