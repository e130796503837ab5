"""What is kept of a column in one partition, from which every statistic is told: of values in memory, or of states.

Both give the same: numbers are a step function with their moments, texts are tallies of the values and of their masks
with the characters counted. So a statistic is declared once, whatever a partition is known by."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any
from unicodedata import category

import numpy
from numpy.typing import NDArray

from engine.analyzers.masks import LONGEST
from engine.analyzers.moments import Three
from engine.avh.issues import Column
from engine.avh.shares import Paired, Shares
from engine.avh.steps import Curves, Steps

Array = NDArray[Any]

LETTER, UPPER, LOWER, DIGIT, PUNCTUATION, BLANK = 1, 2, 4, 8, 16, 32
CLASSES = {"letters": LETTER, "upper": UPPER, "digits": DIGIT, "punctuation": PUNCTUATION, "blanks": BLANK}
BLANKS = " \t\r\n\f\x0b"
ASCII = 128
# No text of the tallies has it (a lone one in a text is replaced): it parts them while they are masked together.
END = 0x10FFFF


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a partition: all `rows`, the moments of those that are there, and how many distinct there are.

    `curve` None: there are none. `distinct` None where no state tells it."""

    rows: int
    moments: Three
    curve: Steps | None
    distinct: float | None

    is_text = False

    @property
    def present(self) -> int:
        """How many rows have a value."""
        return self.moments[0]

    @cached_property
    def deviation(self) -> float:
        """The population standard deviation; 0 where there are no numbers, NaN where one is infinite."""
        return float(numpy.sqrt(self.moments[2] / self.present)) if self.present else 0.0

    def curves(self, other: "Numbers") -> Curves | None:
        """This partition's numbers beside the other's; None where one has none."""
        return Curves(self.curve, other.curve) if self.curve and other.curve else None


@dataclass(frozen=True, eq=False)
class Tally:
    """How often values occur at least; `error`: how much more often, those that are not listed too."""

    counts: Mapping[str, int]
    rows: int
    error: int = 0

    @cached_property
    def listed(self) -> tuple[dict[str, int], Array]:
        """Where each value stands among the counts, and the counts."""
        places = {value: at for at, value in enumerate(self.counts)}
        return places, numpy.fromiter(self.counts.values(), dtype=float, count=len(places))

    def paired(self, other: "Tally") -> Paired | None:
        """Both side by side: a value that one does not list has none there. None where one has no rows."""
        if not (self.rows and other.rows):
            return None
        places, theirs = other.listed
        mine = self.listed[1]
        at = numpy.fromiter((places.get(value, -1) for value in self.counts), dtype=numpy.int64, count=len(mine))
        new = at < 0
        ours = numpy.zeros(len(theirs) + int(new.sum()))
        ours[at[~new]] = mine[~new]
        ours[len(theirs) :] = mine[new]
        theirs = numpy.concatenate([theirs, numpy.zeros(int(new.sum()))])
        return Paired(self._shares(ours), other._shares(theirs), self.rows, other.rows)

    def _shares(self, counts: Array) -> Shares:
        if self.error or counts.sum() < self.rows:
            return Shares.at_least(counts, self.rows, self.error)
        at = counts / self.rows
        return Shares(at, at, at)


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a partition: all `rows`, those `present`, `distinct` ones, and the tallies of values and masks.

    `characters`: how many there are of each class of `CLASSES`, and `length`: of all; `shortest` and `longest` text;
    `padded` texts begin or end with a blank. None where no state tells it."""

    rows: int
    present: int
    distinct: float | None
    length: float | None = None
    shortest: float | None = None
    longest: float | None = None
    padded: float | None = None
    characters: Mapping[str, float] | None = None
    values: Tally | None = None
    masks: Tally | None = None

    is_text = True


Summary = Numbers | Texts


def summary(given: Column) -> Summary:
    """The summary of values in memory, exact."""
    return _of_texts(given.values) if given.is_text else _of_numbers(given.values)


def _of_numbers(values: Array) -> Numbers:
    ordered = numpy.sort(values)  # NaN come last
    present = int(numpy.searchsorted(ordered, numpy.nan)) if len(ordered) else 0
    ordered = ordered[:present]
    if not present:
        return Numbers(len(values), (0, 0.0, 0.0), None, 0)
    last = numpy.flatnonzero(numpy.append(ordered[1:] != ordered[:-1], True))
    at = ordered[last]
    curve = Steps(at, (last + 1) / present, 0.0, 0.0, float(at[0]), float(at[-1]), present)
    with numpy.errstate(over="ignore", invalid="ignore"):
        mean = float(ordered.mean()) if len(at) > 1 else float(at[0])
        squares = float(numpy.square(ordered - mean).sum())
    return Numbers(len(values), (present, mean, squares), curve, len(at))


def _of_texts(values: Array) -> Texts:
    counts = Counter(values.tolist())
    counts.pop(None, 0)
    present = sum(counts.values())
    if not present:
        return Texts(len(values), 0, 0, masks=Tally({}, 0), values=Tally({}, 0))
    spelled = _Spelled.of(list(counts))
    weights = numpy.fromiter(counts.values(), dtype=numpy.int64, count=len(counts))
    return Texts(
        len(values), present, len(counts),
        length=float(spelled.lengths @ weights), shortest=float(spelled.lengths.min()),
        longest=float(spelled.lengths.max()), padded=float(spelled.padded @ weights),
        characters={name: float(spelled.counted(bit) @ weights) for name, bit in CLASSES.items()},
        values=Tally(counts, present), masks=Tally(_summed(spelled.masks(), weights), present),
    )  # fmt: skip


def _summed(masks: list[str], weights: Array) -> Counter[str]:
    found: Counter[str] = Counter()
    for mask, weight in zip(masks, weights.tolist(), strict=True):
        found[mask] += weight
    return found


@dataclass(frozen=True, eq=False)
class _Spelled:
    """Texts one after the other as code points, each followed by `END`."""

    codes: Array
    ends: Array

    @staticmethod
    def of(texts: list[str]) -> "_Spelled":
        joined = chr(END).join(texts) + chr(END)
        codes = numpy.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        ends = numpy.flatnonzero(codes == END)
        if len(ends) != len(texts):
            return _Spelled.of([text.replace(chr(END), "\ufffd") for text in texts])
        return _Spelled(codes, ends)

    @cached_property
    def starts(self) -> Array:
        return numpy.concatenate([[0], self.ends[:-1] + 1])

    @cached_property
    def lengths(self) -> Array:
        return self.ends - self.starts

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

    def counted(self, bit: int) -> Array:
        """How many characters of the class each text has."""
        upto = numpy.concatenate([[0], numpy.cumsum((self.kinds & bit) > 0)])
        found: Array = upto[self.ends] - upto[self.starts]
        return found

    def masks(self) -> list[str]:
        """What each text looks like, as `engine.analyzers.masks` has Spark tell it."""
        masked = numpy.where(self.codes < ASCII, self.codes, ord("x")).astype("<u4")
        for bit, sign in ((UPPER, "A"), (LOWER, "a"), (DIGIT, "0")):
            masked[(self.kinds & bit) > 0] = ord(sign)
        whole = masked.tobytes().decode("utf-32-le")
        pairs = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [whole[start : min(end, start + LONGEST)] for start, end in pairs]


def kind(character: str) -> int:
    """The classes that a character is of, as bits of `CLASSES`, by Unicode's general categories."""
    major = category(character)
    found = {"Lu": LETTER | UPPER, "Ll": LETTER | LOWER, "Nd": DIGIT}.get(major, 0)
    return found or {"L": LETTER, "P": PUNCTUATION, "S": PUNCTUATION}.get(major[0], BLANK * (character in BLANKS))


@lru_cache(maxsize=1)
def _of_ascii() -> Array:
    return numpy.array([*(kind(chr(code)) for code in range(ASCII)), 0], dtype=numpy.uint8)
