"""Load the document templates of `templates/`, whose placeholders such as ${id} the author fills in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template as Places

from treaty.contracts.errors import ROOT, ContractError, Fault, suggest_nearest

# A value of this form can neither end a YAML scalar nor start another node.
_WORD = re.compile(r"[A-Za-z0-9_/](?:[A-Za-z0-9_./@ -]|:(?=[A-Za-z0-9_/]))*(?<! )")
LONGEST = 500


@dataclass(frozen=True)
class DocumentTemplate:
    """A document template.

    `about`: purpose, in one sentence.
    `text`: the document, with placeholders such as ${id}."""

    name: str
    about: str
    text: str

    @property
    def places(self) -> tuple[str, ...]:
        """Return the names of the placeholders in their order."""
        return tuple(dict.fromkeys(Places(self.text).get_identifiers()))

    def filled(self, words: Mapping[str, str]) -> str:
        """Return the document with these values; other placeholders remain.

        `words`: value by placeholder. Raises ContractError for values that are not safe in YAML and for unknown
        placeholders."""
        faults = [fault for place, word in words.items() for fault in self._faults(place, word)]
        if faults:
            raise ContractError(faults)
        return Places(self.text).safe_substitute(words)

    def _faults(self, place: str, word: str) -> list[Fault]:
        if place not in self.places:
            remedy = suggest_nearest(place, self.places) or f"available: {', '.join(self.places)}"
            return [
                Fault(
                    code="template-place",
                    where=place,
                    message=f"is not a placeholder of the template {self.name}",
                    remedy=remedy,
                )
            ]
        if len(word) > LONGEST or not _WORD.fullmatch(word):
            remedy = f"use up to {LONGEST} letters, digits, spaces and the characters . _ - / : @"
            return [Fault(code="template-word", where=place, message="is not a valid placeholder value", remedy=remedy)]
        return []


def templates() -> tuple[DocumentTemplate, ...]:
    """Return all built-in templates, sorted by name."""
    folder = files("treaty.registry.exchange") / "templates"
    paths = sorted((each for each in folder.iterdir() if each.name.endswith(".yaml")), key=lambda each: each.name)
    return tuple(_template(each.name.removesuffix(".yaml"), each.read_text(encoding="utf-8")) for each in paths)


def template(name: str) -> DocumentTemplate:
    """Return the built-in template of that name. Raises ContractError, which suggests the nearest name."""
    by_name = {each.name: each for each in templates()}
    if name not in by_name:
        remedy = suggest_nearest(name, by_name) or f"available: {', '.join(by_name)}"
        raise ContractError(
            [Fault(code="template-unknown", where=ROOT, message=f"template {name!r} does not exist", remedy=remedy)]
        )
    return by_name[name]


def _template(name: str, text: str) -> DocumentTemplate:
    return DocumentTemplate(name, text.partition("\n")[0].removeprefix("# "), text)
