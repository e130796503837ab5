"""Analyze many texts at once as one array of code points: character classes, masks and hashes."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from unicodedata import category

import numpy
from numpy.typing import NDArray

from treaty.engine.components.text_masks import LONGEST

Array = NDArray[Any]

LETTER, UPPER, LOWER, DIGIT, PUNCTUATION, BLANK = 1, 2, 4, 8, 16, 32
CLASSES = {"letters": LETTER, "upper": UPPER, "digits": DIGIT, "punctuation": PUNCTUATION, "blanks": BLANK}
SIGNS = ((UPPER, "A"), (LOWER, "a"), (DIGIT, "0"))
BLANKS = " \t\r\n\f\x0b"
ASCII = 128
# Separates texts; no text contains it, because a lone one in a text is replaced.
END = 0x10FFFF


@dataclass(frozen=True, eq=False)
class TerminatedCodePoints:
    """Concatenated texts as code points, each followed by `END`, at the positions `ends`."""

    codes: Array
    ends: Array

    @staticmethod
    def of(texts: list[str]) -> "TerminatedCodePoints":
        """Encode these texts."""
        joined = chr(END).join([*texts, ""])
        codes = numpy.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        ends = numpy.flatnonzero(codes == END)
        if len(ends) != len(texts):
            return TerminatedCodePoints.of([text.replace(chr(END), "\ufffd") for text in texts])
        return TerminatedCodePoints(codes, ends)

    @cached_property
    def starts(self) -> Array:
        """Return the position of each text's first character."""
        return numpy.concatenate([[0], self.ends[:-1] + 1]) if len(self.ends) else self.ends

    @cached_property
    def lengths(self) -> Array:
        """Return the number of characters of each text."""
        return self.ends - self.starts

    @cached_property
    def places(self) -> Array:
        """Return the position of each character in its text, from 0."""
        places: Array = numpy.arange(len(self.codes)) - numpy.repeat(self.starts, self.lengths + 1)
        return places

    @cached_property
    def kinds(self) -> Array:
        """Return the classes of each character, as bits."""
        kinds: Array = _of_ascii()[numpy.minimum(self.codes, ASCII)]
        beyond = numpy.flatnonzero((self.codes >= ASCII) & (self.codes != END))
        if len(beyond):
            distinct, positions = numpy.unique(self.codes[beyond], return_inverse=True)
            kinds[beyond] = numpy.array([kind(chr(code)) for code in distinct], dtype=numpy.uint8)[positions]
        return kinds

    @property
    def padded(self) -> Array:
        """Return for each text whether it begins or ends with a blank."""
        blank = (self.kinds & BLANK) > 0
        padded: Array = (blank[self.starts] | blank[numpy.maximum(self.ends - 1, 0)]) & (self.lengths > 0)
        return padded

    def counted(self, times: Array) -> dict[str, float]:
        """Count the characters of each class. `times`: number of occurrences of each text."""
        sums = numpy.bincount(self.kinds, numpy.repeat(times, self.lengths + 1), 2 * BLANK)
        bits = numpy.arange(len(sums))
        return {name: float(sums[(bits & bit) > 0].sum()) for name, bit in CLASSES.items()}

    @cached_property
    def masks(self) -> "TerminatedCodePoints":
        """Return the mask of each text, as `treaty.engine.components.text_masks` has Spark compute it."""
        masked = numpy.where((self.codes < ASCII) | (self.codes == END), self.codes, ord("x")).astype("<u4")
        for bit, sign in SIGNS:
            masked[(self.kinds & bit) > 0] = ord(sign)
        return TerminatedCodePoints(masked, self.ends)._only((self.places < LONGEST) | (masked == END))

    @cached_property
    def shapes(self) -> "TerminatedCodePoints":
        """Return the masks with repeated letters and digits collapsed: `Aaa 00` becomes `Aa 0`."""
        repeated = numpy.zeros(len(self.codes), dtype=bool)
        repeated[1:] = (self.codes[1:] == self.codes[:-1]) & (self.kinds[1:] > 0) & (self.kinds[1:] < PUNCTUATION)
        return self._only(~repeated)

    def _only(self, selection: Array) -> "TerminatedCodePoints":
        codes = self.codes[selection]
        return TerminatedCodePoints(codes, numpy.flatnonzero(codes == END))

    @cached_property
    def hashes(self) -> Array:
        """Return a 64-bit hash of each text, equal for equal texts.

        By multilinear hashing (Lemire and Kaser 2014): two of a hundred thousand texts share one with a probability
        of about 1e-9."""
        if not len(self.ends):
            return numpy.zeros(0, dtype=numpy.uint64)
        factors = _factors(int(self.lengths.max()).bit_length() + 1)
        terms = (self.codes.astype(numpy.uint64) + numpy.uint64(1)) * factors[self.places]
        sums: Array = numpy.add.reduceat(terms, self.starts)
        return sums


def kind(character: str) -> int:
    """Return the classes of a character, as bits of `CLASSES`, by Unicode's general categories."""
    major = category(character)
    bits = {"Lu": LETTER | UPPER, "Ll": LETTER | LOWER, "Nd": DIGIT}.get(major, 0)
    return bits or {"L": LETTER, "P": PUNCTUATION, "S": PUNCTUATION}.get(major[0], BLANK * (character in BLANKS))


@lru_cache(maxsize=1)
def _of_ascii() -> Array:
    return numpy.array([*(kind(chr(code)) for code in range(ASCII)), 0], dtype=numpy.uint8)


@lru_cache(maxsize=4)
def _factors(bits: int) -> Array:
    """Return random factors for texts of fewer than 2^bits characters; shorter texts use the first of them."""
    return numpy.random.default_rng(0).integers(0, 1 << 64, 1 << bits, dtype=numpy.uint64)
