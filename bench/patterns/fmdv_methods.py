"""What patterns of the lake are held against: dictionaries, masks, lengths, fixed patterns, the paper's variants."""

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
    """Passes where at least this share of the values keeps a condition."""

    keeps: Callable[[str], object]
    least: float = 1.0

    def check_unique(self, unique: Sequence[str], counts: Array) -> bool:
        """True where no issue is reported."""
        if self.least == 1:
            return all(self.keeps(each) for each in unique)
        kept = sum(int(n) for each, n in zip(unique, counts, strict=True) if self.keeps(each))
        return bool(kept >= self.least * counts.sum())


def dictionary(values: Sequence[str]) -> Share:
    """TFDV and Deequ's categorical range: the values seen and no others."""
    return Share(frozenset(values).__contains__)


def fractional(values: Sequence[str]) -> Share:
    """Deequ's fractional categorical range: nine in ten of the values were seen."""
    return Share(frozenset(values).__contains__, 0.9)


def mask(value: str) -> str:
    """A value with one sign for a run of digits, one for a run of letters."""
    return _DIGITS.sub("0", _LETTERS.sub("a", value))


def masks(values: Sequence[str]) -> Share:
    """The masks seen."""
    seen = frozenset(map(mask, values))
    return Share(lambda value: mask(value) in seen)


def lengths(values: Sequence[str]) -> Share:
    """As short and as long as seen."""
    shortest, longest = min(map(len, values)), max(map(len, values))
    return Share(lambda value: shortest <= len(value) <= longest)


def shortest_description(values: Sequence[str]) -> Share | None:
    """Potter's Wheel by least description: of each structure each word as it is where it is always the same, else of
    its class, as long as all are where they are equally long."""
    found = structures_of(list(dict.fromkeys(values)))
    if found is None:
        return None
    alternatives = [_described(each.structure, each.words) for each in found]
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
    """Grok: all values are of a domain that is known beforehand; nothing where they are of none."""
    found = domain_of(values)
    return Share(found.holds) if found and all(map(found.holds, values)) else None


@dataclass(frozen=True)
class Tested:
    """A pattern of the lake, judged by Fisher's exact test alone."""

    pattern: Pattern
    values: Sequence[str]

    def check_unique(self, unique: Sequence[str], counts: Array) -> bool:
        """True where no issue is reported."""
        match = matcher(self.pattern)
        trained = nonconforming(match, Counter(self.values))
        bad = sum(int(n) for each, n in zip(unique, counts, strict=True) if not match(each))
        least = critical(trained, int(counts.sum()))
        return least is None or bad < least


def variant(sums: PatternSums, limits: PatternLimits) -> Callable[[Sequence[str]], Tested | None]:
    """A variant of FMDV as a method."""

    def infer(values: Sequence[str]) -> Tested | None:
        found = infer_domain(values, sums, limits)
        return Tested(found.pattern, values) if isinstance(found, InferredPattern) else None

    return infer


BASELINES: Mapping[str, Callable[[Sequence[str]], Any]] = {
    "dictionary (TFDV, Deequ-Cat)": dictionary,
    "dictionary, 9 in 10 (Deequ-Fra)": fractional,
    "masks": masks,
    "least description (Potter's Wheel)": shortest_description,
    "lengths": lengths,
    "fixed patterns (Grok)": fixed_patterns,
}
