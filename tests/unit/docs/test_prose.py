"""Prose is read from Markdown and from modules: sentences with their lines, without code."""

import ast
from pathlib import Path

import pytest

from docs import prose, sample

HERE = prose.ROOT / "docs" / "index.md"


def sentences(text: str) -> list[tuple[int, str]]:
    passage = prose.Passage(HERE, 1, prose.prose(text))
    return [(each.line, each.text) for each in prose.sentences(passage)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two!\nThree?", [(1, "One."), (1, "Two!"), (2, "Three?")]),
        ("One that\ngoes on. Two\nmore.", [(1, "One that goes on."), (2, "Two more.")]),
        ("Formats, e.g. JSON, i.e. text. Next.", [(1, "Formats, e.g. JSON, i.e. text."), (1, "Next.")]),
        ("Version 3.1 of A. Smith. `b` is next.", [(1, "Version 3.1 of A. Smith."), (1, "`b` is next.")]),
        ('It says "Yes." Then more.', [(1, 'It says "Yes."'), (1, "Then more.")]),
        ("# Title\n\nText.", [(3, "Text.")]),
        ("- One\n  more.\n- Two.\n1. Three.", [(1, "One more."), (3, "Two."), (4, "Three.")]),
        ("| a | b |\n|---|---|\n| One. | Two. |", [(1, "a"), (1, "b"), (3, "One."), (3, "Two.")]),
        ("One.\n```sh\nls\n```\nTwo.", [(1, "One."), (5, "Two.")]),
        ("---\nneeds: [java]\n---\n<!-- a\nb -->\nOne.", [(6, "One.")]),
        ('!!! note "Title"\n    One.', [(2, "One.")]),
        ("Use **two** words.", [(1, "Use **two** words.")]),
        ("", []),
    ],
)
def test_sentences_of_a_page(text: str, expected: list[tuple[int, str]]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A `b c` d", "A   d"),
        ("A [link](there.md) b", "A link b"),
        ("See https://a.example/b and sc://c", "See   and  "),
        ("Mail a.b@c.example", "Mail  "),
        ("A `b\nc` d", "A \n d"),
    ],
)
def test_words_are_without_code_and_addresses(text: str, words: str) -> None:
    assert prose.words_only(text) == words


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [("Draft a contract", True), ("of {} checks", True), ("contract", False), ("SELECT a FROM b", False)],
)
def test_literals_that_are_prose(text: str, *, is_prose: bool) -> None:
    assert prose.is_prose(text) is is_prose


def test_values_in_a_text_are_left_out() -> None:
    node = ast.parse("f'{a} of {b} checks'", mode="eval").body
    assert prose.literal(node) == "{} of {} checks"


def test_docstrings_are_found_at_every_depth() -> None:
    tree = ast.parse(
        '"""One."""\nclass A:\n    """Two."""\n    def b(self):\n        """Three."""\n        "no docstring"\n'
    )
    assert [each.value for each in prose.docstrings(tree)] == ["One.", "Two.", "Three."]


def test_every_kind_has_prose_with_its_place() -> None:
    for kind in prose.KINDS.values():
        first = next(kind())
        assert first.text
        assert Path(prose.ROOT / first.place.split(":")[0]).exists()


def test_a_sample_is_the_same_for_a_seed() -> None:
    one, other = sample.drawn(5, 7, ["texts"]), sample.drawn(5, 7, ["texts"])
    assert len(one) == 5
    assert one == other
    assert one != sample.drawn(5, 8, ["texts"])
