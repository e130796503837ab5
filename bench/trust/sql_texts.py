"""Generate SQL that is hard to parse: nested types, calls, brackets and queries, and expressions that expand.

A text follows a small grammar, with errors: closing brackets may be missing, and words may be exchanged."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

CALLS = (
    "cast", "try_cast", "coalesce", "f", "if", "exists", "trim", "extract", "position", "substring", "values", "any",
    "filter", "transform", "ceil", "convert", "overlay", "timestampdiff", "json_table", "xmltable", "row", "",
)  # fmt: skip
PREFIXES = (
    "not", "-", "~", "case when", "interval", "distinct", "date", "timestamp", "select", "x ->", "(a, b) ->", "all",
    "exists", "lateral", "table", "with a as", "from", "@", ":", "prior", "row", "unnest",
)  # fmt: skip
BETWEEN = (
    " + ", " / ", " and ", " or ", " = ", ", ", " :: ", " % ", " || ", " in ", " like ", " -> ", ".", " as ", " ",
    " between ", " over ", " union ", " is ", " collate ", " at time zone ",
)  # fmt: skip
LEAVES = ("a", "1", "'x'", "a.b", "null", "'1' day", "*", "date '2026-01-01'", "1e9", "x[0]", "decimal(10, 2)", "`q`")
# Expressions with several mentions of their part, in the SQL that is executed or in its error conditions.
GROWING = (
    "1 / {0}", "({0} / {0})", "element_at(m, {0})", "cast({0} as int)", "coalesce({0}, {0})", "abs({0})",
    "case when {0} > 1 then {0} else {0} end", "nullif({0}, {0})", "({0} % 7)", "({0} in (1, {0}))",
    "date_trunc('day', {0})", "months_between({0}, {0})", "greatest({0}, {0})", "x[{0}]", "nvl2({0}, {0}, 1)",
    "nanvl({0}, {0})", "add_months({0}, {0})", "mod({0}, {0})", "zeroifnull({0})",
)  # fmt: skip
AGGREGATES = ("sum({})", "max({})", "count(distinct {}, {})", "min({}) filter (where {} > 1)", "count_if({} > 2)")
WRITES = (
    "insert into t partition ({}) select {}", "insert overwrite table t partition (ds = {}) select 1",
    "from x insert into t partition (ds = '1') select {} insert into t partition (ds = '2') select {}",
    "load data inpath {} into table t partition (ds = {})", "with a as (select {}) insert into t partition (ds=1)",
    "merge into t using x on {} when matched then delete; truncate table t partition (ds = {})",
    "create table t (a {}) partitioned by (b) as select partition ({})",
)  # fmt: skip


@cache
def type_words() -> tuple[str, ...]:
    """Return the words that the parser reads as types, in lower case."""
    from sqlglot.dialects.spark import Spark

    parser, words = Spark.parser_class, Spark.tokenizer_class.KEYWORDS
    return tuple(
        sorted({word.lower() for word, kind in words.items() if kind in parser.TYPE_TOKENS and word.isalpha()})
    )


def nesting(random: Random) -> str:
    """Return nested types, calls, brackets and prefixes."""
    alphabet = random.choice((type_words(), CALLS, (*type_words(), *CALLS)))
    words = random.sample(alphabet, random.choice((1, 1, 2, 5)))
    text = random.choice(LEAVES)
    for _ in range(random.choice((5, 12, 20, 40, 100))):
        text = _within(random, words, text)
        if len(text) > 4_000:
            break
    return text + random.choice(("", " > 1", ")", " is null", " from {object}"))


def _within(random: Random, words: list[str], text: str) -> str:
    shape = random.random()
    if shape < 0.7:
        opening, closing = random.choice(("()", "()", "()", "<>", "[]"))
        return f"{random.choice(words)}{opening}{text}{closing if random.random() < 0.98 else ''}"
    if shape < 0.85:
        return f"{random.choice(PREFIXES)} {text}"
    return f"{text}{random.choice(BETWEEN)}{random.choice(LEAVES)}"


def sequence(random: Random) -> str:
    """Return a long sequence without nesting."""
    parts = [f"{_within(random, ['int', 'f', 'date'], random.choice(LEAVES))}" for _ in range(random.choice((2, 3, 9)))]
    joined = random.choice(BETWEEN).join(parts)
    return random.choice(BETWEEN).join([joined] * random.choice((10, 100, 1_000)))[: random.choice((500, 4_096, 5_000))]


def expansion(random: Random) -> str:
    """Return a query whose executed text is far longer than its own."""
    return _query(random, 4_000, random.randint(1, 3))


def _query(random: Random, longest: int, levels: int) -> str:
    """Return a SELECT; its aggregates and, with levels left, its subqueries are repeated in expressions."""
    value = _grown(random, random.choice(("a", "b", "m['x']", "x[a]")), longest // 8)
    value = _grown(random, random.choice(AGGREGATES).replace("{}", value), longest // 4)
    if levels > 1:
        inner = f"({_query(random, longest // 4, levels - 1)})"
        value = random.choice((f"{value} / {inner}", f"{inner} % {value}", f"coalesce({inner}, {value}, {inner})"))
        value = _grown(random, value, longest)
    conditions = [f"{_grown(random, 'a', longest // 8)} > 1" for _ in range(random.choice((0, 1, 5)))]
    where = f" where {random.choice((' and ', ' or ')).join(conditions)}" if conditions else ""
    return f"select {value} from {{object}}{where}"


def _grown(random: Random, text: str, longest: int) -> str:
    """Return the text within expressions that mention it once or more."""
    for _ in range(random.randint(0, 12)):
        form = random.choice(GROWING)
        if len(text) * form.count("{0}") > longest:
            break
        text = form.replace("{0}", text)
    return text


def statement(random: Random) -> str:
    """Return a statement of a lineage event."""
    form = random.choice(WRITES)
    return form.replace("{}", random.choice((nesting, sequence, expansion))(random) * random.choice((1, 1, 10)))


GRAMMARS: tuple[Callable[[Random], str], ...] = (nesting, sequence, expansion, statement)


def texts(count: int, *, seed: int) -> Iterator[str]:
    """Yield texts of all grammars in turn; the same seed gives the same texts."""
    random = Random(seed)
    for at in range(count):
        yield GRAMMARS[at % len(GRAMMARS)](random)
