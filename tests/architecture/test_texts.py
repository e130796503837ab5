"""All texts of the pages stand in `ui/texts`: outside it no literal of `ui` reads as one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.every import every
from support.glossary import REPLACED

ROOT = Path(__file__).parents[2]
CATALOGUE = sorted((ROOT / "ui" / "texts").glob("*.py"))
# Marks and the ways that values are written have forms of their own.
APART = ("__init__", "status_labels", "formatting")
PAGES = sorted(path for path in (ROOT / "ui").rglob("*.py") if path not in CATALOGUE)
# What stands for a value in a text.
HOLE = "\0"
# A word beside another or beside a value; a single word that begins with a capital; a word that joins two others.
READS = re.compile(
    r"[^\W\d_][,.:;!?)]? \(?[\w\0]|\0[,.:;!?)]? \(?[^\W\d_]|\A[A-Z][a-z]+(?:[-'][a-z]+)*[.:!?]?(?: |\Z)|\A [a-z]+ \Z"
)
# What is written for a program: a style, a tag, Streamlit's marks, a directive of the content policy, Python to copy.
NO_TEXT = re.compile(
    r"<style>.*</style>|<[^<>]*>|:material/\w+:|:[a-z]+(?:-badge)?(?=\[)|\A[a-z-]+ 'self'.*|\A(?:from|import) \w+.*",
    re.DOTALL,
)
# What is shown whatever it looks like: these arguments, and what stands first in the calls of Streamlit and of these.
SHOWN = frozenset(
    {"alt", "body", "caption", "display_text", "done", "help", "help_text", "label", "placeholder", "title"}
)
SHOWING = {("panels", "empty"), ("panels", "fact"), ("panels", "tell"), ("panels", "time"), ("ui_texts", "several")}
KEYED = {("st", "form"), ("st", "page_link"), ("st", "space")}


def written(node: ast.AST | None) -> str:
    """The text of a literal, with a hole for each value in it; "" for what is no text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or HOLE for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def reads(text: str) -> bool:
    """Whether people read it: there is a word, and not in capitals alone as in SQL."""
    left = NO_TEXT.sub("", text)
    return bool(READS.search(left)) and left.upper() != left


def called(node: ast.Call) -> tuple[str, str]:
    """The module and the name of what is called, as far as they are told."""
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return getattr(of, "id", ""), name


def apart(tree: ast.AST) -> Iterator[ast.AST]:
    """What nobody reads on a page: docstrings, what is logged, names for the type checker, fonts; the parts of a text
    with values in it, which is looked at as a whole."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                yield node.value
            case ast.JoinedStr():
                yield from (part for part in node.values if isinstance(part, ast.Constant))
            case ast.Call() if called(node)[0] == "log" or called(node)[1] == "TypeVar":
                yield from node.args
            case ast.Dict():
                yield from (value for key, value in zip(node.keys, node.values, strict=True) if written(key) == "font")


def shown(tree: ast.AST) -> Iterator[ast.AST]:
    """What is shown wherever it stands."""
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg=name) if name in SHOWN:
                yield node.value
            case ast.Call() if called(node) in SHOWING or (called(node)[0] == "st" and called(node) not in KEYED):
                yield from node.args if called(node) in SHOWING else node.args[:1]
            case ast.Dict():
                yield from (value for key, value in zip(node.keys, node.values, strict=True) if written(key) == "title")


def texts(source: str) -> list[tuple[int, str]]:
    """The literals that belong into the catalogue, each with its line."""
    tree = ast.parse(source)
    exempt = {id(node) for node in apart(tree)}
    told = [node for node in ast.walk(tree) if reads(written(node)) and id(node) not in exempt]
    told += [node for node in shown(tree) if re.search(r"[^\W\d_]", NO_TEXT.sub("", written(node)))]
    return sorted({(getattr(node, "lineno", 0), written(node)) for node in told})


@every("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_writes_a_text_of_its_own(path: Path) -> None:
    found = [f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in texts(path.read_text(encoding="utf-8"))]
    assert found == [], "these texts belong into ui/texts"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("st.title('Saved')", "Saved"),
        ("st.caption('saved')", "saved"),
        ("x = 'nothing was saved'", "nothing was saved"),
        ("x = 'Saved.'", "Saved."),
        ("x = f'{n} saved'", f"{HOLE} saved"),
        ("x = f'saved {n:,}'", f"saved {HOLE}"),
        ("x = f'{n}: saved'", f"{HOLE}: saved"),
        ("rows = [{'Name': each.name}]", "Name"),
        ("x = rows['Name']", "Name"),
        ("x = ' or '.join(ways)", " or "),
        ("x = '<button>Save it</button>'", "<button>Save it</button>"),
        ("x = ':material/info: Saved before'", ":material/info: Saved before"),
        ("st.button(label, help='why')", "why"),
        ("panels.empty(title, 'gone')", "gone"),
        ("ui_texts.several(n, 'row')", "row"),
        ("axis = {'title': 'share'}", "share"),
        ("raise SettingsError('it must begin with https')", "it must begin with https"),
    ],
)
def test_a_text_outside_the_catalogue_is_found(source: str, text: str) -> None:
    assert texts(f"'''Only a docstring.'''\nn = 1\n{source}") == [(3, text)]


@pytest.mark.parametrize(
    "source",
    [
        "st.button(texts.SAVE, key='save-it', type='primary', icon=':material/check:')",
        "st.form('draft')",
        "x = f'{each.id}-{version}.yaml'",
        "x = f'**{name}** ({number})'",
        "x = f':orange[:material/info: {note}]'",
        'x = f\'<a href="{address}" class="hint wide">{label}</a>\'',
        "x = '<style> a button { color: red } </style>'",
        "x = f\"connect-src 'self' ws://{host} wss://{host}\"",
        "x = {'Content-Security-Policy': policy, 'X-Frame-Options': 'DENY'}",
        "x = f'{name} IS NULL'",
        "log.error('a page failed, reference %s', reference)",
        "x = TypeVar('Answer')",
        "x = {'font': 'Source Sans, sans-serif'}",
        "x = 'from pathlib import Path\\nprint(Path(1))'",
        "x = {'calculate': 'datum.x + 0.85 * (datum.x2 - datum.x)'}",
    ],
)
def test_what_nobody_reads_may_stand_anywhere(source: str) -> None:
    assert texts(source) == []


@pytest.fixture(scope="module")
def used() -> frozenset[str]:
    """Every name that `ui` reads."""
    nodes = (each for path in (*PAGES, *CATALOGUE) for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return frozenset(
        each.attr if isinstance(each, ast.Attribute) else each.id
        for each in nodes
        if isinstance(each, ast.Attribute | ast.Name) and isinstance(each.ctx, ast.Load)
    )


@every("path", CATALOGUE, ids=lambda path: path.stem)
def test_every_name_of_the_catalogue_is_used(path: Path, used: frozenset[str]) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    named += [each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    assert [name for name in named if name not in used] == []


@every("path", [path for path in CATALOGUE if path.stem not in APART], ids=lambda path: path.stem)
def test_a_catalogue_is_constants_and_functions_of_a_sentence(path: Path) -> None:
    docstring, *body = ast.parse(path.read_text(encoding="utf-8")).body
    other = [
        each.lineno
        for each in body
        if not isinstance(each, ast.Import | ast.ImportFrom)
        and not (isinstance(each, ast.Assign) and _is_literal(each.value))
        and not (isinstance(each, ast.FunctionDef) and ast.unparse(each.returns or docstring) == "str")
    ]
    assert other == []


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True


def catalogue_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a catalogue module with their lines, docstrings excepted."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def test_the_pages_use_the_words_of_the_glossary() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {match[0]!r} in {text!r}"
        for path in CATALOGUE
        for line, text in catalogue_texts(path)
        for match in REPLACED.finditer(text)
    ]
    assert faults == [], "use the glossary's word"


@pytest.mark.parametrize("text", ["Nobody looks after it", "what the data promises", "It is judged anew"])
def test_a_replaced_word_is_found(text: str) -> None:
    assert REPLACED.search(text)
