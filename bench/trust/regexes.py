"""Measure the longest search of accepted regular expressions, in Python and in Java.

Hostile expressions that are accepted search texts that they nearly match; benign ones are from public format
validations. A child process searches, so that one that does not end can be ended."""

import base64
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.core.figures import Line
from bench.trust.regex_texts import adversarial, hostile
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex
from treaty.engine.analyzers.named_formats import FORMATS

HERE = Path(__file__).parent
HOSTILE = 3_000
SEED = 11
LIMIT = 600
Search = tuple[str, str]


def accepted(pattern: str) -> bool:
    """Return whether a contract may contain the expression."""
    try:
        inspect_regex(pattern)
    except UnsafeRegex:
        return False
    return True


def benign() -> list[str]:
    """Return expressions from public format validations."""
    return (HERE / "benign_regexes.txt").read_text("utf-8").splitlines()


def in_python() -> None:
    """Print the CPU milliseconds of each search on standard input, as SlowestMatch.java does."""
    for line in sys.stdin:
        pattern, text = (base64.b64decode(each).decode() for each in line.rstrip("\n").split(" "))
        compiled, least = re.compile(pattern), float("inf")
        for _ in range(3):
            started = time.process_time()
            compiled.search(text)
            least = min(least, 1_000 * (time.process_time() - started))
            if least < 20:
                break
        print(least, flush=True)


ENGINES = {
    "Python": [sys.executable, "-c", "from bench.trust.regexes import in_python; in_python()"],
    "Java": [shutil.which("java") or "java", "-Xmx512m", "-Xss4m", str(HERE / "SlowestMatch.java")],
}


def milliseconds(engine: Sequence[str], searches: Sequence[Search]) -> list[float]:
    """Return the CPU milliseconds of each search. Raises TimeoutExpired if they do not end."""
    lines = "".join(f"{_encoded(pattern)} {_encoded(text)}\n" for pattern, text in searches)
    ended = subprocess.run(engine, input=lines, capture_output=True, text=True, timeout=LIMIT, check=True)
    return [float(line) for line in ended.stdout.split()]


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def searches(patterns: Sequence[str]) -> Iterator[Search]:
    """Yield each pattern with the texts that it nearly matches."""
    for pattern in patterns:
        yield from ((pattern, text) for text in adversarial(pattern, seed=SEED))


def main() -> None:
    """Print the figures of hostile and benign expressions."""
    written, formats = hostile(HOSTILE, seed=SEED), benign()
    admitted = [each for each in written if accepted(each)]
    refused = [each for each in formats if not accepted(each)]
    print(f"{len(admitted):,} of {len(written):,} hostile expressions are accepted, and search 1,024 characters")
    print(Line(f"benign expressions refused, of {len(formats)}", 100 * len(refused) / len(formats), 1, "%").text)
    named = [f"^(?:{each.pattern})$" for each in FORMATS.values()]
    planned = list(searches([*admitted, *(each for each in formats if each not in refused), *named]))
    for name, engine in ENGINES.items():
        costs = milliseconds(engine, planned)
        print(Line(f"{name}: longest of {len(planned):,} searches", max(costs), 200, "ms CPU").text, flush=True)
        print(Line(f"{name}: expressions over 200 ms", sum(each > 200 for each in costs), 0, "").text, flush=True)


if __name__ == "__main__":
    main()
