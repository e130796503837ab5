"""Write a contract document as canonical YAML that YAML 1.1 and 1.2 readers parse identically."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

import yaml

from treaty.contracts.document.odcs import element_model, key_order, root_model
from treaty.contracts.document.yaml_syntax import MAX_BYTES, MAX_DEPTH, MAX_NUMBER, join, resolve
from treaty.contracts.errors import ROOT, ContractError, Fault, Faults

# These keys come first in each element that has them; all others follow in the standard's order.
LEADING = ("apiVersion", "kind", "id", "name", "version", "status", "type", "engine", "metric")
# Booleans for some readers of YAML 1.1, but not for PyYAML.
TRUTHS = frozenset({"y", "Y", "n", "N"})
WIDTH = 120
SURROGATE = re.compile("[\ud800-\udfff]")


def write(document: Mapping[str, Any]) -> bytes:
    """Return the document as UTF-8 YAML: keys in the standard's order, block style, no aliases.

    The document is not validated. Raises ContractError for content that would not survive a round trip through YAML:
    keys that are not text, numbers that are not finite, objects of other types."""
    faults = Faults()
    plain = _ordered(document, root_model(), faults, "")
    faults.settle()
    source = yaml.dump(plain, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=WIDTH).encode()
    if len(source) > MAX_BYTES:
        raise ContractError(
            [Fault(code="text-size", where=ROOT, message=f"is longer than {MAX_BYTES // 1024} KiB", remedy="split it")]
        )
    return source


def _ordered(value: Any, annotation: Any, faults: Faults, path: str, depth: int = 0) -> Any:
    """Return the value as plain data, with the keys of standard elements in order."""
    if isinstance(value, Mapping | list | tuple) and depth >= MAX_DEPTH:
        faults.add("yaml-depth", path, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
        return None
    if isinstance(value, list | tuple):
        inner = element_model(annotation, list(value))
        return [_ordered(each, inner, faults, join(path, index), depth + 1) for index, each in enumerate(value)]
    if not isinstance(value, Mapping):
        return _scalar(value, faults, path)
    model = element_model(annotation, value)
    standard_keys = key_order(model) if model else {}
    for key in value:
        _inspect_key(key, faults, path)
    keys = [key for key in _sequence(standard_keys) if key in value]
    keys += [key for key in value if isinstance(key, str) and key not in standard_keys]
    return {key: _ordered(value[key], standard_keys.get(key), faults, join(path, key), depth + 1) for key in keys}


def _sequence(table: Mapping[str, Any]) -> list[str]:
    return [*(key for key in LEADING if key in table), *(key for key in table if key not in LEADING)]


def _inspect_key(key: Any, faults: Faults, path: str) -> None:
    if not isinstance(key, str):
        faults.add("yaml-key-type", path, "has a key that is not a string")
    elif SURROGATE.search(key):
        faults.add("text-encoding", path, "has a key that is not Unicode text")


def _scalar(value: Any, faults: Faults, path: str) -> Any:
    if isinstance(value, float) and not isfinite(value):
        faults.add("yaml-number", path, "is not a finite number")
    elif isinstance(value, int) and abs(value) >= 10 ** (MAX_NUMBER - 1):
        faults.add("yaml-number", path, f"is a number with more than {MAX_NUMBER} characters")
    elif isinstance(value, str) and SURROGATE.search(value):
        faults.add("text-encoding", path, "is not Unicode text")
    elif not isinstance(value, str | int | float | None):
        faults.add("yaml-type", path, "is not plain data")
    else:
        return value
    return None


class _Dumper(yaml.SafeDumper):
    """PyYAML's dumper without aliases, with indented lists and defensive quoting."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002
        super().increase_indent(flow, False)


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if not text.isprintable() else "'" if _is_ambiguous(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_ambiguous(text: str) -> bool:
    """Return whether YAML 1.2 would read the plain text as another type; PyYAML itself covers YAML 1.1."""
    try:
        return text in TRUTHS or not isinstance(resolve(text), str)
    except ValueError:
        return True


_Dumper.add_representer(str, _represent_text)
