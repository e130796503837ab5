"""The application as it is started: its options do not depend on where, and it stays light."""

import json
import os
import subprocess
import sys
from pathlib import Path

BANNED = ["pyspark", "sqlalchemy", "sqlmodel", "fastapi", "statsmodels", "sklearn", "scipy"]
PROGRAM = f"""
import json, sys
import treaty.ui.asgi
from streamlit import config
options = ["theme.light.primaryColor", "client.showErrorDetails"]
options += ["browser.gatherUsageStats", "server.enableStaticServing"]
print(json.dumps([[config.get_option(each) for each in options], [each for each in {BANNED} if each in sys.modules]]))
"""


def test_the_options_are_those_beside_the_script_and_no_heavy_library_is_loaded(tmp_path: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("STREAMLIT_", "TREATY_"))}

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )

    options, loaded = json.loads(done.stdout.splitlines()[-1])
    assert options == ["#0B5CAD", "none", False, False]
    assert loaded == []


def test_a_wrong_setting_is_told_in_a_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "treaty.ui"],
        env={**os.environ, "TREATY_UI_HOSTS": "https://x"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "TREATY_UI_HOSTS must be a comma-separated list" in done.stderr
    assert "Traceback" not in done.stderr
