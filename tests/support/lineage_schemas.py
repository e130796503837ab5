"""The standard's JSON Schemas, strictly: an event by the core, and every facet by the schema that it names itself."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry
from support.required import shared

from treaty.registry.lineage.events.facet import FACET, facet_schema

CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
GROUPS = ("facets", "inputFacets", "outputFacets")


def faults(event: Mapping[str, Any]) -> list[str]:
    """All that is wrong with the event; [] for none."""
    named = (("", f"{CORE}#/$defs/RunEvent", event), *_facets(event))
    return [
        f"{where} {each.instance_path}: {each.message}" for where, url, part in named for each in _errors(url, part)
    ]


def _errors(url: str, part: Any) -> Iterator[Any]:
    checks = Draft202012Validator({"$ref": url}, registry=_known(), validate_formats=True)
    return iter(checks.iter_errors(part))


def _facets(event: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Where each facet stands, its schema and itself."""
    parts = [("run", event["run"]), ("job", event["job"])]
    parts += [(f"{kind}[{at}]", each) for kind in ("inputs", "outputs") for at, each in enumerate(event[kind])]
    for where, part in parts:
        for group in GROUPS:
            for name, facet in part.get(group, {}).items():
                yield f"{where}.{group}.{name}", _schema_of(facet), facet


def _schema_of(facet: Mapping[str, Any]) -> str:
    url = str(facet["_schemaURL"])
    return f"treaty:{FACET}#/$defs/{FACET}" if FACET in url else url


@cache
def _known() -> Registry:
    folder = shared("data", "openlineage", "schema")
    found = [json.loads(each.read_text(encoding="utf-8")) for each in folder.glob("**/*.json")]
    return Registry([*((each["$id"], each) for each in found), (f"treaty:{FACET}", facet_schema())])
