"""Pages, docstrings and texts are spelled as the dictionary and docs/words.txt spell them, in American English."""

import pytest

from docs import prose, spelling

pytestmark = pytest.mark.xdist_group("sources")


def test_no_word_is_misspelled() -> None:
    found = [f"{place} {word} {spelling.suggestion(word)}" for place, word in spelling.faults()]
    assert found == [], "correct the word, write it as `code`, or add it to docs/words.txt"


def test_the_projects_words_are_sorted() -> None:
    words = spelling.WORDS.read_text(encoding="utf-8").split("\n")
    assert words == [*sorted({each.strip().lower() for each in words if each}), ""]


def test_every_word_of_the_project_is_used() -> None:
    assert sorted(spelling.project_words() - spelling.unknown()) == [], "remove these words from docs/words.txt"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Teh contract", "teh"),
        ("a seperate check", "seperate"),
        ("the behaviour of a check", "behaviour"),
        ("labelled rows", "labelled"),
        ("A long-runing job", "runing"),
        ("an owner\u2019s aproval", "aproval"),
    ],
)
def test_a_misspelling_is_found(text: str, word: str) -> None:
    assert [each for each in spelling.words(text) if not spelling.is_english(each)] == [word]


@pytest.mark.parametrize(
    "text",
    [
        "A contract's owner doesn't approve it.",
        "OpenLineage, PostgreSQL and JSON",
        "`teh` stands in docs/teh.md",
        "See treaty.engine.teh or a_teh_b or teh@example.org",
        "two-phase re-run",
    ],
)
def test_names_and_code_are_not_checked(text: str) -> None:
    assert [each for each in spelling.words(prose.words_only(text)) if not spelling.is_english(each)] == []
