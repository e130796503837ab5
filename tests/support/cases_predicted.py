"""Cases of predictability: naive Bayes by hand on six rows."""

from typing import Any

from support.analyzer_table import Case

from treaty.engine.analyzers.predictability import Predictability


def told(expected: float | None, target: str, *inputs: str, counted: int | None = None, **words: Any) -> Case:
    """A target with how well the inputs tell it."""
    analyzer = Predictability(target=target, inputs=inputs, **words)
    return Case(analyzer, expected, 1e-12 if expected else 0.0, counted=counted)


CASES = [
    told(1.0, "constant", "id", counted=6),
    # The two that are new are taken for each other's, the other three for the most frequent class.
    told(0.6, "open", "status", counted=5),
    told(0.6, "open", "status", measure="recall"),
    told(0.6, "open", "status", measure="precision"),
    # Every row but the two of part a is told by nothing: all are taken for the most frequent class.
    told(8 / 35, "status", "part", counted=5),
    told(0.16, "status", "part", measure="precision"),
    told(0.4, "status", "part", measure="recall"),
    # Of two rows each is told by the other alone.
    told(1.0, "status", "`a.b`", "seen", where="status = 'new'", counted=2),
    told(0.0, "open", "none", where="id < 3", counted=2),
    told(None, "status", "id", where="id = 1", counted=1),
    told(None, "none", "id", counted=0),
    told(None, "status", "id", where="id > 99", counted=0),
]
