"""The facet of events that is this service's own: its name, its version, and the schema that says what is in it."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

FACET = "TreatyContractRunFacet"
FACET_VERSION = "1-0-0"


@cache
def facet_schema() -> dict[str, Any]:
    """The JSON Schema of the facet, without the address that it is served at."""
    text = files("treaty.registry.lineage.events").joinpath(f"{FACET}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
