"""Baselines for lake patterns: dictionaries, masks, lengths, fixed patterns, the paper's variants."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treaty.engine.analyzers.conformity_test import critical
from treaty.engine.patterns.candidates import matcher, nonconforming
from treaty.engine.patterns.fmdv import InferredPattern, PatternLimits, infer_domain
from treaty.engine.patterns.lake_sums import PatternSums
from treaty.engine.patterns.language.pattern import CharacterToken, LiteralToken, Pattern, Repetition
from treaty.engine.patterns.language.tokenizer import WORD
from treaty.engine.patterns.named_domains import domain_of
from treaty.engine.patterns.value_shapes import narrowest, structures_of

Array = np.ndarray[Any, np.dtype[Any]]
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Share:
    """Passes if at least this share of the values satisfies a condition."""

    keeps: Callable[[str], object]
    least: float = 1.0

    def check_unique(self, unique: Sequence[str], counts: Array) -> bool:
        """Return True unless an issue is reported."""
        if self.least == 1:
            return all(self.keeps(each) for each in unique)
        satisfied = sum(int(n) for each, n in zip(unique, counts, strict=True) if self.keeps(each))
        return bool(satisfied >= self.least * counts.sum())


def dictionary(values: Sequence[str]) -> Share:
    """Allow only past values, as TFDV and Deequ's categorical range do."""
    return Share(frozenset(values).__contains__)


def fractional(values: Sequence[str]) -> Share:
    """Require past values for nine in ten, as Deequ's fractional categorical range does."""
    return Share(frozenset(values).__contains__, 0.9)


def mask(value: str) -> str:
    """Replace each run of digits and each run of letters with one character."""
    return _DIGITS.sub("0", _LETTERS.sub("a", value))


def masks(values: Sequence[str]) -> Share:
    """Allow only past masks."""
    past_masks = frozenset(map(mask, values))
    return Share(lambda value: mask(value) in past_masks)


def lengths(values: Sequence[str]) -> Share:
    """Allow only lengths within the past range."""
    shortest, longest = min(map(len, values)), max(map(len, values))
    return Share(lambda value: shortest <= len(value) <= longest)


def shortest_description(values: Sequence[str]) -> Share | None:
    """Infer a pattern by least description (Potter's Wheel).

    Per structure, a word that is always the same is literal; other words become their class, with a length if
    constant."""
    structures = structures_of(list(dict.fromkeys(values)))
    if structures is None:
        return None
    alternatives = [_described(each.structure, each.words) for each in structures]
    return Share(matcher(Pattern(tuple(alternatives))))


def _described(structure: str, words: Sequence[Sequence[str]]) -> tuple[Any, ...]:
    left = iter(words)
    return tuple(_part(next(left)) if mark == WORD else LiteralToken(mark) for mark in structure)


def _part(words: Sequence[str]) -> Any:
    if len(set(words)) == 1:
        return LiteralToken(words[0])
    widths = {len(word) for word in words}
    return CharacterToken(
        (narrowest(words),), Repetition(*2 * (widths.pop(),)) if len(widths) == 1 else Repetition(1, None)
    )


def fixed_patterns(values: Sequence[str]) -> Share | None:
    """Require a predefined domain (Grok) if all values belong to one; else None."""
    domain = domain_of(values)
    return Share(domain.holds) if domain and all(map(domain.holds, values)) else None


@dataclass(frozen=True)
class Tested:
    """A lake pattern evaluated by Fisher's exact test alone."""

    pattern: Pattern
    values: Sequence[str]

    def check_unique(self, unique: Sequence[str], counts: Array) -> bool:
        """Return True unless an issue is reported."""
        match = matcher(self.pattern)
        trained = nonconforming(match, Counter(self.values))
        bad = sum(int(n) for each, n in zip(unique, counts, strict=True) if not match(each))
        least = critical(trained, int(counts.sum()))
        return least is None or bad < least


def variant(sums: PatternSums, limits: PatternLimits) -> Callable[[Sequence[str]], Tested | None]:
    """Return a variant of FMDV as a method."""

    def infer(values: Sequence[str]) -> Tested | None:
        inferred = infer_domain(values, sums, limits)
        return Tested(inferred.pattern, values) if isinstance(inferred, InferredPattern) else None

    return infer


BASELINES: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "dictionary (TFDV, Deequ-Cat)": dictionary,
    "dictionary, 9 in 10 (Deequ-Fra)": fractional,
    "masks": masks,
    "least description (Potter's Wheel)": shortest_description,
    "lengths": lengths,
    "fixed patterns (Grok)": fixed_patterns,
}
