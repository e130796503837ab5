"""Every method of the client, held against the API's own description of itself."""

from functools import cache
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel
from sqlalchemy import create_engine
from support.client_calls import faults, methods

from treaty.registry import schemas
from treaty.registry.api.app import create_app
from treaty.registry.client import Client
from treaty.registry.core.settings import RegistrySettings


@cache
def described() -> dict[str, Any]:
    return create_app(RegistrySettings(), create_engine("sqlite://")).openapi()


def test_every_call_of_the_client_is_as_the_api_describes_it() -> None:
    assert len(methods(Client)) > 100
    assert faults(Client, described()) == []


class Because(BaseModel):
    because: str = "a reason"


class Wrong(Client):
    """A client with one mistake in each method."""

    def wrong_path(self, run_id: UUID) -> schemas.RunOut:
        return self._get(schemas.RunOut, f"/run/{run_id}")

    def wrong_verb(self, run_id: UUID) -> schemas.RunOut:
        return self._post(schemas.RunOut, f"/runs/{run_id}")

    def wrong_place(self, name: str) -> schemas.RunOut:
        return self._get(schemas.RunOut, f"/runs/{name}")

    def wrong_query(self, contract: str) -> schemas.ContractOut:
        return self._get(schemas.ContractOut, "/contract", of=contract)

    def wrong_value(self, state: str) -> list[schemas.TaskSummaryOut]:
        return self._list(schemas.Page[schemas.TaskSummaryOut], "/incidents", state=state)

    def wrong_body(self, proposal_id: UUID) -> schemas.ProposalOut:
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/reject", Because(because="a reason"))

    def no_body(self, proposal_id: UUID) -> schemas.ProposalOut:
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/reject")

    def body_too_many(self, proposal_id: UUID) -> schemas.ProposalOut:
        return self._post(schemas.ProposalOut, f"/proposals/{proposal_id}/submit", Because(because="a reason"))

    def wrong_answer(self, run_id: UUID) -> schemas.RunSummaryOut:
        return self._get(schemas.RunSummaryOut, f"/runs/{run_id}")

    def argument_lost(self, run_id: UUID, partition: str | None = None) -> schemas.RunOut:
        return self._get(schemas.RunOut, f"/runs/{run_id}")


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("wrong_path", "no route is GET /api/v1/run/"),
        ("wrong_verb", "no route is POST /api/v1/runs/"),
        ("wrong_place", "run_id of the path is no"),
        ("wrong_query", "the query takes no of"),
        ("wrong_query", "the query needs contract_id"),
        ("wrong_value", "state of the query is no"),
        ("wrong_body", "Additional properties are not allowed ('because' was unexpected)"),
        ("wrong_body", "'reason' is a required property"),
        ("no_body", "the route needs a body"),
        ("body_too_many", "the route takes no body"),
        ("wrong_answer", "the route does not answer <class 'treaty.registry.schemas.contracts.RunSummaryOut'>"),
        ("argument_lost", "the argument partition changes nothing of what is sent"),
    ],
)
def test_a_client_that_is_wrong_is_found_out(method: str, says: str) -> None:
    assert [each for each in faults(Wrong, described(), [method]) if says in each]
