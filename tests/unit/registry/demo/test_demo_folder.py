"""The folder of a demo that stays up: a new one, or a clear error before anything starts."""

from pathlib import Path

import pytest

from treaty.engine.cli.commands import CliError
from treaty.registry.demo.run import demo


def test_a_folder_is_only_for_a_demo_that_stays_up(tmp_path: Path) -> None:
    with pytest.raises(CliError, match="--folder requires --keep"):
        demo(data=None, partition_by=None, keep=False, folder=tmp_path / "new", write=None)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(CliError, match="cannot be created: File exists"):
        demo(data=None, partition_by=None, keep=True, folder=tmp_path, write=None)
    assert list(tmp_path.iterdir()) == []
