"""Random predicates on random rows, judged by Spark itself: what the author's text gives or that it raises an error.

Spark evaluates a sum of a date and an interval as a whole and gives null where anything in it raises an error; so one
job tells for many texts and rows which of them would end a scan."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

from treaty.contracts.predicates.parser import Predicate, PredicateError, parse
from treaty.contracts.schema import Column, Schema

KINDS = {
    "t": "tinyint", "i": "int", "l": "bigint", "f": "float", "d": "double", "m": "decimal(10,2)", "w": "decimal(38,10)",
    "s": "string", "u": "string", "b": "boolean", "p": "date", "q": "timestamp", "n": "timestamp_ntz",
    "a": "array<int>", "k": "map<string,int>", "r": "struct<x:int,y:string>",
}  # fmt: skip
SCHEMA = Schema(tuple(Column(name, kind) for name, kind in KINDS.items()))
INF, NAN = float("inf"), float("nan")
DAYS = [date(1, 1, 1), date(1582, 10, 10), date(2024, 2, 29), date(2026, 1, 1), date(9999, 12, 31)]
MOMENTS = [datetime(1, 1, 1), datetime(2024, 2, 29, 23, 59, 59, 999999), datetime(2026, 1, 1), datetime(9999, 12, 31)]
VALUES: dict[str, list[Any]] = {
    "t": [-128, 127, 0, 1, 5],
    "i": [-(2**31), 2**31 - 1, 0, 1, -1, 2, 7],
    "l": [-(2**63), 2**63 - 1, 0, 1, -1, 3, 2**31],
    "f": [NAN, INF, 0.0, 1.5, -2.0],
    "d": [NAN, INF, -INF, 1e308, -1e308, 0.0, -0.0, 1.5, 2.0],
    "m": [Decimal("99999999.99"), Decimal("-99999999.99"), Decimal("0.00"), Decimal("1.50")],
    "w": [Decimal("9" * 28 + ".9999999999"), Decimal("-" + "9" * 28 + ".9999999999"), Decimal(0), Decimal("2.5")],
    "s": ["", "x", "1", "2", " 3 ", "1.5", "-7", "9" * 20, "2026-01-01", "2026-02-30", "true", "é😀", "NaN"],
    "u": ["1", "0", "42", "-1", "2026-01-01", "2024-02-29 10:00:00", "yes", "abc"],
    "b": [True, False],
    "p": DAYS,
    "q": [each.replace(tzinfo=UTC) for each in MOMENTS],
    "n": MOMENTS,
    "a": [[], [1], [1, None, 3], [2**31 - 1]],
    "k": [{}, {"x": 1}, {"1": 2, "y": None}],
    "r": [(1, "1"), (0, "x"), (None, None)],
}  # fmt: skip


def random_rows(random: Random, count: int) -> list[tuple[Any, ...]]:
    """Rows of the schema; one value in eight is null."""
    return [
        tuple(None if random.random() < 0.125 else random.choice(VALUES[name]) for name in KINDS) for _ in range(count)
    ]


@dataclass(frozen=True)
class Tree:
    """A template and what stands in its places; `turns`: the places may be exchanged without another meaning."""

    template: str
    parts: tuple["Tree", ...] = ()
    turns: bool = False

    def text(self, random: Random | None = None) -> str:
        """The text; with `random` everything that may be exchanged is."""
        parts = [each.text(random) for each in self.parts]
        if random and self.turns:
            random.shuffle(parts)
        return self.template.format(*parts)


def _leaf(text: str) -> Tree:
    return Tree(text.replace("{", "{{").replace("}", "}}"))


LEAVES = {
    "number": ["t", "i", "l", "f", "d", "m", "w", "i", "l", "0", "1", "2", "-1", "7", "1.5", "2.50", "1e3", "10L",
               "a[0]", "r.x", "k['x']", "get(a, 1)", "element_at(a, 1)", "element_at(a, t)"],
    "text": ["s", "u", "s", "u", "r.y", "'1'", "'x'", "'2026-01-01'", "''", "'1.5'"],
    "day": ["p", "p", "DATE '2026-01-01'", "to_date(s)", "cast(u AS DATE)"],
    "stamp": ["q", "n", "TIMESTAMP '2026-01-01 00:00:00'", "to_timestamp(u)", "cast(s AS TIMESTAMP)"],
    "truth": ["b", "b", "true", "false", "b", "CAST(s AS BOOLEAN)"],
}  # fmt: skip
NUMBERS = [
    "({n} + {n})", "({n} - {n})", "({n} * {n})", "({n} / {n})", "({n} % {n})", "(- {n})", "abs({n})", "mod({n}, {n})",
    "round({n}, 1)", "floor({n})", "ceil({n})", "sqrt({n})", "pow({n}, 2)", "sign({n})", "ln({n})", "length({x})",
    "CAST({x} AS INT)", "CAST({n} AS INT)", "CAST({n} AS TINYINT)", "CAST({x} AS BIGINT)", "CAST({x} AS DOUBLE)",
    "CAST({x} AS DECIMAL(5, 2))", "TRY_CAST({x} AS INT)", "coalesce({n}, {n})", "if({b}, {n}, {n})", "nullif({n}, {n})",
    "year({d})", "month({t})", "datediff({d}, {d})", "hour({t})", "months_between({d}, {t})", "instr({x}, {x})",
    "try_add({n}, {n})", "try_divide({n}, {n})", "greatest({n}, {n})", "least({n}, {n}, {n})", "nvl2({x}, {n}, {n})",
    "(CASE WHEN {b} THEN {n} WHEN {b} THEN {n} END)", "(CASE {n} WHEN {n} THEN {n} ELSE {n} END)", "size(a)",
    "element_at(a, t)", "a[t]", "locate({x}, {x}, {n})", "({x} + {n})", "({n} - {x})", "abs({x})", "(- {x})",
    "zeroifnull({n})", "try_element_at(a, t)", "nanvl({n}, {n})", "pmod({n}, {n})", "({i} div {i})", "({i} & {i})",
    "({i} | {i})", "~{i}", "shiftleft({i}, {i})", "bit_count({i})", "regexp_count({x}, '[0-9]')", "hash({x}, {n})",
    "levenshtein({x}, {x})", "crc32({x})", "size(split({x}, '-'))", "array_position(a, t)", "round({i}, -1)",
    "timestampdiff(HOUR, {t}, {t})", "extract(DAY FROM {d})", "unix_timestamp({t})", "date_part('DOY', {d})",
    "find_in_set({x}, {x})", "decode({n}, {n}, {n}, {n})", "negative({n})", "atan2({n}, {n})", "int({x})",
    "array_max(transform(a, z -> z * {i}))", "size(filter(a, z -> z > {n}))", "array_min(array({n}, {n}))",
]  # fmt: skip
TEXTS = [
    "upper({x})", "trim({x})", "concat({x}, {x})", "({x} || {n})", "substring({x}, {n})", "substring({x}, 1, {n})",
    "left({x}, {n})", "coalesce({x}, {x})", "if({b}, {x}, {x})", "concat_ws('-', {x}, {x})", "CAST({n} AS STRING)",
    "nullif({x}, {x})", "translate({x}, {x}, {x})", "reverse({x})", "CAST({d} AS STRING)", "initcap({x})",
    "greatest({x}, {x})", "(CASE WHEN {b} THEN {x} ELSE {x} END)", "replace({x}, '1', '22')", "lpad({x}, 5, '0')",
    "regexp_replace({x}, '([0-9])', '<$1>')", "regexp_extract({x}, '([0-9]+)')", "split_part({x}, '-', 2)", "hex({x})",
    "substring_index({x}, '-', 1)", "md5({x})", "sha2({x}, 256)", "date_format({t}, 'yyyy-MM')", "split({x}, '-')[0]",
    "trim(BOTH '1' FROM {x})", "regexp_substr({x}, '[0-9]+')", "overlay({x} PLACING {x} FROM 2)", "string({n})",
    "get_json_object({x}, '$.a')", "array_join(split({x}, '-'), '/')", "substring({x} FROM 2 FOR {n})",
]  # fmt: skip
DAYS_OF = [
    "date_add({d}, {n})", "date_sub({d}, 1)", "({d} + INTERVAL '1' DAY)", "({d} - INTERVAL '2' MONTH)", "last_day({d})",
    "add_months({d}, {n})", "CAST({x} AS DATE)", "CAST({t} AS DATE)", "trunc({d}, 'MM')", "coalesce({d}, {d})",
    "({d} + {i})", "date_add({x}, 1)", "last_day({x})", "make_date({n}, {i}, 1)", "to_date({x}, 'yyyy-MM-dd')",
    "next_day({d}, 'MON')", "try_to_date({x}, 'yyyy-MM-dd')",
]  # fmt: skip
STAMPS = [
    "date_trunc('hour', {t})", "({t} + INTERVAL '1' HOUR)", "({t} - INTERVAL '999999' DAY)", "CAST({d} AS TIMESTAMP)",
    "({d} + INTERVAL '1' HOUR)", "coalesce({t}, {t})", "CAST({x} AS TIMESTAMP)", "date_trunc('week', {d})",
    "if({b}, {t}, {t})", "timestampadd(HOUR, {n}, {t})", "to_timestamp({x}, 'yyyy-MM-dd')", "timestamp_seconds({i})",
    "dateadd(MONTH, {i}, {t})", "({t} + INTERVAL '1 12' DAY TO HOUR)",
]  # fmt: skip
TRUTH = {0: False, 1: True, 2: None}
COMPARED = ["=", "<>", "<", "<=", ">", ">=", "<=>"]
TRUTHS = [
    "({n} {c} {n})", "({x} {c} {x})", "({x} {c} {n})", "({n} {c} {x})", "({d} {c} {d})", "({t} {c} {t})",
    "({d} {c} {t})", "({x} {c} {d})", "({t} {c} {x})", "({x} {c} b)", "(NOT {b})", "({n} IS NULL)",
    "({x} IS NOT NULL)", "({b} IS TRUE)", "({b} IS NOT FALSE)", "({n} IS DISTINCT FROM {n})", "isnan({n})",
    "isnull({n})", "contains({x}, {x})", "({x} LIKE '%1%')", "({x} RLIKE '^[0-9]+$')", "startswith({x}, {x})",
    "array_contains(a, 1)", "coalesce({b}, {b})", "({b} = {b})", "({d} - {d} = INTERVAL '1' DAY)",
    "(CASE WHEN {b} THEN {b} ELSE {b} END)", "({x} ILIKE '1%2%')", "is_valid_utf8({x})", "equal_null({n}, {n})",
    "forall(a, z -> z > {n})", "exists(a, z -> z = {n})", "arrays_overlap(a, array(1, t))", "map_contains_key(k, {x})",
    "({x} LIKE ANY ('1%', '%2'))", "({x} NOT LIKE ALL ('1', 'x%'))", "(position({x} IN {x}) > 1)", "luhn_check({x})",
    "(size(map_filter(k, (y, v) -> v > {i})) = 1)",
]  # fmt: skip
DECIDING = ["({b} AND {b})", "({b} OR {b})", "({b} AND {b} AND {b})", "({b} OR {b} OR {b})", "({n} IN ({n}, {n}))"]
DECIDING += ["({n} BETWEEN {n} AND {n})", "({x} IN ({n}, {n}))", "({d} BETWEEN {d} AND {x})", "({n} IN ({x}, 1, {n}))"]
WAYS = {
    "n": ("number", NUMBERS), "x": ("text", TEXTS), "d": ("day", DAYS_OF), "t": ("stamp", STAMPS),
    "b": ("truth", TRUTHS),
}  # fmt: skip


def random_tree(random: Random, kind: str = "b", depth: int = 4) -> Tree:
    """A tree of that kind: n a number, x a text, d a date, t a timestamp, b a condition."""
    if kind == "c":
        return _leaf(random.choice(COMPARED))
    if kind == "i":
        return _leaf(random.choice(["t", "i", "1", "7"]))
    leaves, ways = WAYS[kind]
    if depth == 0 or (kind != "b" and random.random() < 0.35):
        return _leaf(random.choice(LEAVES[leaves]))
    deciding = kind == "b" and random.random() < 0.3
    shape = random.choice(DECIDING if deciding else ways)
    return _filled(random, shape, depth, turns=deciding)


def _filled(random: Random, shape: str, depth: int, *, turns: bool) -> Tree:
    kinds = re.findall(r"\{(\w)\}", shape)
    parts = [random_tree(random, kind, depth - 1) for kind in kinds]
    template = re.sub(r"\{\w\}", "{}", shape)
    return _turning(template, parts) if turns else Tree(template, tuple(parts))


def _turning(template: str, parts: list[Tree]) -> Tree:
    """Of IN the members turn, of BETWEEN its two comparisons, of AND and OR all."""
    if " IN (" in template:
        return Tree("({} IN ({}))", (parts[0], Tree(", ".join(["{}"] * len(parts[1:])), tuple(parts[1:]), turns=True)))
    if "BETWEEN" in template:
        whole, low, high = parts
        return Tree("({} AND {})", (Tree("({} >= {})", (whole, low)), Tree("({} <= {})", (whole, high))), turns=True)
    return Tree(template, tuple(parts), turns=True)


@dataclass(frozen=True)
class Case:
    """A predicate and the tree that it was written from."""

    tree: Tree
    predicate: Predicate

    @property
    def text(self) -> str:
        """The author's text."""
        return self.tree.text()

    def turned(self, random: Random, times: int) -> list[str]:
        """The same text with what may be exchanged in other orders."""
        return list(dict.fromkeys(self.tree.text(random) for _ in range(times)))


def random_cases(random: Random, count: int) -> list[Case]:
    """Predicates that are admitted."""
    found: list[Case] = []
    while len(found) < count:
        tree = random_tree(random, depth=random.choice([1, 2, 2, 3]))
        try:
            found.append(Case(tree, parse(tree.text(), schema=SCHEMA)))
        except PredicateError:
            continue
    return found


def asked(text: str) -> str:
    """SQL that gives 0 or 1, 2 for null, and null where evaluating the text raises an error.

    Within a branch that Spark cannot foresee nothing of the text is evaluated beforehand."""
    truth = f"CASE WHEN rand(1) < 2 THEN coalesce(CAST(({text}) AS INT), 2) END"
    return f"datediff(try_add(date_add(DATE '2000-01-01', {truth}), INTERVAL '0' DAY), DATE '2000-01-01')"


UNDECIDED = "ends in every order that was tried"


def judged(said: Any, turned: Sequence[Any], value: Any, errs: Any) -> str:
    """'' where the predicate does what it promises on a row, else in words what it does instead.

    Given are what Spark said of the author's text and of it in other orders (see `asked`), the predicate's value and
    whether it errs. No error although Spark ends is right where one part decides: some other order shows it."""
    if errs is None:
        return "errs is null"
    if said is not None:
        truth = TRUTH[said]
        return "" if (truth == value and not errs) else f"is {truth}, given {value}, errs {errs}"
    if errs:
        return "" if value is None else f"errs and is {value}"
    others = {TRUTH[each] for each in turned if each is not None}
    return UNDECIDED if not others else "" if others == {value} else f"{others} in other orders, given {value}"
