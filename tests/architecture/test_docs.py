"""The hand-written docs name files, modules and links that exist."""

import re
from pathlib import Path

import pytest
from support import site
from support.every import every

from docs import decisions_index, house, prose
from treaty.registry.access.permissions import GRANTS
from treaty.registry.core.enums import Permission, Role

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MAP = DOCS / "architecture.md"
EXPLANATIONS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "explanation").glob("*.md"))
TEXTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    if not prose.is_generated(path)
)
# Entry points: names that are no modules.
GROUPS = ("treaty.analyzers", "treaty.assertions", "treaty.detectors")
FOLDERS = "engine|registry|ui|tests|docs|contracts|migrations|bench|src"


@every("path", sorted((*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md")))
def test_links_and_named_files_lead_somewhere(path: Path) -> None:
    named = re.findall(rf"(?<!Create )`((?:{FOLDERS})/[\w/.-]*)`", path.read_text(encoding="utf-8"))
    assert [*site.broken(path), *(each for each in named if not (ROOT / each).exists())] == []


@pytest.mark.parametrize("text", TEXTS)
def test_named_modules_exist(text: str) -> None:
    """The last part of a name may be a function or a class of the module."""
    names = re.findall(r"`treaty((?:\.\w+)+)`", (ROOT / text).read_text(encoding="utf-8"))
    paths = [ROOT.joinpath(*name[1:].split(".")) for name in names]
    missing = [path for path in paths if not (path.exists() or path.with_suffix(".py").exists() or defined(path))]
    assert [path for path in missing if f"treaty.{path.name}" not in GROUPS] == []


def defined(path: Path) -> bool:
    """Return whether the module of a dotted name defines its last part."""
    module = path.parent.with_suffix(".py")
    return module.exists() and bool(
        re.search(rf"^(?:def|class) {path.name}\b|^{path.name}\b", module.read_text("utf-8"), re.MULTILINE)
    )


@pytest.mark.parametrize("text", [each for each in TEXTS if each.startswith("docs/")])
def test_files_of_the_code_are_named_with_their_path(text: str) -> None:
    names = re.findall(r"`([\w/.-]+\.py)`", (ROOT / text).read_text(encoding="utf-8"))
    assert [each for each in names if not (ROOT / each).exists()] == []


def test_the_map_is_short_and_answers_where_things_are() -> None:
    lines = MAP.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines[lines.index("## Where is ...?") :] if line.startswith("| ") and "`" in line]
    assert len(lines) <= 150
    assert len(rows) >= 40
    assert [row for row in rows if not re.search(rf"`(?:{FOLDERS})/[\w/.]+`", row.split("|")[2])] == []


def test_every_explanation_is_linked_from_the_map() -> None:
    source = MAP.read_text(encoding="utf-8")
    assert EXPLANATIONS
    assert [each for each in EXPLANATIONS if f"]({each.removeprefix('docs/')})" not in source] == []


def test_the_table_of_permissions_is_as_the_code_grants_them() -> None:
    table = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    head, *rows = re.findall(r"^\| (?:Permission|`).*\|$", table[table.index("| Permission ") :], re.MULTILINE)
    roles = [Role(each.strip()) for each in head.split("|")[2:-1]]
    written = {
        Permission(name): {role for role, cell in zip(roles, row.split("|")[2:-1], strict=True) if cell.strip()}
        for row in rows
        for name in re.findall(r"`([\w:]+)`", row.split("|")[1])
        if ":" in name
    }
    assert written == {each: {role for role in Role if each in GRANTS[role]} for each in Permission}


def test_the_index_of_decisions_is_as_the_records_say() -> None:
    assert decisions_index.INDEX.read_text(encoding="utf-8") == decisions_index.index(), "run: make docs"


def test_the_picture_of_the_rooms_is_as_the_imports_draw_it() -> None:
    assert house.PICTURE.read_text(encoding="utf-8") == house.picture(), "run: make docs"


def test_the_picture_shows_every_room() -> None:
    named = set(re.findall(r">([^<>]+)</text>", house.picture()))
    folders = {path.parent.name for each in house.PACKAGES for path in (ROOT / each).glob("*/__init__.py")}
    assert folders - named == set()


def test_arrows_that_a_longer_path_implies_are_left_out() -> None:
    assert house.reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_rooms_that_import_each_other_are_not_drawn() -> None:
    with pytest.raises(ValueError, match="circle: a -> b -> a"):
        house.floors({"a": {"b"}, "b": {"a"}})
