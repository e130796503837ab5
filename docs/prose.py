"""Read the prose of the project: pages, docstrings, and the texts of the pages and of the command line."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGES = ("contracts", "engine", "registry", "ui", "migrations", "bench", "docs")
# Folders whose literals are read by users.
TEXTS = ("ui/texts", "engine/cli", "registry/cli", "registry/notifications")
# The first line of what `make docs` writes.
GENERATED = "<!-- written by `make docs`"
# What is no prose in a page, in the order in which it is removed.
NO_PROSE = (
    re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE),
    re.compile(r"^(?P<indent> *)```.*?^(?P=indent)```[ ]*$", re.DOTALL | re.MULTILINE),
    re.compile(r"<!--.*?-->", re.DOTALL),
)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
MARKUP = re.compile(r"\w[\w+.-]*://\S+|<[^<>\n]*>|[\w.+-]+@[\w.-]+|:material/\w+:|\bpython -m .*")
MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)]|#+|>|\|)\s")
HEADING = re.compile(r"\s*(?:#|!!!|\?\?\?|\|?[-:| ]+\|?$)")
# Words beside words or values; what SQL, calls, templates and tags have.
PHRASE = re.compile(r"[^\W\d_]{2,}[,:;]? (?:[^\W\d_]|\{)|\} [^\W\d_]")
NO_PHRASE = re.compile(r"[{;]\s|\w\(|</|\b[A-Z]{4,} ")
# A sentence ends before a capital, a figure or a mark of Markdown.
END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(\[*_`]*[A-Z0-9`])")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|etc|cf|al|No|approx)|\b[A-Z])\.[\"')*_]*$")
Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Passage:
    """Text with its place; a line of the text is a line of the file."""

    path: Path
    line: int
    text: str

    @property
    def place(self) -> str:
        """The file, relative to the root, and the line."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Return all pages: of the site, generated ones too, and those at the root."""
    return [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]


@cache
def read(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


def is_generated(path: Path) -> bool:
    """Return whether `make docs` writes the page."""
    return GENERATED in read(path)[:400]


def blank(match: re.Match[str]) -> str:
    """Return the line breaks of a match, so that lines keep their numbers."""
    return "\n" * match[0].count("\n") or " "


def prose(markdown: str) -> str:
    """Return a page without its front matter, blocks and comments, line by line."""
    for pattern in NO_PROSE:
        markdown = pattern.sub(blank, markdown)
    return markdown


def words_only(text: str) -> str:
    """Return prose without code, addresses and tags, line by line."""
    text = CODE.sub(blank, text)
    text = LINK.sub(lambda link: link[1], text)
    return MARKUP.sub(" ", text)


def page_passages() -> Iterator[Passage]:
    """Yield the prose of each page that people write."""
    yield from (Passage(path, 1, prose(read(path))) for path in pages() if not is_generated(path))


@cache
def modules() -> list[Path]:
    """Return all modules of the packages."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(read(path))


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the docstrings of a module."""
    for node in ast.walk(tree):
        if isinstance(node, Definition) and node.body and isinstance(node.body[0], ast.Expr):
            value = node.body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def docstring_passages() -> Iterator[Passage]:
    """Yield the docstrings of all modules."""
    for path in modules():
        yield from (Passage(path, each.lineno, str(each.value)) for each in docstrings(parsed(path)))


def text_passages() -> Iterator[Passage]:
    """Yield the literals that users read, with `{}` for a value in a text."""
    for path in (each for each in modules() if str(each.relative_to(ROOT)).startswith(TEXTS)):
        exempt = {id(each) for each in docstrings(parsed(path))}
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.JoinedStr):
                exempt |= {id(each) for each in node.values}
            if id(node) not in exempt and isinstance(node, ast.expr) and is_prose(text := literal(node)):
                yield Passage(path, node.lineno, text)


def literal(node: ast.expr) -> str:
    """Return the text of a literal; "" for another expression."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_prose(text: str) -> bool:
    """Return whether a literal is words and no code."""
    return bool(PHRASE.search(text)) and not NO_PHRASE.search(text)


def sentences(passage: Passage) -> Iterator[Passage]:
    """Yield the sentences of a passage, each with its first line; headings and rules of tables are left out."""
    for line, block in blocks(passage):
        start = 0
        for end in [*(each for each in END.finditer(block) if not ABBREVIATION.search(block[: each.start()])), None]:
            sentence = block[start : end.end() if end else None]
            first = line + block.count("\n", 0, start + len(sentence) - len(sentence.lstrip()))
            start = end.end() if end else start
            if text := " ".join(sentence.split()):
                yield Passage(passage.path, first, text)


def blocks(passage: Passage) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs, items of lists and cells of tables, each with its first line."""
    block: list[str] = []
    first = passage.line
    for number, line in enumerate([*passage.text.split("\n"), ""], start=passage.line):
        row = line.lstrip().startswith("|")
        if not line.strip() or MARKER.match(line) or HEADING.match(line) or row:
            if block:
                yield first, "\n".join(block)
            block = []
        if row and not HEADING.match(line):
            yield from ((number, cell.strip()) for cell in line.strip().strip("|").split(" | "))
        elif line.strip() and not HEADING.match(line):
            first = first if block else number
            block.append(line if block else MARKER.sub("", line))


KINDS: dict[str, Callable[[], Iterator[Passage]]] = {
    "pages": page_passages,
    "docstrings": docstring_passages,
    "texts": text_passages,
}
