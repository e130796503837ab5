"""Measure CPU time and memory of parsing generated SQL.

Each text is read as a predicate, as a query, and as a statement of a lineage event."""

import gc
import time
from collections.abc import Callable
from pathlib import Path

from bench.core.figures import Line
from bench.trust.sql_texts import texts
from treaty.contracts.errors import ContractError
from treaty.contracts.predicates import parser as predicates
from treaty.contracts.queries import parser as queries
from treaty.registry.lineage.events import sql_statements

TEXTS = 10_000
SEED = 7
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
READERS: dict[str, Callable[[str], object]] = {
    "predicate": predicates.parse,
    "query": queries.parse,
    "statement": sql_statements.writes,
}


def read(reader: Callable[[str], object], text: str) -> bool:
    """Return whether the text is accepted. Any exception but a refusal is raised."""
    try:
        reader(text)
    except ContractError:
        return False
    return True


def cost(reader: Callable[[str], object], text: str) -> tuple[float, float]:
    """Return the CPU seconds of reading a text, and this process's peak in MiB (Linux)."""
    CLEAR.write_text("5")
    started = time.process_time()
    read(reader, text)
    return time.process_time() - started, _peak()


def _peak() -> float:
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")) / 1024


def main() -> None:
    """Print the figures of 10,000 texts, each read in the three ways."""
    generated = list(texts(TEXTS, seed=SEED))
    for reader in READERS.values():
        read(reader, "select count(*) from {object} where a > 1")
    for name, reader in READERS.items():
        # Memory that an earlier text took and freed counts for all later ones.
        gc.collect()
        CLEAR.write_text("5")
        before = _peak()
        seconds, mebibytes = zip(*(cost(reader, text) for text in generated), strict=True)
        print(
            Line(f"{name}: longest of {len(generated):,} texts", 1_000 * max(seconds), 200, "ms CPU").text, flush=True
        )
        print(Line(f"{name}: largest growth of memory", max(mebibytes) - before, 64, "MiB").text, flush=True)


if __name__ == "__main__":
    main()
