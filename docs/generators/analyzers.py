"""Generate the page of analyzers."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from docs.generators.markdown import code, docstring, first_line, sentence, table, type_name
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer

INTRODUCTION = """
An analyzer computes one metric of a table. Name it in the `implementation` of a check, together with its arguments
and a condition on the metric:

```yaml
quality:
  - type: custom
    engine: treaty
    id: status-is-known
    implementation:
      analyzer: contained_in
      column: status
      values: [open, shipped, returned]
      where: "country = 'DE'"
      mustBeGreaterOrEqualTo: 0.99
```

Every analyzer accepts `where`, a SQL condition: only rows for which it is true are measured. The scope of a check is
the data that it covers. `delta` means the partitions that arrived; `dataset` means the whole table. A check may set
another `scope` than the default of its analyzer. [ODCS extension](odcs.md) lists all keys of an `implementation`.

"Components" are the mergeable summaries that Treaty stores for each partition. See
[States](../explanation/states.md).
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Analyzers"
    yield INTRODUCTION
    yield "## All analyzers by subject\n"
    for subject, names in subjects().items():
        yield f"### {subject}\n"
        yield from table(
            ("Analyzer", "Metric", "Unit"),
            ((f"[`{name}`](#{name})", first_line(docstring(ANALYZERS[name])), ANALYZERS[name].unit) for name in names),
        )
    yield "## Details\n"
    for name in sorted(ANALYZERS):
        yield from _described(ANALYZERS[name])


def subjects() -> dict[str, list[str]]:
    """Return the names of the analyzers by the subject of their module, both in alphabetic order."""
    found: dict[str, list[str]] = {}
    for name in sorted(ANALYZERS):
        module = import_module(ANALYZERS[name].__module__)
        found.setdefault(sentence(module.__name__.rsplit(".", 1)[-1].replace("_", " ")), []).append(name)
    return dict(sorted(found.items()))


def _described(kind: type[Analyzer]) -> Iterator[str]:
    yield f"### `{kind.name}`\n\n{docstring(kind)}\n"
    components = ", ".join(code(each) for each in sorted({part.kind for part in kind.components.values()}))
    yield f"- Unit: {kind.unit}"
    yield f"- Default scope: {code(kind.scope)}"
    yield f"- Components: {components}\n"
    arguments = ((name, field) for name, field in kind.model_fields.items() if name != "where")
    yield from table(
        ("Argument", "Type", "Default", "Description"), (argument(name, field) for name, field in arguments)
    )


def argument(name: str, field: Any) -> tuple[str, ...]:
    """Return the row of an argument: name, type, default and description."""
    default = "required" if field.is_required() else default_text(field.get_default(call_default_factory=True))
    return code(field.alias or name), type_name(field.annotation), default, sentence(field.description or "")


def default_text(value: Any) -> str:
    """Return a default as code; "" for none."""
    if value is None or value in ("", (), []):
        return ""
    if isinstance(value, bool):
        return code(str(value).lower())
    return code(list(value) if isinstance(value, tuple) else value)
