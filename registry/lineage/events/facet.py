"""Define the custom facet of Treaty's events: name, version and JSON Schema."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

FACET = "TreatyContractRunFacet"
FACET_VERSION = "1-0-0"


@cache
def facet_schema() -> dict[str, Any]:
    """Return the JSON Schema of the facet, without `$id`."""
    text = files("treaty.registry.lineage.events").joinpath(f"{FACET}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
