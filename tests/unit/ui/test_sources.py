"""What the pages' sources must never do: give foreign text to something that renders more than text."""

import ast
from collections.abc import Iterator
from pathlib import Path

from support.every import every

from treaty import ui

SOURCES = sorted(Path(ui.__file__).parent.rglob("*.py"))
# They render Markdown or HTML of whatever they are given, or fetch it.
FORBIDDEN = {"write", "table", "image", "iframe", "components", "echo", "exception", "latex"}


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The calls of Streamlit in a source, by the function's name."""
    found = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    for call in found:
        match call.func:
            case ast.Attribute(value=ast.Name(id="st"), attr=name):
                yield name, call


@every("path", SOURCES, ids=lambda path: path.stem)
def test_no_page_renders_what_it_was_given_as_more_than_text(path: Path) -> None:
    for name, call in calls(path):
        assert name not in FORBIDDEN
        assert "unsafe_allow_html" not in {keyword.arg for keyword in call.keywords}
        if name == "html":
            assert [type(argument) for argument in call.args] == [ast.Name], "only a constant of the module"


def test_the_sources_are_found() -> None:
    assert len(SOURCES) > 15
