"""All kinds of catalogs over real HTTP: paths, queries and bodies arrive as they were meant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest
from support.catalog_answers import MANY, Recorded, SourceCase
from support.iceberg_rest import Reply, serving
from support.recorded_datahub import DATAHUB
from support.recorded_gravitino import GRAVITINO
from support.recorded_openmetadata import OPENMETADATA
from support.recorded_unity import DATABRICKS, UNITY

from treaty.registry.catalogs.model import TableFacts
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest
from treaty.registry.catalogs.transport import CatalogTransport, RequestBudget
from treaty.registry.notifications.transport.egress import ANYWHERE

CASES = (UNITY, DATABRICKS, OPENMETADATA, DATAHUB, GRAVITINO)


@dataclass
class RecordedServer:
    """A catalog that answers HTTP requests with recorded contents."""

    recorded: Recorded
    requests: list[str] = field(default_factory=list)
    faults: dict[int, Callable[[], Reply]] = field(default_factory=dict)

    def answer(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> CatalogAnswer:
        """Answer a request."""
        self.requests.append(f"{method} {path}")
        return self.recorded(CatalogRequest(method=method, path=path, query=query, headers=headers, body=body))


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.kind.name)
@pytest.mark.parametrize("listed", [True, False], ids=["listed", "alone"])
def test_all_facts_are_read_over_http(case: SourceCase, listed: bool) -> None:
    server = RecordedServer(Recorded(dict(case.contents)), faults={1: lambda: Reply(503)})
    budget = RequestBudget.of(requests=100, seconds=60)
    with (
        serving(server) as url,
        CatalogTransport(  # type: ignore[arg-type]
            address=url, within=ANYWHERE, budget=budget, sleep=lambda _: None
        ) as http,
    ):
        reader = http.run(case.kind.open(case.access))
        tables = http.run(reader.listing(MANY)).tables if listed else ()
        facts = http.run(reader.load(case.changed, ""))
    assert [each.identifier for each in tables] == ([each.identifier for each in case.facts] if listed else [])
    assert isinstance(facts, TableFacts)
    assert replace(facts, token="") == next(each for each in case.facts if each.identifier == case.changed)
