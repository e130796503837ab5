"""A plug-in as an installed package: its module and the metadata that an installer writes from its pyproject.toml."""

import shutil
import tomllib
from pathlib import Path

PLUGIN = Path(__file__).parent / "plugin"
NAME = "treaty-parity"


def install(folder: Path, *, entry_points: dict[str, dict[str, str]] | None = None, name: str = NAME) -> Path:
    """Puts the plug-in into a folder that can stand on the path. `entry_points` replaces those that it declares."""
    declared = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copy(PLUGIN / "treaty_parity.py", folder)
    info = folder / f"{name.replace('-', '_')}-{declared['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {declared['version']}\n")
    groups = declared["entry-points"] if entry_points is None else entry_points
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in members.items()) for group, members in groups.items()]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return folder
