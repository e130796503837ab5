"""What a Spark job is set to, so that it tells of what it writes: as the command writes it, and with whose token."""

import re
import stat
from pathlib import Path

import pytest
from support.folders import ROOT
from typer.testing import CliRunner

from treaty.engine.cli.commands import CliError
from treaty.registry.cli.commands.lineage import app
from treaty.registry.sdk import openlineage_listener

TOLD = """spark.jars.packages                     io.openlineage:openlineage-spark_2.13:1.53.0
spark.extraListeners  io.openlineage.spark.agent.OpenLineageSparkListener
spark.openlineage.transport.type  http
spark.openlineage.transport.url  https://treaty.example:8700
spark.openlineage.transport.auth.type  api_key
spark.openlineage.transport.auth.apiKey  a-token
"""


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREATY_API_URL", "https://treaty.example:8700")
    monkeypatch.setenv("TREATY_TOKEN", "a-token")


def run(*words: str) -> str:
    return CliRunner().invoke(app, ["settings", *words], catch_exceptions=False).output


def test_they_are_a_file_of_sparks() -> None:
    assert [line.split() for line in run().splitlines()] == [line.split() for line in TOLD.splitlines()]


def test_a_file_of_them_is_for_its_owner_alone_and_takes_no_others_place(tmp_path: Path) -> None:
    assert run("--out", str(tmp_path / "job.conf")) == ""
    assert stat.S_IMODE((tmp_path / "job.conf").stat().st_mode) == 0o600
    assert (tmp_path / "job.conf").read_text() == run()
    with pytest.raises(CliError, match=r"Cannot write .*job.conf: File exists"):
        run("--out", str(tmp_path / "job.conf"))


def test_a_listener_that_lies_here_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("--jar", "listener.jar").splitlines()[0].split() == ["spark.jars", str(tmp_path / "listener.jar")]


def test_without_a_token_for_the_job_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREATY_TOKEN")
    with pytest.raises(CliError, match="Set TREATY_TOKEN to a token for the job"):
        run()


def test_the_listener_is_the_one_that_is_tested() -> None:
    (tested,) = re.findall("<openlineage>(.*)</openlineage>", (ROOT / ".ci" / "agents.xml").read_text(encoding="utf-8"))
    assert openlineage_listener.PACKAGE.endswith(f":{tested}")
