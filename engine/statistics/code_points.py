"""Texts one after the other as code points: what characters they have and what they look like, told of all at once."""

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
# No text has it (a lone one in a text is replaced): it parts them while they are told of together.
END = 0x10FFFF


@dataclass(frozen=True, eq=False)
class TerminatedCodePoints:
    """Texts one after the other as code points, each followed by `END`, which stands at `ends`."""

    codes: Array
    ends: Array

    @staticmethod
    def of(texts: list[str]) -> "TerminatedCodePoints":
        """These texts."""
        joined = chr(END).join([*texts, ""])
        codes = numpy.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        ends = numpy.flatnonzero(codes == END)
        if len(ends) != len(texts):
            return TerminatedCodePoints.of([text.replace(chr(END), "\ufffd") for text in texts])
        return TerminatedCodePoints(codes, ends)

    @cached_property
    def starts(self) -> Array:
        """Where each text begins."""
        return numpy.concatenate([[0], self.ends[:-1] + 1]) if len(self.ends) else self.ends

    @cached_property
    def lengths(self) -> Array:
        """How many characters each text has."""
        return self.ends - self.starts

    @cached_property
    def places(self) -> Array:
        """The place of each character in its text, from 0."""
        places: Array = numpy.arange(len(self.codes)) - numpy.repeat(self.starts, self.lengths + 1)
        return places

    @cached_property
    def kinds(self) -> Array:
        """The classes of each character, as bits."""
        kinds: Array = _of_ascii()[numpy.minimum(self.codes, ASCII)]
        beyond = numpy.flatnonzero((self.codes >= ASCII) & (self.codes != END))
        if len(beyond):
            found, where = numpy.unique(self.codes[beyond], return_inverse=True)
            kinds[beyond] = numpy.array([kind(chr(code)) for code in found], dtype=numpy.uint8)[where]
        return kinds

    @property
    def padded(self) -> Array:
        """Whether each text begins or ends with a blank."""
        blank = (self.kinds & BLANK) > 0
        padded: Array = (blank[self.starts] | blank[numpy.maximum(self.ends - 1, 0)]) & (self.lengths > 0)
        return padded

    def counted(self, times: Array) -> dict[str, float]:
        """How many characters of each class there are, each text being there so many times."""
        sums = numpy.bincount(self.kinds, numpy.repeat(times, self.lengths + 1), 2 * BLANK)
        bits = numpy.arange(len(sums))
        return {name: float(sums[(bits & bit) > 0].sum()) for name, bit in CLASSES.items()}

    @cached_property
    def masks(self) -> "TerminatedCodePoints":
        """What each text looks like, as `treaty.engine.components.text_masks` has Spark tell it."""
        masked = numpy.where((self.codes < ASCII) | (self.codes == END), self.codes, ord("x")).astype("<u4")
        for bit, sign in SIGNS:
            masked[(self.kinds & bit) > 0] = ord(sign)
        return TerminatedCodePoints(masked, self.ends)._only((self.places < LONGEST) | (masked == END))

    @cached_property
    def shapes(self) -> "TerminatedCodePoints":
        """Masks of which every letter and digit that follows its like is left out: 'Aaa 00' is 'Aa 0'."""
        again = numpy.zeros(len(self.codes), dtype=bool)
        again[1:] = (self.codes[1:] == self.codes[:-1]) & (self.kinds[1:] > 0) & (self.kinds[1:] < PUNCTUATION)
        return self._only(~again)

    def _only(self, kept: Array) -> "TerminatedCodePoints":
        codes = self.codes[kept]
        return TerminatedCodePoints(codes, numpy.flatnonzero(codes == END))

    @cached_property
    def hashes(self) -> Array:
        """A number of 64 bits for each text, the same wherever it occurs: texts that differ have different ones.

        By multilinear hashing (Lemire and Kaser 2014): two of a hundred thousand texts share one with a probability of
        about 1e-9."""
        if not len(self.ends):
            return numpy.zeros(0, dtype=numpy.uint64)
        factors = _factors(int(self.lengths.max()).bit_length() + 1)
        terms = (self.codes.astype(numpy.uint64) + numpy.uint64(1)) * factors[self.places]
        found: Array = numpy.add.reduceat(terms, self.starts)
        return found


def kind(character: str) -> int:
    """The classes that a character is of, as bits of `CLASSES`, by Unicode's general categories."""
    major = category(character)
    found = {"Lu": LETTER | UPPER, "Ll": LETTER | LOWER, "Nd": DIGIT}.get(major, 0)
    return found or {"L": LETTER, "P": PUNCTUATION, "S": PUNCTUATION}.get(major[0], BLANK * (character in BLANKS))


@lru_cache(maxsize=1)
def _of_ascii() -> Array:
    return numpy.array([*(kind(chr(code)) for code in range(ASCII)), 0], dtype=numpy.uint8)


@lru_cache(maxsize=4)
def _factors(bits: int) -> Array:
    """Random factors for texts of fewer than 2^bits characters; shorter texts have the first of the same ones."""
    return numpy.random.default_rng(0).integers(0, 1 << 64, 1 << bits, dtype=numpy.uint64)
