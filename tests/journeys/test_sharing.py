"""The page on sharing, every line of it as it is written, on both databases."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.databases import postgres_server
from support.loops import Services, services
from support.required import require

PAGE = Path(__file__).parents[2] / "docs" / "sharing.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(params=["sqlite", "postgresql"])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    import shutil

    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    if request.param == "sqlite":
        with services(tmp_path / "services") as started:
            yield started
        return
    with (
        TemporaryDirectory(prefix="treaty-postgres-") as data,
        postgres_server(Path(data)) as url,
        services(tmp_path / "services", url) as started,
    ):
        yield started


def script() -> str:
    """The page as one script of the shell; what is not a shell's is handed to Python."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return "\n".join(text if kind == "sh" else f"python - <<'PAGE'\n{text}PAGE" for kind, text in blocks)


def environment(running: Services) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TREATY_API_URL": running.settings.api,
        "TREATY_HOME": str(running.settings.home),
        "TREATY_DATABASE_URL": running.settings.database_url,
        "ADMIN_PASSWORD": running.people.passwords["admin"],
    }


def test_every_line_about_sharing_does_what_it_says(running: Services, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script()],
        cwd=folder, env=environment(running), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    told = ran.stdout
    said = [
        "orders 1.0.0",
        "nobody has subscribed",
        "pass: ",
        "reports",
        "weekly revenue",
        "it breaks you because",
        "are as they were written",
        "version and audit agree with it",
    ]
    assert [each for each in said if each not in told] == []
    # The consumer's own check is judged beside the contract's.
    assert re.search(r"orders\.orders 1\.0\.0, subscription \S+, judged", told)
    # The version waits for the consumer, and the one before stays in force until then.
    waited, _, came = told.partition("it breaks you because")
    assert re.search(r"2\.0\.0\s+approved", waited)
    assert re.search(r"1\.0\.0\s+active", waited)
    assert re.search(r"2\.0\.0\s+active", came)
    assert re.search(r"1\.0\.0\s+superseded", came)
