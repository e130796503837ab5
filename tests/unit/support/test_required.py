"""Optional parts of the suite are skipped with a reason, never silently where they are required."""

from pathlib import Path

import pytest
from support.required import require, shared


def test_what_is_there_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREATY_REQUIRE", "postgres")
    require("postgres", available=True, reason="")


@pytest.mark.parametrize(
    ("required", "outcome"),
    [("", pytest.skip.Exception), ("shared", pytest.skip.Exception), ("shared,postgres", pytest.fail.Exception)],
)
def test_what_is_absent_skips_and_fails_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch, required: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("TREATY_REQUIRE", required)
    with pytest.raises(outcome, match="no server"):
        require("postgres", available=False, reason="no server")


def test_shared_files_are_looked_for_where_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TREATY_REQUIRE", "shared")
    monkeypatch.setenv("TREATY_SHARED", str(tmp_path))
    assert shared() == tmp_path
    with pytest.raises(pytest.fail.Exception, match="TREATY_SHARED has no data/x"):
        shared("data", "x")
