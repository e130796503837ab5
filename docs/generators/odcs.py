"""Generate the page of Treaty's extension of the Open Data Contract Standard."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from docs.generators.analyzers import default_text
from docs.generators.markdown import code, docstring, parameters, phrase, prose, table, type_name
from treaty.contracts.assertions import ANOMALIES, OPERATORS, PAIRED
from treaty.contracts.document.model import SCOPES, Terms, TermsModel
from treaty.contracts.document.odcs import VERSIONS
from treaty.contracts.document.quality_rules import OWN_WORDS

INTRODUCTION = """
A Treaty contract is a document of the [Open Data Contract Standard](https://bitol-io.github.io/open-data-contract-standard/)
(ODCS), version {versions}. Treaty adds two things where the standard leaves room for tools: terms of the whole contract
in `customProperties`, and checks with `engine: treaty`. Other tools can read the document and ignore both.

```yaml
customProperties:
  - property: treaty
    value:
      columns: closed
      compatibility: {{structure: FULL}}
      lineage: {{quiet: 30}}
```

A misspelled key or a value of the wrong type is an error with its line.
"""
IMPLEMENTATION = """
A check of Treaty has `type: custom` and `engine: treaty`. Its `implementation` contains an analyzer, the arguments of
the analyzer, and exactly one operator:

```yaml
quality:
  - type: custom
    engine: treaty
    id: amount-is-normal
    severity: warning
    implementation:
      analyzer: mean
      column: amount
      mustHaveNoAnomalies: {detector: auto}
```

`severity` is `error` by default; `info`, `warning`, `low`, `minor` and `trivial` make the check a warning.
"""
WORDS = {
    "analyzer": "Name of the [analyzer](analyzers.md), required",
    "where": "SQL condition; only rows for which it is true are measured",
    "scope": "Data that the check covers: " + ", ".join(map(code, SCOPES)) + ", or the name of a view; the default"
    " depends on the analyzer",
}
LIMITS = """
A limit is a number or a text. It may also be a metric of another dataset:

```yaml
implementation:
  analyzer: count_distinct
  columns: [title_id]
  mustBeLessOrEqualTo: {dataset: titles, analyzer: size}
```

| Key | Meaning |
| --- | --- |
| `dataset` | Contract id, `contract.object`, or the name of the dataset |
| `analyzer` | Analyzer of the metric |
| other keys | Arguments of the analyzer, including `where` |
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# ODCS extension"
    yield INTRODUCTION.format(versions=" or ".join(each.removeprefix("v") for each in VERSIONS))
    yield "## Terms\n\nKeys of the custom property `treaty`. All of them are optional.\n"
    yield from _keys(Terms)
    for name, model in models(Terms).items():
        yield f"### `{name}`\n\n{prose(docstring(model))}\n"
        yield from _keys(model)
    yield "## Checks\n"
    yield IMPLEMENTATION.strip() + "\n"
    if set(WORDS) != OWN_WORDS:
        raise ValueError("docs/generators/odcs.py and quality_rules.py differ in the keys of an implementation")
    yield from table(
        ("Key", "Meaning"),
        [
            *((code(each), text) for each, text in WORDS.items()),
            ("other keys", "Arguments of the analyzer"),
            *((code(name), _operator(name)) for name in OPERATORS),
        ],
    )
    yield "### Limits from another dataset\n"
    yield LIMITS.strip()


def models(model: type[TermsModel]) -> dict[str, type[TermsModel]]:
    """Return the models of the keys that contain further keys."""
    nested = {}
    for name, field in model.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        for each in kinds:
            if isinstance(each, type) and issubclass(each, TermsModel):
                nested[name] = each
    return nested


def described(model: type[TermsModel]) -> dict[str, str]:
    """Return the description of each key of a model."""
    texts = parameters(docstring(model))
    # A document says null where the code says None.
    return {name: texts[name].replace("None", "null") for name in model.model_fields}


def _keys(model: type[TermsModel]) -> Iterator[str]:
    nested, texts = models(model), described(model)
    rows = []
    for name, field in model.model_fields.items():
        text = phrase(f"{texts[name]}. See [`{name}`](#{name})" if name in nested else texts[name])
        rows.append((code(name), _kind(field, name, nested), "" if name in nested else _default(field), text))
    yield from table(("Key", "Type", "Default", "Meaning"), rows)


def _kind(field: FieldInfo, name: str, nested: Mapping[str, Any]) -> str:
    if name in nested:
        return "list of mappings" if get_args(field.annotation) else "mapping"
    bounds = {type(each): each for each in _metadata(field)}
    limits = ""
    if Le in bounds:
        low = bounds[Ge].ge if Ge in bounds else f"more than {bounds[Gt].gt}"
        limits = f", {low} to {bounds[Le].le}"
    return type_name(field.annotation) + limits


def _metadata(field: FieldInfo) -> list[Any]:
    return [each for source in field.metadata for each in getattr(source, "metadata", [source])]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    return default_text(field.get_default(call_default_factory=True))


def _operator(name: str) -> str:
    if name == ANOMALIES:
        return "`{detector: NAME, ...}`: the value must be within the band of a [detector](detectors.md)"
    _, words = OPERATORS[name]
    if name in PAIRED:
        return f"`[minimum, maximum]`: the value must {words.format(('the minimum', 'the maximum'))}, both included"
    return f"Limit: the value must {words.format('the limit')}"
