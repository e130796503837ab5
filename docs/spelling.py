"""Print words of pages, docstrings and texts that are misspelled: `python -m docs.spelling`.

A word is right if the English dictionary of pyspellchecker or docs/words.txt has it, in American spelling. Names with
capitals inside, abbreviations in capitals and code are not checked."""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from spellchecker import SpellChecker

from docs import prose

WORDS = prose.DOCS / "words.txt"
WORD = re.compile(r"(?<![\w.@/\\-])[^\W\d_]+(?:['\u2019][^\W\d_]+)*(?![\w@/\\]|\.\w)(?:-[^\W\d_]+)*")
CAPITALS = re.compile(r".+[A-Z]")
GENITIVE = re.compile(r"'s?$")
# British words that the dictionary has, and their American spelling. The rest it does not have, and the API spells
# "acknowledgement" as here.
BRITISH = {
    "analogue": "analog", "artefact": "artifact", "artefacts": "artifacts",
    "cancelled": "canceled", "cancelling": "canceling", "catalogue": "catalog", "catalogues": "catalogs",
    "coloured": "colored", "dialogue": "dialog", "fulfil": "fulfill", "fulfils": "fulfills", "grey": "gray",
    "greyed": "grayed", "judgement": "judgment", "judgements": "judgments", "labelled": "labeled",
    "labelling": "labeling", "licence": "license", "licences": "licenses", "modelled": "modeled",
    "modelling": "modeling", "practise": "practice", "signalled": "signaled", "signalling": "signaling",
    "totalled": "totaled", "totalling": "totaling", "writeable": "writable",
}  # fmt: skip


class Fault(NamedTuple):
    """A misspelled word with its place."""

    place: str
    word: str


@cache
def dictionary() -> SpellChecker:
    """Return the English dictionary. Corrections are one edit away: two edits of a long word take minutes."""
    return SpellChecker(distance=1)


@cache
def project_words() -> frozenset[str]:
    """Return the words of docs/words.txt."""
    return frozenset(WORDS.read_text(encoding="utf-8").split())


@cache
def is_english(word: str) -> bool:
    """Return whether the dictionary has a word in American spelling; `word` is in small letters."""
    return word not in BRITISH and (len(word) == 1 or word in dictionary())


def words(text: str) -> Iterator[str]:
    """Yield the words of a line that are checked, in small letters and without a genitive."""
    for match in WORD.finditer(text):
        for part in match[0].split("-"):
            word = GENITIVE.sub("", part.replace("\u2019", "'"))
            if word and not CAPITALS.match(word) and not (len(word) == 1 and word.isupper()):
                yield word.lower()


@cache
def places() -> dict[str, list[str]]:
    """Return every checked word of the project with its places."""
    known = defaultdict[str, list[str]](list)
    for passage in chain.from_iterable(kind() for kind in prose.KINDS.values()):
        file = passage.path.relative_to(prose.ROOT)
        for number, line in enumerate(prose.words_only(passage.text).split("\n"), start=passage.line):
            place = f"{file}:{number}"
            for word in words(line):
                known[word].append(place)
    return dict(known)


@cache
def unknown() -> frozenset[str]:
    """Return the words of the project that the dictionary does not have."""
    return frozenset(word for word in places() if not is_english(word))


def faults() -> list[Fault]:
    """Return the misspelled words with their places."""
    wrong = unknown() - project_words()
    return sorted(Fault(place, word) for word in wrong for place in places()[word])


@cache
def suggestion(word: str) -> str:
    """Return the most likely right spelling of a word; "" without one."""
    return BRITISH.get(word) or dictionary().correction(word) or ""


def main() -> None:
    """Print each misspelled word with its place and a suggestion; exit with 1 if there is any."""
    found = faults()
    for place, word in found:
        print(place, word, suggestion(word))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
