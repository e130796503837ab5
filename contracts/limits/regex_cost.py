"""Bound the work of a backtracking engine that matches a regular expression, from its structure.

The bound counts comparisons of one character, or of an empty match, over all ways to divide a text of MAX_SUBJECT
characters between the pieces of the expression. Pieces are separated if what follows cannot begin with a character of
the piece before: then a text has only one division. Empty matches count as well: they can be repeated without end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log

# Longer values are not matched at all: no static analysis of a pattern bounds its time on arbitrary values.
MAX_SUBJECT = 1024
# Larger counts are all the same: too many. Products of three of them are still numbers.
TOO_MANY = 1e90
HEAD = 16


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A section of an expression, on its worst text.

    `matches`, `starts`: characters that it can match and begin with. `head`: the characters at its first places, as far
    as these are fixed. `needs`: sets of which each match contains a character. `required`: it matches at least one
    character. `least`, `most`: length of a match. `ways`: in how many ways it matches at one position. `exact`: in how
    many of them it matches the same text. `width`: in how many ways it can begin to match the same text. `cost`:
    comparisons at one position. `entry`: comparisons before its first character; `exit`: comparisons between two
    characters, or after the last."""

    matches: frozenset[int] = frozenset()
    starts: frozenset[int] = frozenset()
    head: tuple[frozenset[int], ...] = ()
    needs: frozenset[frozenset[int]] = frozenset()
    required: bool = False
    least: float = 0
    most: float = 0
    ways: float = 1
    exact: float = 1
    width: float = 1
    cost: float = 0
    entry: float = 0
    exit: float = 0
    # Atoms with all repetitions written out, and the largest product of nested repetitions.
    size: float = 1
    times: float = 1
    # Nothing after its first part matches a character of that part, so that repetitions cannot be confused.
    separated: bool = False


ANCHOR = Piece(cost=1, entry=1)


def atom(matches: frozenset[int]) -> Piece:
    """Return a piece that matches one of the characters."""
    return Piece(
        matches=matches, starts=matches, head=(matches,), needs=frozenset({matches}), required=True,
        least=1, most=1, cost=1, entry=1,
    )  # fmt: skip


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*sets)


def _bounded(piece: Piece) -> Piece:
    """Return the piece with the smaller of two bounds: all its ways add up, or each way reads the text once."""
    once = (min(piece.most, MAX_SUBJECT) + 1) * piece.width * (1 + max(piece.entry, piece.exit))
    return _capped(replace(piece, cost=min(piece.cost, once)))


def _capped(piece: Piece) -> Piece:
    names = ("size", "times", "least", "most", "ways", "exact", "width", "cost", "entry", "exit")
    return replace(piece, **{name: min(getattr(piece, name), TOO_MANY) for name in names})


def sequence(pieces: Sequence[Piece]) -> Piece:
    """Return pieces that follow each other."""
    if not pieces:
        return ANCHOR
    whole = Piece()
    for piece in reversed(pieces):
        whole = _capped(_followed(piece, whole))
    return replace(_bounded(whole), separated=_separated(*pieces))


def _separated(first: Piece, *others: Piece) -> bool:
    rest = _union(each.matches for each in others)
    return first.required and first.ways == 1 and not first.matches & rest


def _followed(piece: Piece, rest: Piece) -> Piece:
    """Return a piece with the rest of its sequence."""
    divided = not piece.matches & rest.starts
    paths = piece.exact if divided else piece.ways
    # If the rest has one length, the end of a text tells where it begins; if it is short, few places are possible.
    fixed = piece.exact if rest.least == rest.most else paths
    near = min(paths, piece.exact * max(rest.most, 1))
    return Piece(
        size=piece.size + rest.size,
        times=max(piece.times, rest.times),
        matches=piece.matches | rest.matches,
        starts=piece.starts if piece.required else piece.starts | rest.starts,
        head=(*piece.head, *rest.head)[:HEAD] if piece.least == piece.most == len(piece.head) else piece.head,
        needs=piece.needs | rest.needs,
        required=piece.required or rest.required,
        least=piece.least + rest.least,
        most=piece.most + rest.most,
        ways=(piece.exact if divided and rest.required else piece.ways) * rest.ways,
        exact=fixed * rest.exact,
        width=max(piece.width, near * rest.width) if divided else piece.width + near * rest.width,
        # Every end of the piece is tried with the first characters of the rest, and some with all of it.
        cost=piece.cost + piece.ways * rest.entry + paths * rest.cost,
        entry=piece.entry if piece.required else piece.entry + rest.entry,
        exit=max(piece.exit + rest.entry + (0 if rest.required else rest.exit), rest.exit),
    )


def alternatives(branches: Sequence[Piece]) -> Piece:
    """Return the choice between branches."""
    if len(branches) == 1:
        return branches[0]
    starts = _union(each.starts for each in branches)
    distinct = all(each.required for each in branches) and len(starts) == sum(len(each.starts) for each in branches)
    total = max if distinct else sum
    entry = sum(each.entry for each in branches)
    piece = Piece(
        size=sum(each.size for each in branches),
        times=max(each.times for each in branches),
        matches=_union(each.matches for each in branches),
        starts=starts,
        required=all(each.required for each in branches),
        least=min(each.least for each in branches),
        most=max(each.most for each in branches),
        ways=total(each.ways for each in branches),
        exact=max(sum(other.exact for other in branches if _coincide(each, other)) for each in branches),
        width=total(each.width for each in branches),
        cost=entry + total(each.cost for each in branches),
        entry=entry,
        exit=max(each.exit for each in branches),
    )
    return _bounded(piece)


def _coincide(one: Piece, other: Piece) -> bool:
    """Return whether two branches may match the same text."""
    if one.least > other.most or other.least > one.most:
        return False
    if any(not each & other.matches for each in one.needs) or any(not each & one.matches for each in other.needs):
        return False
    return all(mine & theirs for mine, theirs in zip(one.head, other.head, strict=False))


def repetition(piece: Piece, least: int, most: float) -> Piece:
    """Return the repeated piece. `most`: may be infinite."""
    if most == 0:
        return ANCHOR
    times, copies = min(most, MAX_SUBJECT), max(least, 1) if most == float("inf") else most
    whole = _optional(piece) if times == 1 else _repeated(piece, least, times)
    head = () if least == 0 else piece.head if piece.least != piece.most else (piece.head * least)[:HEAD]
    return _bounded(
        replace(
            whole,
            head=head,
            needs=piece.needs if least else frozenset(),
            required=piece.required and least > 0,
            least=least * piece.least,
            most=times * piece.most,
            size=copies * piece.size,
            times=copies * piece.times,
            separated=piece.separated and least == most == 1,
        )
    )


def _optional(piece: Piece) -> Piece:
    return replace(piece, ways=piece.ways + 1, exact=piece.exact + (not piece.required))


def _repeated(piece: Piece, least: int, times: float) -> Piece:
    # In how many ways one repetition ends where the next one begins.
    divisions = piece.exact if piece.separated else piece.ways
    power = _power(divisions, times - 1)
    empty = 1 if piece.required else times
    return Piece(
        matches=piece.matches,
        starts=piece.starts,
        ways=(times - least + 1) * power * piece.ways,
        exact=1 if divisions == 1 else (times - least + 1) * power * piece.ways,
        width=piece.width if divisions == 1 else times * power * piece.width,
        cost=times * power * (piece.cost + piece.ways * piece.entry),
        entry=piece.entry * empty,
        exit=piece.exit + piece.entry * empty,
    )


def _power(base: float, exponent: float) -> float:
    return exp(min(exponent * log(base), log(TOO_MANY))) if base > 1 else 1
