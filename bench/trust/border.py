"""Count the checks whose threshold lies within the error of an estimate, on real tables.

Every suggested check of a sketch is evaluated on every snapshot of the training data, from states as Spark makes
them. In a border case the sketch's random bits may decide the outcome."""

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.core.figures import Line
from bench.suggestions.draft_states import history
from bench.suggestions.draft_tables import Table, tables
from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.evaluation.uncertainty import uncertain_bounds
from treaty.engine.suggestions.selection.pipeline import worthy

DATA = Path(os.environ.get("TREATY_SHARED", "../shared")).resolve() / "data"
SNAPSHOTS, ROWS = 20, 5000


def main() -> None:
    """Print the share of border cases among all evaluations of suggested checks."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([DATA / "unpack", folder], check=True, capture_output=True)
        (Path(folder) / "incidents.csv").write_bytes((DATA / "history" / "incidents.csv").read_bytes())
        for table in tables(Path(folder), most=SNAPSHOTS, rows=ROWS):
            counts.update(_counts(table))
    print(Line("suggested checks of sketches", counts["checks"], None, "").text, flush=True)
    for name in ("evaluations of all suggested checks", "estimates with an error", "border cases"):
        print(Line(name, counts[name], None, "").text, flush=True)
    share = 100 * counts["border cases"] / max(1, counts["evaluations of all suggested checks"])
    print(Line("border cases", share, None, "% of evaluations").text, flush=True)


def _counts(table: Table) -> Counter[str]:
    split, name = table.split, table.name.rpartition("/")[2]
    profile = history(table.types, table.days[:split], table.snapshots[:split], name)
    counts: Counter[str] = Counter()
    for each in worthy(profile, name):
        candidate = each.holdout.candidate
        counts["evaluations of all suggested checks"] += len(profile.partitions)
        bound = _bound(candidate.patch, each.holdout.column_name, profile.partitions[-1][1].schema)
        if bound is None:
            continue
        counts["checks"] += 1
        counts.update(_outcomes(bound, candidate.assertion, [bag.values for _, bag in profile.partitions]))
    return counts


def _bound(patch: Any, column: str | None, schema: Schema) -> BoundAnalyzer | None:
    """Return the analyzer of a suggested check that uses a sketch; None for others."""
    implementation = dict(patch.get("quality", {}).get("implementation", {}))
    kind = ANALYZERS.get(implementation.pop("analyzer", ""))
    if kind is None or not any(part.uses_sketch for part in kind.components.values()):
        return None
    arguments = {"column": column, **implementation}
    return kind.model_validate({name: each for name, each in arguments.items() if name in kind.model_fields}).bind(
        schema
    )


def _outcomes(bound: BoundAnalyzer, assertion: Assertion, states: list[Any]) -> Iterator[str]:
    for values in states:
        if not all(part.key in values for part in bound.parts.values()):
            continue
        reading = bound.read(values)
        if reading.bounds:
            yield "estimates with an error"
        if uncertain_bounds(assertion, reading):
            yield "border cases"


if __name__ == "__main__":
    main()
