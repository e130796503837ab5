"""Format Markdown: tables, anchors, and the parts of a docstring."""

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, get_args, get_origin

# The names of described parameters at the start of a line or of a sentence: "`since`, `until`: ...".
NAMED = re.compile(r"(?:^(?:- )?|(?<=\. )|(?<=\.\n))((?:`\w+`(?:, )?)+): ", re.MULTILINE)


# The errors that a docstring names after the last parameter.
RAISES = re.compile(r"(?<=\.) (Raises .*)$")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield a table; nothing if it has no rows. Columns without any content are left out."""
    cells = [[cell(each) for each in row] for row in rows]
    shown = [index for index in range(len(headings)) if any(row[index] for row in cells)]
    if not cells:
        return
    yield _row(headings[index] for index in shown)
    yield _row("---" for _ in shown)
    for row in cells:
        yield _row(row[index] for index in shown)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(content: object) -> str:
    """Return the content on one line, with escaped bars."""
    return " ".join(str(content).split()).replace("|", "\\|")


def code(content: object) -> str:
    """Return the content as code; "" for no content."""
    return f"`{content}`" if content not in (None, "") else ""


def anchor(title: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def sentence(text: str) -> str:
    """Return the text with a capital letter, as a phrase."""
    return phrase(text[:1].upper() + text[1:])


def phrase(text: str) -> str:
    """Return the text for a cell: several sentences end with a period, a single one does not."""
    text = text.strip()
    if text.endswith("..."):
        return text
    text = text.removesuffix(".")
    return f"{text}." if ". " in text else text


def docstring(documented: Any) -> str:
    """Return the docstring that the object itself has, without indentation; "" for none."""
    return inspect.cleandoc(
        vars(documented).get("__doc__") or "" if isinstance(documented, type) else documented.__doc__ or ""
    )


def first_line(text: str) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(text.split("\n\n")[0].split())


def parameters(text: str) -> dict[str, str]:
    """Return the descriptions of parameters or fields that a docstring contains, by name."""
    found = {}
    for paragraph in text.split("\n\n"):
        _, *parts = NAMED.split(paragraph)
        for names, description in zip(parts[::2], parts[1::2], strict=True):
            for name in re.findall(r"`(\w+)`", names):
                found[name] = sentence(RAISES.sub("", " ".join(description.split())))
    return found


def prose(text: str) -> str:
    """Return a docstring without its descriptions of parameters, but with the errors that follow them."""
    paragraphs = []
    for each in text.split("\n\n"):
        before, *described = NAMED.split(each)
        raised = RAISES.search(" ".join(described[-1].split())) if described else None
        paragraphs += [before.strip("\n").rstrip(), raised[1] if raised else ""]
    return "\n\n".join(each for each in paragraphs if each)


def type_name(annotation: Any) -> str:
    """Return a type as people write it: "text", "number", "list of text", or the permitted values."""
    origin, arguments = get_origin(annotation), [each for each in get_args(annotation) if each is not type(None)]
    if origin is Literal:
        return ", ".join(code(each) for each in arguments)
    if origin in (list, tuple, set, frozenset):
        kinds = dict.fromkeys(type_name(each) for each in arguments if each is not ...)
        return f"list of {' or '.join(kinds)}"
    if origin is dict:
        return "mapping"
    if origin is not None and hasattr(annotation, "__metadata__"):
        return type_name(arguments[0])
    if arguments:
        return " or ".join(dict.fromkeys(type_name(each) for each in arguments))
    return PLAIN.get(getattr(annotation, "__name__", ""), getattr(annotation, "__name__", str(annotation)))


PLAIN = {"str": "text", "int": "integer", "float": "number", "bool": "true or false", "Any": "any", "date": "date"}
