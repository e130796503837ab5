"""Every page over a real registry, without a browser: what it shows, and what its buttons do there."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlmodel import select
from streamlit.testing.v1 import AppTest
from support.events import event, output
from support.fits import fit
from support.histories import history
from support.iceberg_rest import IcebergCatalog, serving
from support.ui import HOSTILE, Shop, drafted, shop, suggestions

from treaty.engine.analyzers import ANALYZERS
from treaty.engine.core import clock
from treaty.engine.core.learning_options import PatternOptions
from treaty.engine.core.results import Outcome, Verdict
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.profile.document import document
from treaty.registry import schemas
from treaty.registry.catalogs import table_store
from treaty.registry.catalogs.model import ColumnFacts, LoadedTable, TableFacts
from treaty.registry.client import Client, ClientError
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Decision, FeedbackKind, IncidentState, Permission, Resolution, TaskState
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets.names import LineageName
from treaty.registry.drafting import profiles
from treaty.registry.exchange.exports import FORMS
from treaty.registry.schemas.catalogs import CatalogConnectionUpdateIn
from treaty.registry.tables import (
    CatalogConnectionRow,
    CatalogTableRow,
    CheckResultRow,
    ProposalRow,
    ProposalSuggestionRow,
    RunRow,
    TaskRow,
    UserRow,
)
from treaty.registry.worker.loop import Worker
from treaty.ui import asgi
from treaty.ui import texts as ui_texts
from treaty.ui.widgets import viewer

pytestmark = pytest.mark.journey
SCRIPT = Path(asgi.__file__).parent / "app.py"
Open = Callable[..., AppTest]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    made = shop(tmp_path_factory.mktemp("shop"))
    made.close()
    return made


@pytest.fixture
def the_shop(template: Shop, tmp_path: Path) -> Iterator[Shop]:
    copy = template.copy(tmp_path)
    yield copy
    copy.close()


@pytest.fixture
def open_page(the_shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a page as a user: `open_page("owner", "review", proposal=...)`."""

    def opened(who: str, page: str, **asked: Any) -> AppTest:
        monkeypatch.setattr(viewer, "signed_in", lambda: True)
        monkeypatch.setattr(viewer, "registry", lambda: the_shop.client(who))
        at = AppTest.from_file(str(SCRIPT), default_timeout=30).run()
        at.switch_page(f"app_pages/{page}.py")
        for name, value in asked.items():
            at.query_params[name] = str(value)
        return shown(at)

    return opened


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the process's main module back: the page takes its place, and child processes would run the page."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def shown(at: AppTest) -> AppTest:
    """The page after a run, which must not have failed."""
    at.run()
    assert not at.exception
    return at


def texts(at: AppTest) -> str:
    """All that the page says, word joiners left out."""
    parts = [*at.title, *at.subheader, *at.markdown, *at.text, *at.caption, *at.warning, *at.success, *at.code]
    parts += [*at.get("page_link")]
    said = "\n".join(str(getattr(each, "value", "")) for each in parts)
    return said.replace("\u2060", "").replace("\\", "")


def first_card(the_shop: Shop) -> UUID:
    return the_shop.client("owner").proposal(the_shop.review).suggestions[0].id


def decisions(the_shop: Shop) -> list[Decision]:
    return [each.decision for each in the_shop.client("owner").proposal(the_shop.review).suggestions]


def click(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return shown(at)


def submit(at: AppTest, label: str) -> AppTest:
    """The page after the form's button of that label was clicked."""
    next(each for each in at.get("form_submit_button") if each.label == label).click()
    return shown(at)


def test_the_inbox_lists_what_needs_the_owner(open_page: Open) -> None:
    said = texts(open_page("owner", "inbox"))

    assert "Needs attention (1)" in said
    assert "Needs your review (2)" in said
    assert "Waiting for others (1)" in said
    assert "0 of 10 suggestions decided · by producer · shop-orders" in said


def test_an_empty_inbox_says_so_and_what_was_judged_last(open_page: Open) -> None:
    said = texts(open_page("viewer", "inbox"))
    assert "Your inbox is empty" in said
    assert said.index("Latest runs") < said.index("shop-sales · orders day=2026-02-25")


def test_the_menu_counts_what_waits(open_page: Open, the_shop: Shop) -> None:
    waiting = the_shop.client("owner").inbox()

    assert len(waiting.to_decide) + len(waiting.failed_runs) == 3
    assert "owner" in texts(open_page("owner", "inbox"))


def test_the_review_begins_with_its_verdict(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review)

    said = texts(at)

    assert "10 suggestions: 0 accepted, 0 rejected, 10 pending" in said
    assert "31,240 in 25 partitions" in said
    assert "order_id is required" in said
    assert "Satisfied in 25 of 25 partitions · learned on 18, tested on 7 · 31,240 rows" in said


def test_a_suggestion_is_accepted_and_the_acceptance_undone(open_page: Open, the_shop: Shop) -> None:
    at, card = open_page("owner", "review", proposal=the_shop.review), first_card(the_shop)

    click(at, f"accept-{card}")
    accepted = decisions(the_shop)[0]
    click(at, f"undo-{card}")

    assert (accepted, decisions(the_shop)[0]) == (Decision.ACCEPTED, Decision.PENDING)


def test_a_rejection_needs_a_reason_and_keeps_it(open_page: Open, the_shop: Shop) -> None:
    at, card = open_page("owner", "review", proposal=the_shop.review), first_card(the_shop)

    click(at, f"reject-{card}")
    click(at, f"confirm-{card}")
    refused = decisions(the_shop)[0], texts(at)
    at.text_input(key=f"reason-{card}").set_value("too narrow on holidays")
    click(at, f"confirm-{card}")

    kept = the_shop.client("owner").proposal(the_shop.review).suggestions[0]
    assert refused[0] is Decision.PENDING
    assert "Enter a reason" in refused[1]
    assert (kept.decision, kept.reason) == (Decision.REJECTED, "too narrow on holidays")
    assert "too narrow on holidays" in texts(at)


def banded(the_shop: Shop) -> UUID:
    suggested = the_shop.client("owner").proposal(the_shop.review).suggestions
    return next(each.id for each in suggested if each.content["kind"] == "row_count_band")


def test_a_check_is_edited_on_its_card_and_both_are_held_against_what_is_stored(
    open_page: Open, the_shop: Shop
) -> None:
    at, card = open_page("owner", "review", proposal=the_shop.review), banded(the_shop)
    click(at, f"edit-{card}")
    at.text_area(key=f"text-{card}").set_value("not a mapping")
    click(at, f"save-{card}")
    refused = texts(at)
    at.text_area(key=f"text-{card}").set_value("quality: {id: row-count-band-table, name: fewer, type: text}")
    at.text_input(key=f"edit-reason-{card}").set_value("holidays are quiet")
    click(at, f"save-{card}")

    kept = next(each for each in the_shop.client("owner").proposal(the_shop.review).suggestions if each.id == card)
    assert "This is not a YAML mapping" in refused
    assert (kept.decision, kept.reason) == (Decision.ACCEPTED, "holidays are quiet")
    assert kept.edited_patch == {"quality": {"id": "row-count-band-table", "name": "fewer", "type": "text"}}
    assert "Edited. The sentence above describes the draft" in texts(at)
    assert any("Compare draft and edit" in each.label for each in at.expander)


def test_plain_words_of_a_column_are_accepted_or_rejected_and_not_edited(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review, kind="required")
    assert not [each for each in at.button if str(each.key).startswith("edit-")]


def test_a_rejection_that_is_cancelled_changes_nothing(open_page: Open, the_shop: Shop) -> None:
    at, card = open_page("owner", "review", proposal=the_shop.review), first_card(the_shop)

    click(at, f"reject-{card}")
    click(at, f"cancel-{card}")

    assert decisions(the_shop)[0] is Decision.PENDING
    assert at.button(key=f"accept-{card}")


def test_all_that_held_everywhere_is_accepted_at_once_and_nothing_else(open_page: Open, the_shop: Shop) -> None:
    click(open_page("owner", "review", proposal=the_shop.review), "accept-all")

    assert [each.value for each in decisions(the_shop)] == ["accepted"] * 9 + ["pending"]


def test_the_clauses_of_a_program_are_accepted_together(open_page: Open, the_shop: Shop) -> None:
    clause = suggestions()[7]
    drawn = [{**clause, "kind": "program", "id": f"orders.amount.program-{at}"} for at in range(3)]
    review = drafted(the_shop.world, "producer", "shop-program", [*drawn, suggestions()[6]])
    at = open_page("owner", "review", proposal=review)
    said = texts(at)

    click(at, next(each.key for each in at.button if "Accept program (3 clauses)" in each.label))

    found = the_shop.client("owner").proposal(review).suggestions
    assert "A program of 3 clauses, learned together" in said
    assert [each.decision.value for each in found] == ["accepted"] * 3 + ["pending"]


def test_many_are_seen_as_a_table_that_says_which_are_decided_alone(open_page: Open, the_shop: Shop) -> None:
    mark_critical(the_shop, "status")
    at = open_page("owner", "review", proposal=the_shop.review, view="Table")
    rows = at.dataframe[0].value

    alone = dict(zip(rows["Rule"], rows["Decide individually"], strict=True))
    assert alone["status is required"] == "critical data element"
    assert alone["country is required"] == "has violations"
    assert alone["order_id is unique in the whole table"] == ""
    assert at.button(key="accept-chosen").disabled
    assert "Accept all 7 without violations" in [each.label for each in at.button]


def mark_critical(the_shop: Shop, column: str) -> None:
    with transaction(the_shop.world.engine) as tx:
        for row in tx.exec(select(ProposalSuggestionRow).where(ProposalSuggestionRow.proposal_id == the_shop.review)):
            if row.content["column"] == column:
                row.content = {**row.content, "critical": True}
        tx.commit()


def test_the_filters_leave_what_they_name(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review, column="status", kind="known values")

    said = texts(at)

    assert "status is one of 4 known values" in said
    assert "status is required" not in said


def test_optional_suggestions_are_shown_on_request(open_page: Open, the_shop: Shop) -> None:
    with transaction(the_shop.world.engine) as tx:
        for row in tx.exec(select(ProposalSuggestionRow).where(ProposalSuggestionRow.proposal_id == the_shop.review)):
            row.optional = row.content["kind"] == "complete"
        tx.commit()
    at = open_page("owner", "review", proposal=the_shop.review)

    hidden = texts(at)
    (toggle,) = [each for each in at.toggle if each.label.startswith("Show ")]
    toggle.set_value(True).run()

    assert "customer_id is required" not in hidden
    assert f"0 of {the_shop.client('owner').proposal(the_shop.review).pending} decided" in at.get("progress")[0].text
    assert "customer_id is required" in texts(at)


def test_a_decision_over_a_newer_one_says_who_was_faster_and_keeps_the_reason(open_page: Open, the_shop: Shop) -> None:
    at, card = open_page("owner", "review", proposal=the_shop.review), first_card(the_shop)
    click(at, f"reject-{card}")
    at.text_input(key=f"reason-{card}").set_value("typed with care")
    other = the_shop.client("other-owner")
    seen = other.proposal(the_shop.review)
    other.decide(seen.id, [seen.suggestions[1].id], Decision.ACCEPTED, revision=seen.revision)

    click(at, f"confirm-{card}")

    assert "other-owner" in texts(at)
    assert at.text_input(key=f"reason-{card}").value == "typed with care"
    assert decisions(the_shop)[0] is Decision.PENDING


def test_approval_waits_until_everything_is_decided(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review)

    assert at.button(key="approve").disabled


def test_the_approved_document_is_the_one_that_was_shown(open_page: Open, the_shop: Shop) -> None:
    accept_everything(the_shop)
    at = open_page("owner", "review", proposal=the_shop.review)

    click(at, "approve")

    assert "Version 1.0.0 is active" in texts(at)
    assert the_shop.client("owner").contract("shop-orders").active_version == "1.0.0"


def test_approving_a_document_that_changed_meanwhile_is_refused_and_says_so(open_page: Open, the_shop: Shop) -> None:
    accept_everything(the_shop)
    at = open_page("owner", "review", proposal=the_shop.review)
    reject_first(the_shop)

    click(at, "approve")

    assert "to rejected in the meantime" in texts(at)
    assert the_shop.client("owner").proposal(the_shop.review).state.value == "in_review"
    click(at, "approve")
    assert the_shop.client("owner").contract("shop-orders").active_version == "1.0.0"


def test_the_author_is_told_that_somebody_else_approves(open_page: Open, the_shop: Shop) -> None:
    at = open_page("producer", "review", proposal=the_shop.review)

    assert "someone else must approve" in at.get("progress")[0].text
    with pytest.raises(KeyError):
        at.button(key="approve")


def test_the_author_submits_a_draft(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.own)

    click(at, "submit")

    assert the_shop.client("owner").proposal(the_shop.own).state.value == "in_review"
    assert "Submitted" in texts(at)


def test_an_owner_asks_for_changes_and_takes_that_back(open_page: Open, the_shop: Shop) -> None:
    at = click(open_page("owner", "review", proposal=the_shop.review), "request-changes")
    assert "Enter a summary" in texts(at)
    at.text_area(key="summary").set_value("say why <b>it</b> is unique")
    click(at, "request-changes")

    asked = the_shop.client("producer").proposal(the_shop.review)
    assert (asked.state.value, [each.text for each in asked.change_requests]) == (
        "changes_requested",
        ["say why <b>it</b> is unique"],
    )
    assert "you requested changes" in texts(at)
    assert at.get("progress")[0].text.endswith("changes requested by owner")
    with pytest.raises(KeyError):
        at.button(key="approve")

    click(at, "take-changes-back")
    assert the_shop.client("owner").proposal(the_shop.review).state.value == "in_review"


def test_a_draft_is_put_off_and_given_and_both_are_taken_back(open_page: Open, the_shop: Shop) -> None:
    owner, at = the_shop.client("owner"), open_page("owner", "inbox")
    at.checkbox(key=f"choose-{the_shop.review}").check()
    at.run().menu_button(key="later-decide").click("1 day")
    assert "snoozed until" in texts(shown(at))
    assert [each.id for each in owner.inbox().snoozed] == [the_shop.review]
    click(at, "take-back")
    assert "Undone" in texts(at)

    at.checkbox(key=f"choose-{the_shop.review}").check()
    at.run().text_input(key="decider").set_value("producer")
    assert "this user cannot be assigned" in texts(click(at, "hand-over"))
    at.text_input(key="decider").set_value("admin")
    click(at, "hand-over")
    assert owner.proposal(the_shop.review).assignee == "admin"
    click(at, "take-back")
    assert owner.proposal(the_shop.review).assignee is None


def test_what_was_put_off_is_brought_back(open_page: Open, the_shop: Shop) -> None:
    owner = the_shop.client("owner")
    owner.snooze_proposal(the_shop.review, clock.now() + timedelta(days=1))
    at = open_page("owner", "inbox")
    at.session_state["put-off"] = True
    click(shown(at), f"back-{the_shop.review}")
    assert owner.inbox().snoozed == ()


def test_the_author_finds_what_is_asked_of_them(open_page: Open, the_shop: Shop) -> None:
    the_shop.client("owner").request_changes(the_shop.review, "why?", revision=1)
    at = open_page("producer", "inbox")
    assert "1 proposal to change" in texts(at)
    assert "changes requested by owner" in texts(at)


def test_the_author_withdraws_a_proposal(open_page: Open, the_shop: Shop) -> None:
    at = click(open_page("producer", "review", proposal=the_shop.review), "withdraw")

    assert the_shop.client("owner").proposal(the_shop.review).state.value == "withdrawn"
    assert not at.get("page_link")


def test_a_draft_is_rejected_with_a_reason(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review)

    click(at, "decline-confirm")
    still = the_shop.client("owner").proposal(the_shop.review).state.value
    at.text_input(key="decline-reason").set_value("another team drafts it")
    click(at, "decline-confirm")

    assert still == "in_review"
    assert "Rejected by owner: another team drafts it" in texts(at)


def test_a_viewer_sees_the_review_without_buttons(open_page: Open, the_shop: Shop) -> None:
    at = open_page("viewer", "review", proposal=the_shop.review)

    assert "order_id is required" in texts(at)
    assert not [each for each in at.button if each.key and each.key.startswith(("accept", "reject", "approve"))]


def test_contracts_are_found_by_their_words(open_page: Open) -> None:
    assert "shop-sales" in texts(open_page("viewer", "contracts", q="sales owner"))
    assert "No matching contracts" in texts(open_page("viewer", "contracts", q="nowhere"))


@pytest.mark.parametrize(
    ("tab", "said"),
    [
        ("Overview", "Columns (6)"),
        ("Checks", "Explicit checks (2)"),
        ("Versions", "apiVersion"),
        ("Diff", "Nothing to compare"),
        ("Runs", "612 rows"),
        ("History", "Show as table"),
    ],
)
def test_each_tab_of_a_contract_has_an_address(open_page: Open, tab: str, said: str) -> None:
    at = open_page("viewer", "contract", id="shop-sales", tab=tab)

    assert said in texts(at) + " ".join(each.label for each in at.expander)


def test_a_contract_says_who_judges_what_and_is_handed_on_in_every_form(open_page: Open, the_shop: Shop) -> None:
    at = open_page("viewer", "contract", id="shop-sales", tab="Overview")
    table = open_page("viewer", "contract", id="shop-sales", tab="Checks").dataframe[0].value

    labels = [each.label for each in at.expander]
    checks = the_shop.client("viewer").checks("shop-sales").checks

    assert "Export for other tools" in {label.split(":")[-1].strip() for label in labels}
    assert set(table["Evaluated"]) == {ui_texts.RUNNERS[each.runner.value] for each in checks}
    assert list(table["Latest"]) == ["✗ Failed", "✗ Failed"]
    assert table["History"].iloc[0] == "/metric?contract=shop-sales&object=orders&check=row-count"
    assert {each.runner.value for each in checks} <= set(ui_texts.RUNNERS)
    assert set(ui_texts.EXPORTS) == set(FORMS)


def stated(the_shop: Shop) -> None:
    """A catalog that has read facts about the contract's dataset, and a table that it has dropped since."""
    now = clock.now()
    with transaction(the_shop.world.engine) as tx:
        parts = {"options": {}, "namespaces": {}, "next_read_at": now, "created_at": now, "created_by": "admin"}
        source = CatalogConnectionRow(id=ids.new(), name="lake", kind="iceberg", address="https://c.example", **parts)
        tx.add(source)
        tx.flush()
        (dataset, _) = lookup.datasets(tx, "shop-sales")[0]
        named = {"names": (LineageName(dataset.namespace, dataset.name),), "owners": ("Ann",)}
        column = ColumnFacts(name="mail", type="string", comment="of the buyer", tags={"pii": None, "level": "high"})
        facts = TableFacts(identifier=("shop", "orders"), columns=(column,), description="<b>Sales</b>", **named)
        old = TableFacts(identifier=("shop", "old"), location=dataset.location, **named)
        loaded: dict[str, LoadedTable] = {"shop.orders": facts, "shop.old": old}
        table_store.store(tx, source, loaded, now=now, ids=ids.new)
        for row in tx.exec(select(CatalogTableRow)).all():
            row.namespace, row.name = dataset.namespace, dataset.name
        table_store.drop(tx, source.id, ["shop.old"], now=now)
        tx.commit()


def test_a_contract_shows_what_catalogs_state_about_its_datasets(open_page: Open, the_shop: Shop) -> None:
    at = open_page("viewer", "contract", id="shop-sales")
    at.session_state["catalogs"] = True
    assert "No catalog states anything about these datasets" in texts(shown(at))
    stated(the_shop)
    tables, columns = [each.value for each in shown(at).dataframe[-2:]]
    assert list(tables["Table"]) == ["shop.old", "shop.orders"]
    assert list(tables["State"]) == ["dropped", "present"]
    assert tables["Comment"].iloc[1] == "<b>Sales</b>"
    assert columns.to_dict("records") == [
        {"Catalog": "lake", "Column": "mail", "Type": "string", "Tags": "level=high, pii", "Comment": "of the buyer"}
    ]


def test_the_activity_of_a_contract_names_who_did_what_and_leads_there(open_page: Open, the_shop: Shop) -> None:
    table = open_page("viewer", "contract", id="shop-sales", tab="Activity").dataframe[0].value

    done = dict(zip(table["Description"], table["User"], strict=True))
    assert done["approved version 1.0.0"] == "owner"
    assert done["proposed “Sales of the shop” (approved)"] == "producer"
    assert f"/run?id={the_shop.failed_run}" in set(table["Open"])

    chosen = open_page("viewer", "contract", id="shop-sales", tab="Activity", event="Version", actor="owner")
    assert list(chosen.dataframe[0].value["Description"]) == ["approved version 1.0.0"]


def test_two_versions_are_compared_by_what_they_mean_and_line_by_line(open_page: Open, the_shop: Shop) -> None:
    text = the_shop.client("owner").document("shop-sales").decode()
    newer = text.replace("version: 1.0.0", "version: 2.0.0").replace("[1009, 1522]", "[1100, 1522]")
    made = the_shop.client("producer").propose(newer)
    the_shop.client("owner").approve(made.id, the_shop.client("owner").preview(made.id).fingerprint)

    at = open_page("viewer", "contract", id="shop-sales", tab="Diff", newer="2.0.0", older="1.0.0")

    assert "from version 1.0.0" in texts(at)
    assert list(at.dataframe[0].value["Effect"]) == ["stricter"]


def test_the_explorer_shows_a_metric_with_its_anomalies_and_leads_to_each_report(
    open_page: Open, the_shop: Shop
) -> None:
    at = open_page("viewer", "metric", contract="shop-sales", check="row-count", beside="status-values")

    said = texts(at)
    assert "rows of a day" in said or "row count" in said
    assert "between 1,009 and 1,522" in said
    assert "Triangle: the check failed" in said
    assert [each.label for each in at.expander if "columns" in each.label]
    assert at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")


def test_the_explorer_lists_the_limits_that_were_learned_since_they_were_approved(
    open_page: Open, the_shop: Shop
) -> None:
    with transaction(the_shop.world.engine) as tx:
        tx.add(fit("shop-sales", "row-count"))
        tx.commit()
    at = open_page("viewer", "metric", contract="shop-sales", check="row-count")
    assert "Limits learned since approval (1)" in [each.label for each in at.expander]


def test_a_point_is_said_to_be_expected_after_what_that_would_change_was_seen(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "metric", contract="shop-sales", check="row-count")
    at.toggle(key="marking").set_value(True)
    shown(at)
    assert at.selectbox(key="point").value == "2026-02-25"
    assert ui_texts.OUTLOOKS["fixed"] in texts(at)
    click(at, "say")
    assert "Enter a reason" in texts(at)
    at.text_input(key="why").set_value("a holiday")
    click(at, "say")
    (said,) = the_shop.client("viewer").feedback("shop-sales", "orders")
    assert (said.partition, said.kind, said.reason, said.author) == (
        "day=2026-02-25",
        FeedbackKind.EXPECTED,
        "a holiday",
        "owner",
    )
    assert "2026-02-25: expected, by owner, just now: a holiday" in texts(at)
    at = open_page("viewer", "metric", contract="shop-sales", check="row-count", marking="true")
    assert [each.key for each in at.button if each.key == "say"] == []


def test_an_explorer_s_address_that_names_nothing_falls_back(open_page: Open) -> None:
    at = open_page("viewer", "metric", contract="nowhere", period="never")
    assert at.title[0].value == "Metrics"
    assert at.selectbox(key="contract").value == "shop-sales"


def test_a_version_that_breaks_a_consumer_is_answered_in_the_inbox(open_page: Open, the_shop: Shop) -> None:
    use = schemas.SubscriptionIn(contract_id="shop-sales", purpose="weekly revenue", contact="reports@example.org")
    the_shop.client("consumer").subscribe(use)
    text = the_shop.client("owner").document("shop-sales").decode()
    start = text.index("      - id: status-values")
    newer = text[:start].replace("version: 1.0.0", "version: 2.0.0") + text[text.index("    properties:") :]
    made = the_shop.client("producer").propose(newer)
    the_shop.client("owner").approve(made.id, the_shop.client("owner").preview(made.id).fingerprint)
    at = open_page("consumer", "inbox")
    (asked,) = the_shop.client("consumer").acknowledgements(mine=True, waiting=True)

    said = texts(at)
    click(at, f"objected-{asked.id}")
    refused = texts(at)
    click(at, f"know-{asked.id}")

    assert "Needs your acknowledgement (1)" in said
    assert "Enter a reason" in refused
    assert the_shop.client("consumer").acknowledgements(mine=True)[0].state.value == "acknowledged"
    click(at, "take-back")
    assert "Needs your acknowledgement (1)" in texts(at)
    assert the_shop.client("consumer").acknowledgements(mine=True)[0].state.value == "pending"


def test_the_run_report_begins_with_its_verdict_and_tells_unevaluated_from_failed(
    open_page: Open, the_shop: Shop
) -> None:
    page = open_page("viewer", "run", id=the_shop.failed_run)
    said = texts(page)

    assert "Contract violated: 1 check failed, 1 warning, 1 not evaluated, 1 passed" in said
    assert "2026-02-25: measured 612, allowed between 1,009 and 1,522" in said
    assert "Would pass with at least 1,009: 397 more" in said
    assert any("Mark as expected or wrong" in each.proto.label for each in page.get("page_link"))
    assert "not evaluated: the column amount is text now; mean takes numbers" in said
    assert "treaty verify /lake/shop/orders --contract shop-sales-1.0.0.yaml --partition-by day" in said
    assert said.index("Failed (1)") < said.index("Warnings (1)") < said.index("Not evaluated (1)")
    assert "First failure" in said
    assert "Incident on shop-sales · orders" in said


def test_checks_that_estimates_cannot_decide_have_a_section_of_their_own(open_page: Open, the_shop: Shop) -> None:
    run_id, between = the_shop.failed_run, "uncertain: the exact value is between 990 and 1,012"
    failed = CheckResultRow.outcome == Outcome.FAILED, CheckResultRow.severity == "error"
    with transaction(the_shop.world.engine) as tx:
        for each in tx.exec(select(CheckResultRow).where(CheckResultRow.run_id == run_id, *failed)):
            each.outcome, each.reason = Outcome.UNCERTAIN, between
        run = tx.get_one(RunRow, run_id)
        run.verdict = Verdict.UNCERTAIN
        run.outcome_counts = {"uncertain" if name == "failed" else name: n for name, n in run.outcome_counts.items()}
        tx.commit()
    said = texts(open_page("viewer", "run", id=run_id))

    assert "Estimates could not decide all checks: 1 warning, 1 not evaluated, 1 uncertain, 1 passed" in said
    assert said.index("Not evaluated (1)") < said.index("Uncertain (1)") < said.index(between)
    assert "Failed (" not in said


def test_a_run_that_passed_shows_no_failures(open_page: Open, the_shop: Shop) -> None:
    said = texts(open_page("viewer", "run", id=the_shop.passed_run))

    assert "Contract met: 4 checks passed" in said
    assert "Failed (" not in said


def test_rows_that_break_a_check_stand_with_it_and_say_what_is_masked(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "run", id=the_shop.failed_run)

    said = texts(at)
    assert "2026-02-25: 97.3 % of 612 rows keep it (required: at least 99 %); 17 rows do not" in said
    assert "3 of 17 rows that violate this check · stored until" in said
    assert "customer_id masked (classified in the contract)" in said
    (rows,) = [each.value for each in at.dataframe if "order_id" in each.value.columns]
    assert list(rows.columns) == ["status", "order_id", "customer_id (masked)", "note"]
    assert rows.iloc[1].tolist() == ["(null)", "10377", "(null)", ""]
    assert rows.iloc[0].tolist() == ["OPEN", "10231", "•••", HOSTILE["image"]]
    assert "that violate this check" not in texts(open_page("viewer", "run", id=the_shop.failed_run))


def test_rows_that_are_kept_no_longer_are_left_out(
    open_page: Open, the_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treaty.registry.measurements.runs.samples.of_run", lambda *_, **__: [])
    said = texts(open_page("owner", "run", id=the_shop.failed_run))

    assert "17 rows do not" in said
    assert "that violate this check" not in said


def test_the_reference_names_every_analyzer_and_finds_by_words(open_page: Open) -> None:
    at = open_page("viewer", "reference")
    labels = [each.label for each in at.expander]
    assert len(labels) == len(ANALYZERS)
    assert any("approx\\_quantile" in each for each in labels)

    at.text_input(key="find").set_value("share null")
    shown(at)
    assert 0 < len(at.expander) < len(ANALYZERS)
    at.text_input(key="find").set_value("no such thing")
    shown(at)
    assert (len(at.expander), "No matching analyzers" in texts(at)) == (0, True)


def test_a_draft_is_asked_for_and_its_progress_shown(open_page: Open, the_shop: Shop) -> None:
    at = open_page("producer", "draft")
    typed = {"location": "/lake/new", "partition": "day, hour", "object": "new", "contract": "new"}
    for key, text in {**typed, "false_alarms": "2.5", "clauses": "2", "max_impurity": "0.05"}.items():
        at.text_input(key=key).set_value(text)
    at.checkbox(key="by_history").check()
    at.checkbox(key="compare").check()
    at.selectbox(key="bound").set_value("proven")

    at.get("form_submit_button")[0].click()
    shown(at)

    task = the_shop.client("producer").task(UUID(str(at.query_params["task"])))
    assert (task.kind, task.state) == ("draft", TaskState.QUEUED)
    assert "Waiting for a worker" in texts(at)
    with read_session(the_shop.world.engine) as session:
        payload = session.get_one(TaskRow, task.id).payload
    assert (payload["programs"], payload["patterns"], payload["compare"]) == (
        {"false_alarms": 2.5, "bound": "proven", "clauses": 2, "history": None, "refit": "pinned"},
        PatternOptions(max_impurity=0.05).model_dump(),
        True,
    )


def test_a_finished_draft_shows_what_other_options_would_have_learned(open_page: Open, the_shop: Shop) -> None:
    task_id = (
        the_shop.client("producer")
        .request_draft(schemas.DraftIn(location="/lake/new", object="new", contract_id="new"))
        .id
    )
    choices = [
        {"option": "bound", "value": "proven", "chosen": True, "checks": 12, "evaluated": 10, "catches": 0.8266,
         "alarmed_on": ["day=2026-01-02"]},
        {"option": "min_columns", "value": None, "chosen": False, "checks": 0, "evaluated": 1, "catches": None,
         "alarmed_on": []},
    ]  # fmt: skip
    with transaction(the_shop.world.engine) as session:
        task = session.get_one(TaskRow, task_id)
        task.state, task.result = TaskState.DONE, {"proposal_id": str(uuid4()), "suggestions": 2, "choices": choices}
        session.commit()

    table = open_page("producer", "draft", task=task_id).dataframe[0].value

    assert table.iloc[0].tolist() == [
        "How false alarms are bounded", "Proven, if nothing changes", "✓", "12", "82.7 %",
        "1 of 10 partitions: 2026-01-02",
    ]  # fmt: skip
    assert table.iloc[1].tolist() == [
        "Other columns that must have the pattern",
        "default",
        "",
        "0",
        "",
        "0 of 1 partition",
    ]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "Required: Table location, Table name and Contract id"),
        ({"location": "/x", "object": "o", "contract": "no spaces please"}, "Contract id"),
        ({"location": "/x", "object": "o", "contract": "c", "max_tokens": "9"}, "Longest pattern in tokens"),
    ],
)
def test_what_is_wrong_with_a_draft_is_said_above_the_form(open_page: Open, typed: dict[str, str], said: str) -> None:
    at = open_page("producer", "draft")
    for key, text in typed.items():
        at.text_input(key=key).set_value(text)

    at.get("form_submit_button")[0].click()
    shown(at)

    assert said in texts(at)
    assert all(at.text_input(key=key).value == text for key, text in typed.items())


@pytest.mark.parametrize(
    ("page", "named"), [("review", "proposal"), ("run", "id"), ("contract", "id"), ("draft", "task")]
)
def test_what_does_not_exist_and_what_is_not_mine_look_the_same(open_page: Open, page: str, named: str) -> None:
    assert "Not found" in texts(open_page("viewer", page, **{named: uuid4()}))


@pytest.mark.parametrize("page", ["review", "run", "contract"])
def test_a_page_without_its_object_says_where_to_find_one(open_page: Open, page: str) -> None:
    assert "Open" in texts(open_page("viewer", page))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ClientError(0, "The service cannot be reached"), "The registry is not responding"),
        (ClientError(401, "sign in first"), "Your session has ended"),
        (ClientError(403, "you may not"), "You do not have permission"),
        (ClientError(500, "our side", reference="ref-77"), "ref-77"),
    ],
)
def test_a_registry_that_refuses_is_told_in_a_panel(
    the_shop: Shop, monkeypatch: pytest.MonkeyPatch, error: ClientError, said: str
) -> None:
    class Refusing(Client):
        def _request(self, *_: Any, **__: Any) -> Any:
            raise error

    monkeypatch.setattr(viewer, "signed_in", lambda: True)
    monkeypatch.setattr(viewer, "registry", lambda: Refusing("http://nowhere"))

    at = AppTest.from_file(str(SCRIPT), default_timeout=30).run()

    assert not at.exception
    assert said in texts(at)


def test_a_mistake_of_ours_shows_a_reference_and_no_trace() -> None:
    def script() -> None:
        from treaty.ui.widgets import panels

        panels.unexpected(ValueError("the password is secret"))

    at = AppTest.from_function(script, default_timeout=30).run()

    assert "Something went wrong on this page" in texts(at)
    assert "Reference" in texts(at)
    assert "secret" not in texts(at)
    assert [each.label for each in at.button] == ["Retry"]


@pytest.mark.parametrize(("minutes", "said"), [(4, []), (6, ["Updated 6 minutes ago (1 Mar 2026, 12:00 UTC)"])])
def test_a_page_that_stands_for_long_says_how_old_it_is(
    minutes: int, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def script() -> None:
        from treaty.ui.widgets import loading

        loading.age()

    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    moments = iter([noon, *[noon + timedelta(minutes=minutes)] * 2])
    monkeypatch.setattr(viewer, "now", lambda: next(moments))

    at = AppTest.from_function(script, default_timeout=30).run()

    assert not at.exception
    assert [each.value for each in at.caption] == said
    assert len(at.button) == len(said)


def test_without_a_session_a_page_leads_to_the_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "signed_in", lambda: False)

    at = AppTest.from_file(str(SCRIPT), default_timeout=30).run()

    assert "Sign in to see this page" in texts(at)
    assert at.get("link_button")[0].url == "/sign-in"


def test_foreign_text_stays_text_everywhere(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.hostile)

    raw = "\n".join(each.value for each in [*at.markdown, *at.caption, *at.title])

    assert HOSTILE["script"] in texts(at)
    for unsafe in ("![p](", "<script>", ":red[alarm]", "](javascript", "http://"):
        assert unsafe not in raw


def accept_everything(the_shop: Shop) -> None:
    other = the_shop.client("other-owner")
    seen = other.proposal(the_shop.review)
    other.decide(seen.id, [each.id for each in seen.suggestions], Decision.ACCEPTED, revision=seen.revision)


def reject_first(the_shop: Shop) -> None:
    other = the_shop.client("other-owner")
    seen = other.proposal(the_shop.review)
    other.decide(seen.id, [seen.suggestions[1].id], Decision.REJECTED, revision=seen.revision, reason="not now")


def test_a_search_that_finds_nothing_is_given_up_with_a_click(open_page: Open) -> None:
    at = open_page("viewer", "catalog", q="no such words")
    assert "No results" in texts(at)
    assert "shop-sales" in texts(click(at, "clear"))


def test_the_catalog_says_how_the_last_runs_came_out_and_what_one_subscribes_to(
    open_page: Open, the_shop: Shop
) -> None:
    found = texts(open_page("owner", "catalog"))
    assert ":blue[✓]" in found
    assert ":red[✗]" in found
    assert "shop-sales" not in texts(open_page("owner", "catalog", subscribed="true"))


def test_the_catalog_finds_by_words_and_tells_how_many_have_which_label(open_page: Open) -> None:
    found = texts(open_page("viewer", "catalog", q="orders"))
    labels = texts(open_page("viewer", "catalog", q="orders", state="retired"))

    assert "3 contracts" in found
    assert "shop-sales · version 1.0.0 · active · owner owner" in found
    assert "No results" in labels


def test_the_audit_tells_what_was_done_and_that_it_is_as_it_was_written(open_page: Open, the_shop: Shop) -> None:
    at = open_page("admin", "audit")

    click(at, "verify")

    assert "the chain is intact" in texts(at)
    assert at.dataframe[0].value["Action"].str.startswith("session:opened").any()


def test_only_who_may_see_the_audit_is_led_to_it(the_shop: Shop, open_page: Open) -> None:
    with pytest.raises(ValueError, match="Could not find a navigation page"):
        open_page("viewer", "audit")
    with pytest.raises(ClientError):
        the_shop.client("viewer").audit_head()


def test_a_contract_s_consumers_are_told_with_what_they_use_it_for(open_page: Open, the_shop: Shop) -> None:
    contract = the_shop.client("owner").contracts()[0].id
    empty = texts(open_page("owner", "contract", id=contract, tab="Consumers"))
    use = schemas.SubscriptionIn(contract_id=contract, purpose="weekly revenue", contact="reports@example.org")
    the_shop.client("producer").subscribe(use)

    at = open_page("owner", "contract", id=contract, tab="Consumers")

    assert "No consumers yet" in empty
    assert list(at.dataframe[0].value["Purpose"]) == ["weekly revenue"]


SALES = "/lake/shop/orders/shop-sales"


def told(the_shop: Shop, *events: dict[str, Any]) -> None:
    """Sends the events, as of now, and has a worker fold them."""
    for each in events:
        the_shop.client("producer").send_event({**each, "eventTime": clock.now().isoformat()})
    nothing: Any = None
    worker = Worker(
        database=the_shop.world.engine, engine=nothing, evaluate=nothing, large=nothing, settings=RegistrySettings()
    )
    while worker.take_in():
        pass


def reading(job: str, *, namespace: str = "finance") -> dict[str, Any]:
    """A run of somebody else's job that reads the sales."""
    return event("COMPLETE", output("/lake/revenue"), inputs=[output(SALES)], job=job, namespace=namespace)


def test_the_lineage_page_draws_what_lies_around_a_dataset_and_says_it_in_a_table(
    open_page: Open, the_shop: Shop
) -> None:
    told(the_shop, event("COMPLETE", output(SALES), job="load_sales"), reading("sum_revenue"))

    at = open_page("owner", "lineage", node=f"dataset:file:{SALES}")

    table = at.dataframe[0].value
    assert dict(zip(table["Name"], table["Verdict"], strict=True))[SALES] == "✗ Failed"
    assert list(table.loc[table["Name"] == "sum_revenue", "Downstream"]) == ["/lake/revenue"]


@pytest.mark.parametrize("node", ["dataset:file:/lake/nowhere", "no node at all"])
def test_what_lineage_does_not_know_is_said_on_the_page(open_page: Open, node: str) -> None:
    assert "Not found in lineage" in texts(open_page("viewer", "lineage", node=node))


def test_events_and_what_was_refused_are_listed_with_their_reasons(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, event("COMPLETE", output("/lake/unknown"), job="load"))
    assert the_shop.world.call("producer", "POST", "/lineage", content=b"{").status_code == 400

    at = open_page("owner", "lineage", tab="Events")
    refused = open_page("owner", "lineage", tab="Rejected")

    assert list(at.dataframe[0].value["State"]) == ["✓ Processed"]
    assert list(refused.dataframe[0].value["Status"]) == ["400"]


def test_a_dataset_without_a_contract_is_shown_with_the_commands_that_make_one(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, event("COMPLETE", output("/lake/un known"), job="load"))

    said = texts(open_page("owner", "lineage", tab="Without contract"))

    assert "/lake/un known" in said
    assert "treaty draft '/lake/un known' --id 'un known'" in said
    assert "treaty lineage alias CONTRACT OBJECT file '/lake/un known'" in said


def test_a_viewer_of_a_part_is_refused_what_came_for_all(open_page: Open, the_shop: Shop) -> None:
    with transaction(the_shop.world.engine) as tx:
        tx.get_one(UserRow, the_shop.world.users["viewer"].id).roles = []
        tx.commit()
    assert "You do not have permission" in texts(open_page("viewer", "lineage", tab="Events"))


def dead_task(the_shop: Shop) -> UUID:
    task = TaskRow(
        id=ids.new(), kind="validate", payload={"contract_id": "shop-sales", "object": "orders"}, key="dead",
        state=TaskState.FAILED, attempts=5, error="unreachable: there is no table", created_at=clock.now(),
        available_at=clock.now(), finished_at=clock.now(),
    )  # fmt: skip
    with transaction(the_shop.world.engine) as tx:
        tx.add(task)
        tx.commit()
    return task.id


def test_a_task_that_was_given_up_says_why_and_is_tried_again(open_page: Open, the_shop: Shop) -> None:
    dead = dead_task(the_shop)
    at = open_page("producer", "tasks", state="failed")
    said = texts(at)

    click(at, f"retry-{dead}")

    assert "Validation: shop-sales · orders" in said
    assert "unreachable: there is no table" in said
    assert the_shop.client("viewer").task(dead).state is TaskState.QUEUED
    assert "The task will be retried" in texts(at)


def test_a_task_under_way_is_stopped_where_it_keeps_no_promise(open_page: Open, the_shop: Shop) -> None:
    body = schemas.DraftIn(location="/lake/new", contract_id="stopped", object="t")
    task = the_shop.client("producer").request_draft(body)
    at = open_page("producer", "tasks", state="queued")
    keeps = [each.key for each in at.button if str(each.key).startswith("stop-")]

    click(at, f"stop-{task.id}")

    assert keeps == [f"stop-{task.id}"]
    assert "Task stopped" in texts(at)
    assert the_shop.client("producer").task(task.id).error == "cancelled by producer"


def test_a_task_that_may_not_be_retried_says_so_and_stays(open_page: Open, the_shop: Shop) -> None:
    dead = dead_task(the_shop)
    at = click(open_page("viewer", "tasks", state="failed"), f"retry-{dead}")
    assert "You do not have permission" in texts(at)
    assert the_shop.client("viewer").task(dead).state is TaskState.FAILED


def incident(the_shop: Shop) -> Any:
    (found,) = the_shop.client("owner").incidents()
    return found


def test_an_incident_is_acknowledged_assigned_put_off_and_resolved(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "incidents")
    assert "shop-sales · orders" in texts(at)
    at = open_page("owner", "incidents", id=incident(the_shop).id)
    assert "row-count (2026-02-25)" in texts(at)

    click(at, "acknowledge")
    acknowledged = incident(the_shop)
    at.text_input(key="assignee").set_value("producer")
    click(at, "assign")
    assigned = incident(the_shop)
    at.menu_button(key="snooze").click("1 day")
    shown(at)
    snoozed = incident(the_shop)
    at.selectbox(key="reason").set_value(Resolution.FIXED)
    at.text_input(key="comment").set_value("loaded again")
    click(at, "resolve")
    resolved = incident(the_shop)

    assert (acknowledged.state, acknowledged.acknowledged_by) == (IncidentState.ACKNOWLEDGED, "owner")
    assert (assigned.assignee, snoozed.snoozed_until > clock.now()) == ("producer", True)
    assert (resolved.resolution, resolved.comment) == (Resolution.FIXED, "loaded again")
    click(at, "reopen")
    assert incident(the_shop).state is IncidentState.OPEN


def test_what_is_chosen_in_the_inbox_is_looked_after_and_given_back(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "inbox")
    assert at.button(key="acknowledge").disabled
    at.checkbox(key=f"choose-{the_shop.failed_run}").check()
    assert "1 selected" in texts(shown(at))

    assert "Assigned to you: shop-sales · orders." in texts(click(at, "acknowledge"))
    assert "assigned to owner" in texts(at)
    taken = incident(the_shop)
    assert "Undone" in texts(click(at, "take-back"))
    assert "unassigned" in texts(at)
    given_back = incident(the_shop)
    assert [(each.state, each.acknowledged_by, each.reopen_count) for each in (taken, given_back)] == [
        (IncidentState.ACKNOWLEDGED, "owner", 0), (IncidentState.OPEN, None, 0),
    ]  # fmt: skip


STEPS: list[tuple[str, Callable[[AppTest], Any]]] = [
    ("assign", lambda at: at.text_input(key="assignee").set_value("producer")),
    ("resolve", lambda at: at.selectbox(key="reason").set_value(Resolution.FALSE_ALARM)),
    ("snooze", lambda at: at.menu_button(key="snooze").click("1 week")),
]


@pytest.mark.parametrize(("step", "prepare"), STEPS, ids=[name for name, _ in STEPS])
def test_what_leaves_the_inbox_comes_back_with_undo(
    open_page: Open, the_shop: Shop, step: str, prepare: Callable[[AppTest], Any]
) -> None:
    before = incident(the_shop)
    at = open_page("owner", "inbox")
    at.checkbox(key=f"choose-{the_shop.failed_run}").check()
    prepare(shown(at))
    said = texts(click(at, step) if step != "snooze" else shown(at))
    assert "Needs attention" not in said
    assert the_shop.client("owner").inbox().failed_runs == ()

    assert "Needs attention (1)" in texts(click(at, "take-back"))
    after = incident(the_shop)
    assert (after.state, after.assignee, after.snoozed_until) == (before.state, None, None)


def test_a_step_is_not_taken_back_over_what_somebody_did_since(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "inbox")
    at.checkbox(key=f"choose-{the_shop.failed_run}").check()
    click(shown(at), "acknowledge")
    seen = incident(the_shop)
    the_shop.client("producer").assign_incident(seen.id, seen.revision, "producer")

    assert "shop-sales · orders has changed since your action" in texts(click(at, "take-back"))
    assert incident(the_shop).assignee == "producer"


def test_many_decisions_are_taken_back_at_once_but_for_those_decided_since(open_page: Open, the_shop: Shop) -> None:
    at = open_page("owner", "review", proposal=the_shop.review)
    assert "Accepted: 9 suggestions." in texts(click(at, "accept-all"))
    kept = first_card(the_shop)
    client = the_shop.client("owner")
    seen = client.decide(the_shop.review, [kept], Decision.PENDING, revision=client.proposal(the_shop.review).revision)
    client.decide(the_shop.review, [kept], Decision.REJECTED, revision=seen.revision, reason="too strict")

    click(at, "take-back")
    assert decisions(the_shop) == [Decision.REJECTED, *[Decision.PENDING] * 9]


def test_a_comment_is_made_on_the_card_that_it_is_about(open_page: Open, the_shop: Shop) -> None:
    card, at = first_card(the_shop), open_page("owner", "review", proposal=the_shop.review)
    assert "Enter a comment" in texts(click(at, f"say-{card}"))
    at.text_input(key=f"remark-{card}").set_value("is Sunday in it?")
    assert "Comment added under Discussion" in texts(click(at, f"say-{card}"))
    (said,) = the_shop.client("producer").comments(the_shop.review)
    assert said.text == "“a partition has between 1,009 and 1,522 rows”: is Sunday in it?"


def test_an_incident_is_not_resolved_without_a_reason(open_page: Open, the_shop: Shop) -> None:
    at = click(open_page("owner", "incidents", id=incident(the_shop).id), "resolve")
    assert "Choose a resolution" in texts(at)
    assert incident(the_shop).state is IncidentState.OPEN


def test_who_only_reads_is_offered_no_step_of_an_incident(open_page: Open, the_shop: Shop) -> None:
    at = open_page("viewer", "incidents", id=incident(the_shop).id)
    assert {"acknowledge", "assign", "resolve"}.isdisjoint(each.key for each in at.button)


def test_of_two_who_change_an_incident_the_second_is_told(open_page: Open, the_shop: Shop) -> None:
    at, seen = open_page("owner", "incidents", id=incident(the_shop).id), incident(the_shop)
    the_shop.client("other-owner").acknowledge_incident(seen.id, seen.revision)
    assert "This was changed in the meantime" in texts(click(at, "acknowledge"))


def test_what_lies_downstream_of_an_incident_is_told(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, reading("sum_revenue"))
    at = open_page("owner", "incidents", id=incident(the_shop).id)
    assert list(at.dataframe[0].value["Dataset"]) == ["/lake/revenue"]


def test_a_job_that_reads_the_data_becomes_a_consumer_with_one_click(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, event("COMPLETE", output(SALES), job="load_sales"), reading("sum_revenue"), reading("dashboard"))
    at = open_page("consumer", "contract", id="shop-sales", tab="Consumers")
    assert "Inferred consumers (2)" in texts(at)
    keys = sorted(str(each.key) for each in at.button if str(each.key).startswith("confirm-"))

    click(at, keys[0])

    (made,) = the_shop.client("owner").subscriptions(contract_id="shop-sales")
    assert made.subscriber == "consumer"
    assert "Inferred consumers (1)" in texts(at)


def test_a_profile_shows_what_a_draft_was_drawn_from_and_data_as_text(open_page: Open, the_shop: Shop) -> None:
    days = [{"status": ["new", HOSTILE["image"], None] * 20, "amount": [1.0, 2.5, float("nan")] * 20}]
    told = document(history({"status": "string", "amount": "double"}, days), "orders").model_dump(mode="json")
    with transaction(the_shop.world.engine) as tx:
        profiles.store_profile(tx, tx.get_one(ProposalRow, the_shop.review), told, now=clock.now())
        tx.commit()

    at = open_page("viewer", "profile", proposal=the_shop.review)

    assert "60 rows in 1 partition, 2 columns" in texts(at)
    assert "20 values are NaN" in texts(at)
    assert [each.label for each in at.expander] == ["**status** · string", "**amount** · double"]
    assert HOSTILE["image"] in list(at.dataframe[0].value.iloc[:, 0])


def test_a_profile_from_stored_states_says_that_it_is_one(open_page: Open) -> None:
    assert "Computed from stored states; no data was read" in texts(
        open_page("viewer", "profile", dataset="shop-sales")
    )


def test_a_profile_is_asked_for_by_name(open_page: Open) -> None:
    at = open_page("viewer", "profile")
    at.get("form_submit_button")[0].click()
    shown(at)
    assert "Enter the name of a contract or a dataset" in texts(at)


def test_patterns_are_shown_with_the_columns_that_carry_them(open_page: Open, the_shop: Shop, tmp_path: Path) -> None:
    assert "No patterns yet" in texts(open_page("viewer", "patterns"))
    countries = ["AT", "CH", "DE", "FR", "NL", "SE"] * 10
    names = {"/lake/shop/orders": {"country": countries, "elsewhere": countries}}
    PatternLake(tmp_path / "patterns").add(
        {**names, "/lake/others": {"land": countries, HOSTILE["image"]: ["A-1"] * 20}}
    )

    at = open_page("viewer", "patterns", pattern="<upper>{2}")

    carriers, wider, domains = (each.value.iloc[:, 0].tolist() for each in at.dataframe)
    assert carriers == ["shop-sales"]
    assert "<upper>+" in wider
    assert "<upper>{2}" in domains
    assert not any("-" in each for each in domains), "only a table of nobody's has it"
    assert "country code" in texts(at)
    assert "No matching columns" in texts(open_page("viewer", "patterns", pattern="A-<digit>"))
    assert "does not begin a class" in texts(open_page("viewer", "patterns", pattern="<number>"))


def test_who_drafts_has_patterns_learned(open_page: Open, the_shop: Shop) -> None:
    at = open_page("producer", "patterns")
    at.button(key="learn").click()
    shown(at)
    assert "learn" in [each.kind for each in the_shop.client("admin").tasks()]


def test_a_draft_that_nobody_wants_any_more_is_stopped(open_page: Open, the_shop: Shop) -> None:
    body = schemas.DraftIn(location="/lake/new", contract_id="stopped", object="t", sample=1000)
    task = the_shop.client("producer").request_draft(body)
    at = open_page("producer", "draft", task=task.id)

    at.button(key="stop").click()
    shown(at)

    assert the_shop.client("producer").task(task.id).error == "cancelled by producer"
    assert "cancelled by producer" in texts(at)


def test_the_first_steps_say_what_is_done_and_give_a_job_its_key_once(open_page: Open, the_shop: Shop) -> None:
    at = open_page("admin", "start")
    before = texts(at)

    submit(at, "Create token")
    made = texts(at)
    shown(at)

    (token,) = the_shop.client("admin").tokens()
    assert before.count("Done") == 3
    assert "Waiting for the first event" in before
    assert [each.value for each in token.scopes] == ["lineage:write"]
    assert token.prefix in made
    assert "will not be shown again" in made
    assert "will not be shown again" not in texts(at)


def test_the_first_step_is_done_by_an_event_that_comes(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, event("COMPLETE", output("/lake/new"), job="load"))

    said = texts(open_page("owner", "start"))

    assert "Waiting for the first event" not in said
    assert said.count("Done") == 4


def test_an_administrator_adds_a_user_and_shuts_another_out(open_page: Open, the_shop: Shop) -> None:
    at = open_page("admin", "admin", user="viewer")
    for key, text in {"admin-name": "ada", "admin-password": "a first password"}.items():
        at.text_input(key=key).set_value(text)
    submit(at, "Add")
    click(at, "let-in")

    people = {each.name: each for each in the_shop.client("admin").users()}
    assert people["ada"].active
    assert not people["viewer"].active
    assert at.text_input(key="admin-password").value == ""


def test_a_token_is_revoked_on_its_page(open_page: Open, the_shop: Shop) -> None:
    the_shop.client("admin").issue_token("nightly", scopes=[Permission.LINEAGE])
    at = open_page("admin", "admin", tab="Tokens")

    click(at, "revoke-token")

    assert the_shop.client("admin").tokens()[0].revoked_at is not None


def test_a_location_is_allowed_and_removed_on_its_page(open_page: Open, the_shop: Shop) -> None:
    at = open_page("admin", "admin", tab="Locations")
    for key, text in {"new-location": "s3a://lake/raw/", "new-domain": "shop"}.items():
        at.text_input(key=key).set_value(text)
    submit(at, "Allow location")
    (added,) = [each for each in the_shop.client("admin").locations() if each.id]
    shown_text = texts(at)
    click(at, "remove-location")

    assert (added.location, added.domain) == ("s3://lake/raw", "shop")
    assert "The location is allowed." in shown_text
    assert [each for each in the_shop.client("admin").locations() if each.id] == []


def test_the_reason_is_shown_why_a_location_cannot_be_allowed(open_page: Open) -> None:
    at = open_page("admin", "admin", tab="Locations")
    submit(at, "Allow location")
    missing = texts(at)
    at.text_input(key="new-location").set_value("jdbc:postgresql://db/x")
    submit(at, "Allow location")

    assert "Enter a location." in missing
    assert "has a scheme that is not supported" in texts(at)


def test_a_catalog_is_connected_tested_read_and_removed_on_its_page(open_page: Open, the_shop: Shop) -> None:
    catalog = IcebergCatalog()
    catalog.put("shop", "orders")
    admin = the_shop.client("admin")
    with serving(catalog) as url:
        at = open_page("admin", "admin", tab="Catalogs")
        assert "No metadata catalog is connected" in texts(at)
        submit(at, "Add")
        assert "Enter a name and an address." in texts(at)
        at.selectbox(key="catalog-kind").set_value("iceberg")
        shown(at)
        for key, text in {"catalog-name": "lake", "catalog-address": url}.items():
            at.text_input(key=key).set_value(text)
        at.text_area(key="catalog-namespaces").set_value("shop = hive://m\nfile")
        submit(at, "Add")
        (added,) = admin.catalogs()
        steps = at.dataframe[-1].value
        assert (added.namespaces, added.options["auth"]) == ({"shop": "hive://m", "": "file"}, "bearer")
        assert "Added. The catalog is read within a minute." in texts(at)
        assert list(steps["State"]) == ["✓ Passed", "✗ Failed"]
        assert "not public" in steps["Detail"].iloc[1]

        admin.change_catalog("lake", CatalogConnectionUpdateIn(private=True))
        shown(at)
        click(at, "test-catalog")
        assert set(at.dataframe[-1].value["State"]) == {"✓ Passed"}
        click(at, "read-catalog")
        assert "catalog" in [each.kind for each in admin.tasks()]
    shown(at)
    click(at, "remove-catalog")
    assert admin.catalogs() == []


def test_the_reason_is_shown_why_a_catalog_cannot_be_connected(open_page: Open, the_shop: Shop) -> None:
    at = open_page("admin", "admin", tab="Catalogs")
    for key, text in {"catalog-name": "Lake", "catalog-address": "http://catalog.example"}.items():
        at.text_input(key=key).set_value(text)
    submit(at, "Add")
    assert "name:" in texts(at)
    at.text_input(key="catalog-name").set_value("lake")
    at.text_input(key="catalog-secret").set_value("hidden-word")
    submit(at, "Add")
    assert "name the secret as" in texts(at)
    assert the_shop.client("admin").catalogs() == []


def test_the_service_says_how_it_stands(open_page: Open) -> None:
    said = texts(open_page("admin", "admin", tab="Health"))
    assert "ready" in said
    assert "Failed tasks" in said


def test_nobody_else_is_led_to_the_administration(open_page: Open) -> None:
    with pytest.raises(ValueError, match="Could not find a navigation page"):
        open_page("owner", "admin")


def test_a_reader_becomes_a_consumer_on_the_page_of_the_contract(open_page: Open, the_shop: Shop) -> None:
    at = open_page("consumer", "contract", id="shop-sales", tab="Consumers")
    at.text_input(key="purpose").set_value("weekly revenue")
    at.get("form_submit_button")[0].click()
    shown(at)
    refused = texts(at)
    at.text_input(key="contact").set_value("reports@example.org")
    at.multiselect(key="events").set_value(["breaking versions"])
    at.get("form_submit_button")[0].click()
    shown(at)

    (made,) = the_shop.client("owner").subscriptions(contract_id="shop-sales")
    assert (made.notification_kinds, made.channel_id) == (("breaking",), None)
    assert "Enter a purpose and a contact" in refused
    assert (made.subscriber, made.purpose, made.contact) == ("consumer", "weekly revenue", "reports@example.org")
    assert not at.get("form_submit_button")


def test_of_what_a_subscription_tells_is_changed_where_it_is_listed(open_page: Open, the_shop: Shop) -> None:
    registry = the_shop.client("consumer")
    made = registry.subscribe(
        schemas.SubscriptionIn(contract_id="shop-sales", purpose="reports", contact="reports@example.org")
    )
    channel = registry.add_channel(schemas.ChannelIn.model_validate({"kind": "email", "target": "me@example.org"}))
    at = open_page("consumer", "subscriptions")
    at.session_state[f"notices-{made.id}"] = True
    shown(at)
    events = f"events-{made.id}"
    at.multiselect(key=events).set_value([])
    at.get("form_submit_button")[0].click()
    shown(at)
    assert "Choose at least one kind of notification" in texts(at)
    at.multiselect(key=events).set_value(["breaking versions"])
    at.selectbox(key=f"through-{made.id}").set_value(channel.channel.id)
    at.get("form_submit_button")[0].click()
    shown(at)

    (changed,) = registry.subscriptions(mine=True)
    assert (changed.notification_kinds, changed.channel_id) == (("breaking",), channel.channel.id)
    assert (changed.purpose, changed.contact, changed.reads) == (made.purpose, made.contact, made.reads)
    assert "notifies about breaking versions only · via Email: me@example.org" in texts(at)


def test_a_subscription_is_ended_and_a_channel_added_and_removed(open_page: Open, the_shop: Shop) -> None:
    use = schemas.SubscriptionIn(contract_id="shop-sales", purpose=HOSTILE["image"], contact="reports@example.org")
    made = the_shop.client("consumer").subscribe(use)
    at = click(open_page("consumer", "subscriptions"), f"end-{made.id}")
    assert "No subscriptions yet" in texts(at)

    at = open_page("consumer", "subscriptions", tab="Channels")
    at.text_input(key="target").set_value("reports@example.org")
    submit(at, "Add")
    (channel,) = the_shop.client("consumer").channels()
    click(at, f"remove-{channel.id}")

    assert channel.kind.value == "email"
    assert the_shop.client("consumer").channels() == []


def test_a_contract_is_asked_for_where_there_is_none_and_its_owner_declines(open_page: Open, the_shop: Shop) -> None:
    told(the_shop, event("COMPLETE", output("/lake/returns"), job="load_returns"))
    at = open_page("consumer", "lineage", tab="Without contract")
    at.session_state[f"request-{ui_texts.slug('file /lake/returns')}"] = True
    shown(at)
    at.get("form_submit_button")[0].click()
    shown(at)
    refused = texts(at)
    (why,) = (each.key for each in at.text_input if str(each.key).startswith("wanted-why"))
    at.text_input(key=why).set_value(HOSTILE["image"])
    at.get("form_submit_button")[0].click()
    shown(at)
    (asked,) = the_shop.client("consumer").contract_requests()
    assert "Enter the dataset and a reason" in refused
    assert (asked.name, asked.purpose, asked.is_own) == ("/lake/returns", HOSTILE["image"], True)
    assert not at.get("form_submit_button")

    at = open_page("owner", "inbox")
    assert "1 contract to draft" in texts(at)
    at = click(at, f"declined-{asked.id}")
    assert "Enter a reason: the requester will see it" in texts(at)
    at.text_input(key=f"no-{asked.id}").set_value("it goes away in May")
    at = click(at, f"declined-{asked.id}")
    assert "Declined. The requester will see your reason." in texts(at)
    assert the_shop.client("consumer").contract_requests() == []


def test_who_finds_nothing_in_the_catalog_asks_for_it(open_page: Open, the_shop: Shop) -> None:
    at = open_page("consumer", "catalog", q="returns")
    at.session_state["request-any"] = True
    shown(at)
    at.text_input(key="wanted-name-any").set_value("/lake/returns")
    at.text_input(key="wanted-why-any").set_value("our weekly report")
    at.get("form_submit_button")[0].click()
    shown(at)
    assert "Requested. It is now in the inbox" in texts(at)
    (asked,) = the_shop.client("owner").inbox().contract_requests
    assert (asked.namespace, asked.name, asked.author) == ("file", "/lake/returns", "consumer")
    at = open_page("owner", "draft", location=asked.location)
    assert at.text_input(key="location").value == "/lake/returns"
