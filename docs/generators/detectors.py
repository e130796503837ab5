"""Generate the page of anomaly detectors."""

from collections.abc import Iterator

from docs.generators.analyzers import argument
from docs.generators.markdown import docstring, first_line, phrase, prose, table
from treaty.engine.anomaly import DETECTORS
from treaty.engine.anomaly.detector import Detector
from treaty.engine.anomaly.seasonal_models import SeasonalModel, required_points

INTRODUCTION = """
A detector computes a band of expected values for a metric from its history. A check fails if the new value is outside
the band. Name a detector with the operator `mustHaveNoAnomalies`:

```yaml
implementation:
  analyzer: size
  mustHaveNoAnomalies: {detector: auto, sides: lower}
```

While there are fewer points than a detector needs, it is learning: the check is not evaluated. Points in incidents are
excluded. Detectors with `false_alarms` share the [false-alarm budget](../explanation/false-alarm-budgets.md) of the
contract unless you set the argument. [Use anomaly detectors](../how-to/detectors.md) helps you choose one, and
[Detectors](../explanation/detectors.md) explains how they work.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Anomaly detectors"
    yield INTRODUCTION
    rows = (
        (f"[`{name}`](#{name})", phrase(first_line(docstring(kind))), _least(kind)) for name, kind in DETECTORS.items()
    )
    yield from table(("Detector", "Band", "Required points"), rows)
    yield "## Arguments of every detector\n"
    yield from table(
        ("Argument", "Type", "Default", "Description"),
        (argument(name, field) for name, field in Detector.model_fields.items()),
    )
    for name, kind in DETECTORS.items():
        yield from _described(name, kind)


def _least(kind: type[Detector]) -> int:
    """Return the number of points that a detector needs with its default arguments."""
    if issubclass(kind, SeasonalModel):
        return required_points(kind.model_fields["period"].default)
    return kind.least


def _described(name: str, kind: type[Detector]) -> Iterator[str]:
    yield f"## `{name}`\n\n{prose(docstring(kind))}\n"
    if kind.observed_quantity:
        yield f"The band is of {kind.observed_quantity}, not of the metric itself.\n"
    inherited = Detector.model_fields
    own = (
        argument(field_name, field)
        for field_name, field in kind.model_fields.items()
        if field_name not in inherited or field.annotation != inherited[field_name].annotation
    )
    yield from table(("Argument", "Type", "Default", "Description"), own)
