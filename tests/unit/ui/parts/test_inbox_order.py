"""What waits for somebody and in which order, what happened to a contract, and what bad data reached: as values."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from treaty.engine.core.results import Verdict
from treaty.registry.schemas import (
    AcknowledgementOut,
    ContractOut,
    DownstreamImpactOut,
    InboxOut,
    IncidentOut,
    ProposalSummaryOut,
    ReplayedCheckOut,
    RunSummaryOut,
    VersionOut,
)
from treaty.ui.parts.contract import activity, contract_rows, header
from treaty.ui.parts.inbox import inbox_order
from treaty.ui.parts.review import check_editor
from treaty.ui.parts.run import downstream
from treaty.ui.widgets import menu

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOBODY: dict[str, Any] = {"to_decide": (), "awaiting_others": (), "affecting": (), "failed_runs": ()}


def run(number: int, verdict: str, *, hours: int = 0) -> RunSummaryOut:
    told: dict[str, Any] = {
        "contract_id": "shop", "version": "1.0.0", "object": "orders", "partitions": (), "outcome_counts": {},
        "rows": 1, "started_at": NOW, "reason": None,
    }  # fmt: skip
    return RunSummaryOut(**told, id=UUID(int=number), verdict=Verdict(verdict), finished_at=NOW + hours * HOUR)


def question(number: int, *, deadline: int | None, answer: str = "pending") -> AcknowledgementOut:
    told: dict[str, Any] = {
        "contract_id": "shop", "version": "2.0.0", "subscription_id": UUID(int=9), "subscriber": "ann", "purpose": "p",
        "breaking_reasons": (), "comment": None, "answered_at": None, "state": answer,
    }  # fmt: skip
    until = None if deadline is None else NOW + deadline * HOUR
    return AcknowledgementOut(**told, id=UUID(int=number), requested_at=NOW + number * HOUR, due_at=until)


def proposal(number: int, *, hours: int = 0, state: str = "in_review") -> ProposalSummaryOut:
    told: dict[str, Any] = {
        "contract_id": "shop", "title": f"draft {number}", "author": "ann", "state": state, "revision": 1,
        "pending": 1, "accepted": 0, "rejected": 0, "approvals": 0, "voided_approvals": False,
    }  # fmt: skip
    return ProposalSummaryOut(**told, id=UUID(int=number), created_at=NOW + hours * HOUR)


def inbox(**found: Any) -> InboxOut:
    return InboxOut.model_validate({**NOBODY, **found})


def test_what_failed_stands_before_what_could_not_be_told_and_the_newest_first() -> None:
    runs = [run(1, "not_evaluated", hours=9), run(2, "failed"), run(3, "failed", hours=2)]
    assert [each.id.int for each in inbox_order.failed(inbox(failed_runs=tuple(runs)))] == [3, 2, 1]


def test_the_nearest_deadline_stands_first_and_what_was_answered_waits_no_more() -> None:
    asked = (question(1, deadline=None), question(2, deadline=48), question(3, deadline=5))
    answered = question(4, deadline=1, answer="acknowledged")
    waiting = inbox_order.pending_acknowledgements(inbox(acknowledgements=(*asked, answered)))
    assert [each.id.int for each in waiting] == [3, 2, 1]


def test_the_menu_counts_what_waits_for_oneself_and_not_what_others_decide() -> None:
    found = inbox(
        failed_runs=(run(1, "failed"),), acknowledgements=(question(2, deadline=None),),
        to_decide=(proposal(3, hours=2), proposal(4)), awaiting_others=(proposal(5),), affecting=(proposal(6),),
    )  # fmt: skip
    assert [each.id.int for each in inbox_order.urgent(found)] == [1, 2, 4, 3]


@pytest.mark.parametrize(
    ("found", "empty"),
    [
        ({}, True),
        ({"awaiting_others": (proposal(1),)}, False),
        ({"acknowledgements": (question(1, deadline=1, answer="notified"),)}, True),
    ],
)
def test_an_inbox_is_empty_where_nothing_waits_for_anybody(found: dict[str, Any], empty: bool) -> None:
    assert inbox_order.is_empty(inbox(**found)) is empty


def contract(**more: Any) -> ContractOut:
    told: dict[str, Any] = {
        "id": "shop", "name": "Shop", "owner": "ann", "active_version": None, "created_at": NOW, "last_run": None,
        "open_proposals": 0, "versions": (), "datasets": (), "runs": (),
    }  # fmt: skip
    return ContractOut.model_validate({**told, **more})


def version(state: str, **more: Any) -> VersionOut:
    told: dict[str, Any] = {
        "version": "1.0.0", "fingerprint": "f", "group": "1", "approved_by": "bob", "approved_at": NOW, "state": state,
        "proposal_id": None, "effective_from": None, "effective_until": None, "activated_at": None, "ended_at": None,
        "successor_version": None, "reason": None,
    }  # fmt: skip
    return VersionOut.model_validate({**told, **more})


def incident(state: str, **more: Any) -> IncidentOut:
    told: dict[str, Any] = {
        "id": UUID(int=7), "contract_id": "shop", "object": "orders", "revision": 1, "opened_at": NOW + 3 * HOUR,
        "updated_at": NOW, "started_at": NOW, "columns": None, "recovered_at": None, "reopen_count": 0,
        "growth_count": 0, "assignee": None,
        "acknowledged_by": None, "snoozed_until": None, "resolution": None, "resolved_at": None, "resolved_by": None,
        "comment": None, "duplicate_of": None, "objects": (), "state": state, "etag": '"1"',
    }  # fmt: skip
    return IncidentOut.model_validate({**told, **more})


def test_the_activity_has_the_newest_first_without_runs_that_passed() -> None:
    of = contract(
        versions=(version("retired", activated_at=NOW + HOUR, ended_at=NOW + 4 * HOUR, reason="a new shop"),),
        runs=(run(1, "failed", hours=2), run(2, "passed", hours=9)),
    )
    ended = incident("resolved", resolution="fixed", resolved_at=NOW + 5 * HOUR, resolved_by="cy")

    found = contract_rows.activity(of, [proposal(1, hours=-1, state="approved")], [ended])

    assert [(each.actor, each.description) for each in found] == [
        ("cy", "incident on orders resolved: data fixed"),
        ("", "version 1.0.0 is retired: a new shop"),
        ("", "incident opened on orders"),
        ("", "run on orders: failed"),
        ("", "version 1.0.0 became active"),
        ("bob", "approved version 1.0.0"),
        ("ann", "proposed “draft 1” (approved)"),
    ]


def test_the_activity_is_taken_away_without_formulas() -> None:
    found = [
        contract_rows.ActivityEvent(
            kind="Proposal", time=NOW, actor="=cmd", description="proposed “@x”", address="/review?proposal=1"
        )
    ]
    assert activity.exported(found).splitlines() == [
        "Time,Kind,User,Description,Open",
        "2026-03-01 00:00:00 UTC,Proposal,'=cmd,proposed “@x”,/review?proposal=1",
    ]


@pytest.mark.parametrize(
    ("hours", "expected"), [([], None), ([0, 24, 48, 72], None), ([0, 24, 48, 60, 84], 108), ([9, 5, 1, 3, 7, 9], 11)]
)
def test_the_next_run_is_expected_as_often_as_the_last_ones_came(hours: list[int], expected: int | None) -> None:
    runs = [run(at, "passed", hours=each) for at, each in enumerate(hours)]
    assert header.rhythm(runs) == (None if expected is None else NOW + expected * HOUR)


def test_addresses_hold_foreign_ids_as_one_value_each() -> None:
    assert contract_rows.address("contract", id="a&tab=b/ü") == "/contract?id=a%26tab%3Db%2F%C3%BC"


@pytest.mark.parametrize(("older", "newer", "shown"), [("a\nb", "a\nb", ""), ("a\nb", "a\nc", "-b\n+c")])
def test_two_texts_differ_by_their_lines(older: str, newer: str, shown: str) -> None:
    told = contract_rows.lines(older, newer, names=("1", "2"))
    assert (shown in told, bool(told)) == (True, bool(shown))


def reached(consumers: int) -> DownstreamImpactOut:
    touched = {
        "contract_id": "c", "object": "o", "owner": "x", "consumers": [(f"team {n}", "p") for n in range(consumers)],
    }  # fmt: skip
    entry = {
        "namespace": "n", "name": "d", "distance": 1, "contamination": "contaminated", "reached_at": None,
        "is_direct": True, "is_table_level": False, "columns": None, "path": (), "contracts": [touched], "owners": (),
    }  # fmt: skip
    told: dict[str, Any] = {"namespace": "n", "name": "s", "started_at": NOW, "ended_at": None, "columns": None}
    rest = {"is_hypothetical": False, "contracts": (), "complete": True, "datasets": [entry] if consumers >= 0 else []}
    return DownstreamImpactOut.model_validate({**told, **rest})


@pytest.mark.parametrize(
    ("consumers", "said"),
    [
        (-1, "no downstream datasets known"),
        (0, "1 dataset downstream"),
        (2, "1 dataset downstream, used by team 0 and team 1"),
        (6, "1 dataset downstream, used by team 0, team 1, team 2, team 3, team 4 and 1 more"),
    ],
)
def test_what_bad_data_reached_is_told_with_whom_it_hits(consumers: int, said: str) -> None:
    assert downstream.impact_sentence(reached(consumers)) == said


def replayed(judged: int, alerts: list[str]) -> ReplayedCheckOut:
    nothing = {"count": 0, "names": ()}
    new = {
        "scope": "delta", "severity": "error", "sentence": "s", "unit": "days", "evaluated": judged,
        "not_applicable": 0, "alerts": {"count": len(alerts), "names": alerts},
        "not_evaluated": [{"count": 1, "names": ["a"], "reason": "no state"}] if not judged else [],
    }  # fmt: skip
    told = {"check_id": "c", "name": "c", "sentence": "s", "old": None, "new": new}
    return ReplayedCheckOut.model_validate(
        {**told, "new_alerts": nothing, "resolved_alerts": nothing, "unchanged_alerts": nothing}
    )


@pytest.mark.parametrize(
    ("judged", "alerts", "said"),
    [
        (25, [], "it alerts on none of 25 days"),
        (25, ["d1", "d2"], "it alerts on 2 of 25 days: d1, d2"),
        (0, [], "it could not be evaluated: no state"),
    ],
)
def test_what_an_edited_check_says_of_stored_data_is_told(judged: int, alerts: list[str], said: str) -> None:
    assert check_editor.replay_text(replayed(judged, alerts)) == said


def test_every_page_has_one_place_and_a_module() -> None:
    names = [each.name for each in menu.ENTRIES]
    modules = {path.stem for path in (Path(menu.__file__).parents[1] / "app_pages").glob("*.py")}
    assert len(set(names)) == len(names)
    assert set(names) == modules - {"__init__"}
    assert menu.addresses()[0] == "/"
