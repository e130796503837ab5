"""The environment, command line and limits of the Spark process, read as any process of the user could."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from treaty.engine.spark.process.child import ChildSettings, SparkChild
from treaty.engine.spark.process.environment import CLOUDS, clean_environment, withheld

SECRETS = {
    "TREATY_DATABASE_URL": "postgresql://u:top-secret-1@db/treaty",
    "TREATY_AUDIT_KEY_TEXT": "top-secret-2",
    "TREATY_SMTP_URL": "smtp://u:top-secret-3@mail",
    "TREATY_OIDC_CLIENT_SECRET": "top-secret-4",
    "PGPASSWORD": "top-secret-5",
    "SSH_AUTH_SOCK": "top-secret-6",
    "SPARKLE": "top-secret-7",
    "SPARK_CONNECT_MODE_ENABLED": "top-secret-8",
}
OWN = {
    "PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_CTYPE": "C", "TZ": "UTC", "JAVA_HOME": "/j", "SPARK_HOME": "/s",
    "HADOOP_CONF_DIR": "/h", "HADOOP_USER_NAME": "u", "https_proxy": "http://p", "NO_PROXY": "localhost",
}  # fmt: skip
CLOUD = {"AWS_REGION": "x", "AZURE_STORAGE_KEY": "y", "GOOGLE_APPLICATION_CREDENTIALS": "z"}
PROC = Path("/proc")


@pytest.mark.parametrize(
    ("further", "passed"),
    [
        ((), OWN),
        (CLOUDS, {**OWN, **CLOUD}),
        (("AWS_REGION",), {**OWN, "AWS_REGION": "x"}),
        (("*",), {**OWN, **CLOUD, "PGPASSWORD": "top-secret-5", "SSH_AUTH_SOCK": "top-secret-6",
                  "SPARKLE": "top-secret-7"}),
        (("TREATY_*", "TREATY_DATABASE_URL"), OWN),
    ],
)  # fmt: skip
def test_a_variable_passes_if_spark_needs_it_or_somebody_names_it(
    further: tuple[str, ...], passed: dict[str, str]
) -> None:
    assert clean_environment({**OWN, **CLOUD, **SECRETS}, further) == passed


def test_credentials_that_are_not_passed_are_named() -> None:
    assert withheld({**OWN, **CLOUD}, ("AWS_*",)) == ["AZURE_STORAGE_KEY", "GOOGLE_APPLICATION_CREDENTIALS"]


def descendants(leader: int) -> Iterator[Path]:
    for folder in PROC.glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == leader:
            yield folder
            yield from descendants(int(folder.name))


@pytest.mark.skipif(not PROC.exists(), reason="there is no /proc")
def test_no_process_that_spark_starts_can_be_read_for_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, text in {**SECRETS, **CLOUD}.items():
        monkeypatch.setenv(name, text)
    child = SparkChild(ChildSettings(log=str(tmp_path / "logs" / "spark.log"), environment=()))
    try:
        child._started()
        readable = [each for folder in descendants(os.getpid()) for each in _contents(folder)]
        own = (PROC / str(child._process.pid) / "environ").read_text()
    finally:
        child.close()
    assert readable
    assert "PATH=" in own
    assert "AWS_REGION" not in own
    assert not [each for each in readable if "top-secret" in each]
    assert (tmp_path / "logs" / "spark.log").stat().st_mode & 0o777 == 0o600


def _contents(folder: Path) -> Iterator[str]:
    for name in ("environ", "cmdline"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a process of another test that has just ended
            yield (folder / name).read_text(errors="replace")
