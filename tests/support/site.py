"""The pages of the documentation site, for the tests that hold them."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docs import prose

ROOT = prose.ROOT
DOCS = prose.DOCS
HEADING = re.compile(r"^#{1,6}\s+(.+?)(?:\s+#+)?\s*$", re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(<?([^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\)")
NAMED_ANCHOR = re.compile(r"\{[^}]*#([\w-]+)[^}]*\}|<a (?:id|name)=\"([^\"]+)\"")


@cache
def configuration() -> dict[str, Any]:
    """Return the table `project` of zensical.toml."""
    table = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    assert isinstance(table, dict)
    return table


def navigation(entries: Any = None) -> Iterator[str]:
    """Yield the pages of the navigation, relative to the docs."""
    for entry in configuration()["nav"] if entries is None else entries:
        if isinstance(entry, str):
            yield entry
        else:
            for target in entry.values():
                yield from navigation([target] if isinstance(target, str) else target)


def pages() -> list[str]:
    """Return the pages of the site, relative to the docs."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def written() -> list[Path]:
    """Return the pages that people write: of the site, README and CONTRIBUTING."""
    found = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [path for path in found if not prose.is_generated(path)]


def slug(heading: str) -> str:
    """Return the anchor of a heading, as the extension `toc` of Python-Markdown makes it."""
    text = re.sub(r"<[^>]*>|\{[^}]*\}", "", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading))
    text = re.sub(r"[^\w\s-]", "", text.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors of a page: a repeated heading has a number after its anchor."""
    text = prose.prose(prose.read(path))
    count: Counter[str] = Counter()
    found = {each for match in NAMED_ANCHOR.finditer(text) for each in match.groups() if each}
    for match in HEADING.finditer(text):
        name = slug(match[1])
        found.add(f"{name}_{count[name]}" if count[name] else name)
        count[name] += 1
    return frozenset(found)


def links(path: Path) -> Iterator[tuple[bool, str, str]]:
    """Yield the links and pictures of a page: whether it is a picture, its text and its target."""
    text = prose.CODE.sub(lambda code: code[0] if "](" not in code[0] else "", prose.prose(prose.read(path)))
    for match in LINK.finditer(text):
        yield match[1] == "!", match[2], match[3]


def broken(path: Path) -> list[str]:
    """Return the targets of links that do not exist, files or anchors. Pages on other hosts are not checked."""
    faults = []
    for _, _, target in links(path):
        if re.match(r"\w[\w+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (file.suffix == ".md" and anchor and anchor not in anchors(file)):
            faults.append(target)
        elif path.is_relative_to(DOCS) and not file.is_relative_to(DOCS):
            faults.append(f"{target} is not part of the site")
    return faults
