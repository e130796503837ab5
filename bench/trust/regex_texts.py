"""Generate regular expressions that backtrack, and texts on which they do."""

from collections.abc import Iterator
from random import Random

from treaty.contracts.limits.regex_cost import MAX_SUBJECT
from treaty.contracts.limits.safe_regex import UnsafeRegex, characters, tokens_of

# Each {} is an expression; those with several alternatives, repeats in repeats or empty matches are the classic ones.
FORMS = (
    "({})+", "({})*", "({}){{0,9}}", "({}){{1000}}", "({}){{2,30}}", "({}|{})*", "({}|{})", "{}{}", "{}{}{}",
    "{}?{}?", "{}.*{}", "{}+x{}+", "(-{})*", "({}-)*", "(,{}{})+", "^{}$", "^{}", "{}$", "(^{})*", "({}|)",
    "({}\\b)*", "(()|{})+", "{}?" * 9, "(?:{}){{30}}", "{}{{0,9}}{}{{0,9}}", "({}|{}|{})+{}", "(({})*{})*",
    "[^x]*{}[^y]*{}",
)  # fmt: skip
LEAVES = (
    "a", "b", "x", "[ab]", "\\w", "\\d", ".", "[^a]", "\\s", "aa", "a?", "a*", "\\w+", "\\d{1,3}", "(a|b)", "(a|ab)",
    "()", "^", "\\b", "$", "a{0,9}", ".*", "[a-z]{2,10}", "\\W", "a|a", "(){1000}", "(^){1000}", "-", ",", "@",
    "[.-]?",
)  # fmt: skip
CLASSIC = (
    "(((){1000}){1000}){1000}", "(((^){1000}){1000}){1000}", r"(((\b){1000}){1000}){1000}", "((a?){1000}){1000}",
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "([a-zA-Z]+)*$", r"(\w+\d+)*x", "(.*a){12}", "(.*,){11}P", r"^(\w+\s?)*$",
    r"^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"\w*\w*\w*@", r"\s*\s*\s*x",
    "a?" * 30 + "a" * 30, "^" + "a?" * 30 + "b", "(-a?a?a?a?a?a?a?a?)*x", "(-(a|b|ab)*)*x",
    "((a{0,10}){0,10}){0,10}b", r"^(a?){1000}b", "((a{1,10}){1,10}){1,10}$", "(x+x+)+y", r"(\s*\w*)*;", ".*.*=.*",
    "^.*.*.*$", r"(\d+\.?\d*)+x", "(()*)*x", "((^|a)*)*b", r"(\b\b\b\b){1000}x", "(((((){100}){100}){100}){100})",
    "(|a)+b", "(a|b|ab|ba)*c", "(a{0,9}b{0,9}){0,9}c", r"([^@]+)*@", r"<(\w+\s*)*>", r"(\w|\d)*-",
    "^(a|ab|abc|abcd)*x", "(.{0,9}){9}x",
)  # fmt: skip


def hostile(count: int, *, seed: int) -> list[str]:
    """Return the classic expressions and generated ones, each once; the same seed gives the same ones."""
    random, expressions = Random(seed), dict.fromkeys(CLASSIC)
    while len(expressions) < count:
        expressions[_generated(random, random.randint(1, 3))[:512]] = None
    return list(expressions)


def _generated(random: Random, levels: int) -> str:
    form = random.choice(FORMS)
    inner = random.choice(LEAVES) if levels == 1 or random.random() < 0.2 else _generated(random, levels - 1)
    parts = [inner if random.random() < 0.6 else random.choice(LEAVES) for _ in range(form.count("{}"))]
    return form.format(*parts)


def adversarial(pattern: str, *, seed: int) -> Iterator[str]:
    """Yield texts of MAX_SUBJECT characters that the pattern nearly matches: its own characters, repeated."""
    random = Random(seed)
    kinds = [sorted(characters(*token)) for token in _tokens(pattern) if token[0] in {"plain", "escape", "class"}]
    sets = [[chr(code) for code in codes if 32 <= code < 127] or ["a"] for codes in kinds if codes] or [["a"]]
    each = {random.choice(codes) for codes in sets}
    units = [*each, *("".join(random.choices(sorted(each), k=size)) for size in (2, 2, 3, 5))]
    units += ["".join(random.choice(codes) * random.choice((0, 1, 1, 2, 3)) for codes in sets) or "a" for _ in range(6)]
    for unit in units:
        start = "".join(random.choice(codes) for codes in sets)[:64] if random.random() < 0.5 else ""
        for end in ("", "!", "\n", "\u20ac"):
            whole = start + unit * MAX_SUBJECT
            yield whole[: MAX_SUBJECT - len(end)] + end


def _tokens(pattern: str) -> list[tuple[str, str]]:
    try:
        return [token for token in tokens_of(pattern) if token[1] not in {"\\b", "\\B"}]
    except UnsafeRegex:
        return []
