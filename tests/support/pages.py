"""Pages of the docs as one script each, to be run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.loops import Services

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def script(page: str) -> str:
    """The page as one script of the shell; what is not a shell's is handed to Python."""
    blocks = BLOCK.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    return "\n".join(text if kind == "sh" else f"python - <<'PAGE'\n{text}PAGE" for kind, text in blocks)


def environment(running: Services) -> dict[str, str]:
    """What the pages take as given: where the registry is, and its administrator's password."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TREATY_API_URL": running.settings.api,
        "TREATY_HOME": str(running.settings.home),
        "TREATY_DATABASE_URL": running.settings.database_url,
        "ADMIN_PASSWORD": running.people.passwords["admin"],
    }


def read_aloud(page: str, running: Services, folder: Path, **more: str) -> str:
    """What the page prints when all of it is run in that folder, with these variables beside those of all pages."""
    folder.mkdir()
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script(page)],
        cwd=folder, env={**environment(running), **more}, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    return ran.stdout
