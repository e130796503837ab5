"""Documents to start from: each a file of `templates/`, with places such as ${id} for what only its author knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template as Places

from treaty.contracts.errors import ROOT, ContractError, Fault, suggest_nearest

# Within these no text of YAML ends, and nothing else begins.
_WORD = re.compile(r"[A-Za-z0-9_/](?:[A-Za-z0-9_./@ -]|:(?=[A-Za-z0-9_/]))*(?<! )")
LONGEST = 500


@dataclass(frozen=True)
class DocumentTemplate:
    """A document to start from: its name, what it is for, and its text."""

    name: str
    about: str
    text: str

    @property
    def places(self) -> tuple[str, ...]:
        """The names of its places, in their order."""
        return tuple(dict.fromkeys(Places(self.text).get_identifiers()))

    def filled(self, words: Mapping[str, str]) -> str:
        """The document with these words at its places; the others stay. Raises ContractError for words that do not
        fit, and for places that it does not have."""
        faults = [fault for place, word in words.items() for fault in self._faults(place, word)]
        if faults:
            raise ContractError(faults)
        return Places(self.text).safe_substitute(words)

    def _faults(self, place: str, word: str) -> list[Fault]:
        if place not in self.places:
            remedy = suggest_nearest(place, self.places) or f"it has {', '.join(self.places)}"
            return [
                Fault(
                    code="template-place",
                    where=place,
                    message=f"is no place of the template {self.name}",
                    remedy=remedy,
                )
            ]
        if len(word) > LONGEST or not _WORD.fullmatch(word):
            remedy = f"use up to {LONGEST} letters, digits, blanks and the characters . _ - / : @"
            return [
                Fault(code="template-word", where=place, message="is no word that fits into a document", remedy=remedy)
            ]
        return []


def templates() -> tuple[DocumentTemplate, ...]:
    """All templates, by name."""
    folder = files("treaty.registry.exchange") / "templates"
    found = sorted((each for each in folder.iterdir() if each.name.endswith(".yaml")), key=lambda each: each.name)
    return tuple(_template(each.name.removesuffix(".yaml"), each.read_text(encoding="utf-8")) for each in found)


def template(name: str) -> DocumentTemplate:
    """The template of that name. Raises ContractError, naming the nearest one, where there is none."""
    known = {each.name: each for each in templates()}
    if name not in known:
        remedy = suggest_nearest(name, known) or f"there are {', '.join(known)}"
        raise ContractError(
            [Fault(code="template-unknown", where=ROOT, message=f"no template is named {name!r}", remedy=remedy)]
        )
    return known[name]


def _template(name: str, text: str) -> DocumentTemplate:
    return DocumentTemplate(name, text.partition("\n")[0].removeprefix("# "), text)
