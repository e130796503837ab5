"""Review of a proposal: suggestions with evidence, decisions, and the approval at the end."""

from collections.abc import Collection, Sequence
from itertools import groupby
from uuid import UUID

import streamlit as st

from treaty.registry.schemas import PreviewOut, ProposalOut, SuggestionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.review import bulk_table, cards, check_editor, next_version, partial_rerun, review_actions
from treaty.ui.parts.review.evidence import read
from treaty.ui.texts import review as texts
from treaty.ui.widgets import panels, step_runner, viewer

CARDS = 8
VIEWS = (texts.AS_CARDS, texts.AS_TABLE)


def page() -> None:
    """Draw the review of the proposal named by the URL."""
    proposal_id = viewer.asked_id("proposal")
    if proposal_id is None:
        panels.empty(texts.NO_PROPOSAL, texts.OPEN_DRAFT)
        return
    proposal = viewer.proposal(proposal_id)
    header(proposal)
    panels.show_flash()
    review_actions.requests(proposal)
    next_version.meaning(proposal)
    check_editor.discussion(proposal)
    suggestions(proposal)
    preview = document(proposal)
    finish(proposal, preview)


def header(proposal: ProposalOut) -> None:
    """Draw the state of the review first, then author, source and active version."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(ui_texts.esc(proposal.title or proposal.contract_id), width="content")
        st.markdown(ui_texts.PROPOSALS[proposal.state].badge, width="content")
    partial_rerun.partial_rerun(partial_rerun.VERDICT, verdict_sentences)
    with st.container(horizontal=True, gap="medium", key="facts"):
        panels.fact(ui_texts.CONTRACT, proposal.contract_id)
        panels.fact(texts.AUTHOR, proposal.author)
        panels.time(texts.DRAFTED, proposal.created_at)
        for label, text in basis(proposal):
            panels.fact(label, text)
        panels.fact(
            texts.IN_FORCE,
            ui_texts.version(proposal.active_version) if proposal.active_version else texts.NOTHING_IN_FORCE,
        )
    if proposal.comment:
        st.text(proposal.comment)
    if proposal.decided_by:
        st.text(outcome(proposal))


def verdict_sentences() -> None:
    """Draw the state of the decisions and the impact of the version, a sentence each."""
    proposal = viewer.current_proposal()
    st.markdown(f"**{verdict(proposal)}**")
    if meaning := next_version.sentence(proposal):
        st.markdown(f"**{ui_texts.esc(meaning)}**")


def verdict(proposal: ProposalOut) -> str:
    """Return the state of the review in one sentence."""
    if not proposal.suggestions:
        return texts.BY_HAND
    total = proposal.accepted + proposal.rejected + proposal.pending
    decided = texts.decided(proposal.accepted, proposal.rejected, proposal.pending)
    return f"{ui_texts.suggestions(total)}: {decided}"


def basis(proposal: ProposalOut) -> list[tuple[str, str]]:
    """Return the data that the draft is based on; empty for a document written by hand."""
    evidence = [read(each) for each in proposal.suggestions]
    if not evidence:
        return []
    location = str((proposal.source or {}).get("location", ""))
    used = texts.drafted_from(max(each.rows for each in evidence), max(each.partitions for each in evidence))
    return [(ui_texts.ROWS, used), *([(ui_texts.TABLE, location)] if location else [])]


def outcome(proposal: ProposalOut) -> str:
    """Describe how the proposal ended."""
    reason = f": {proposal.reason}" if proposal.reason else ""
    return texts.ended(ui_texts.PROPOSALS[proposal.state].word, proposal.decided_by, reason)


def suggestions(proposal: ProposalOut) -> None:
    """Draw the suggestions that match the filters, as pages of cards or as a table."""
    if not proposal.suggestions:
        return
    shown = filtered(proposal)
    with st.container(horizontal=True, vertical_alignment="bottom", key="ways"):
        view = st.segmented_control(
            texts.SHOWN_AS, VIEWS, default=VIEWS[0], required=True, key="view", bind="query-params"
        )
        partial_rerun.partial_rerun(partial_rerun.SAFE, safe, frozenset(each.id for each in shown))
    if view == texts.AS_TABLE:
        bulk_table.table(proposal, shown)
        return
    place, pages = st.container(), max(1, -(-len(shown) // CARDS))
    number = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    with place:
        grouped(proposal, shown[(number - 1) * CARDS : number * CARDS])


def grouped(proposal: ProposalOut, shown: Sequence[SuggestionOut]) -> None:
    """Draw the cards under their columns' names."""
    if not shown:
        panels.empty(texts.NO_MATCH, texts.OTHER_FILTERS)
    page_ids = tuple(each.id for each in shown)
    for column, group in groupby(shown, key=column_of):
        st.markdown(f"### {ui_texts.esc(column)}")
        program(proposal, column)
        for suggestion in group:
            partial_rerun.partial_rerun(partial_rerun.card_key(suggestion.id), cards.card, suggestion.id, page_ids)


def program(proposal: ProposalOut, column: str) -> None:
    """Draw the caption and the accept button of a program with several clauses."""
    clauses = [
        each
        for each in proposal.suggestions
        if column_of(each) == column and each.content["kind"] == partial_rerun.PROGRAM
    ]
    if len(clauses) < 2:
        return
    st.caption(texts.program(len(clauses)))
    waiting = [each.id for each in clauses if each.decision == "pending" and not bulk_table.single_card_reason(each)]
    if proposal.may_decide and len(waiting) > 1:
        st.button(
            texts.accept_program(len(waiting)),
            key=f"program-{ui_texts.slug(column)}",
            icon=":material/done_all:",
            on_click=step_runner.accept,
            args=(waiting,),
        )


def column_of(suggestion: SuggestionOut) -> str:
    """Return the heading that groups the suggestion."""
    return str(suggestion.content.get("column") or texts.WHOLE_TABLE)


def filtered(proposal: ProposalOut) -> list[SuggestionOut]:
    """Return the suggestions that match the filters, by column; the URL stores the filters."""
    every = sorted(with_optional(proposal), key=lambda each: each.position)
    columns = list(dict.fromkeys(column_of(each) for each in every))
    kinds = sorted({kind_of(each) for each in every})
    with st.container(horizontal=True, vertical_alignment="top", key="filters"):
        decision = st.segmented_control(
            ui_texts.DECISION,
            [ui_texts.ALL, *(mark.word for mark in ui_texts.DECISIONS.values())],
            default=ui_texts.ALL,
            required=True,
            key="show",
            bind="query-params",
        )
        column = st.selectbox(ui_texts.COLUMN, [ui_texts.ALL, *columns], key="column", bind="query-params", width=220)
        kind = st.selectbox(ui_texts.KIND, [ui_texts.ALL, *kinds], key="kind", bind="query-params", width=220)
    left = [
        each for each in every if column in (ui_texts.ALL, column_of(each)) and kind in (ui_texts.ALL, kind_of(each))
    ]
    return sorted(
        (each for each in left if decision in (ui_texts.ALL, None, ui_texts.DECISIONS[each.decision].word)),
        key=lambda each: columns.index(column_of(each)),
    )


def with_optional(proposal: ProposalOut) -> list[SuggestionOut]:
    """Return the suggestions to show: undecided optional ones only on request."""
    optional = {each.id for each in proposal.suggestions if each.optional and each.decision == "pending"}
    shows_all = optional and st.toggle(
        texts.more(len(optional)), key="more", help=texts.ADD_LITTLE, bind="query-params"
    )
    return [each for each in proposal.suggestions if shows_all or each.id not in optional]


def kind_of(suggestion: SuggestionOut) -> str:
    """Return the display name of the suggestion's kind."""
    return ui_texts.kind(str(suggestion.content.get("kind", "")))


def safe(shown: Collection[UUID]) -> None:
    """Draw a button that accepts all shown pending suggestions without violations.

    Excludes those that must be decided on their cards."""
    proposal = viewer.current_proposal()
    waiting = (each for each in proposal.suggestions if each.id in shown and each.decision == "pending")
    acceptable = [each.id for each in waiting if not bulk_table.single_card_reason(each)]
    if not (proposal.may_decide and len(acceptable) > 1):
        return
    st.button(
        texts.accept_shown(len(acceptable)),
        key="accept-all",
        icon=":material/done_all:",
        on_click=partial_rerun.after,
        args=(step_runner.accept, acceptable),
    )


def document(proposal: ProposalOut) -> PreviewOut | None:
    """Show the resulting document on request; return its preview once it can be approved.

    The approval names the fingerprint of the preview."""
    with st.expander(texts.DOCUMENT, key="document", icon=":material/code:", on_change="rerun") as opened:
        ready = proposal.may_approve and not proposal.pending
        preview = viewer.registry().preview(proposal.id) if opened.open or ready else None
        if opened.open and preview:
            panels.source(preview.document, height=420)
            st.caption(texts.document_is(ui_texts.esc(preview.version), ui_texts.esc(preview.fingerprint[:12])))
    return preview


def finish(proposal: ProposalOut, preview: PreviewOut | None) -> None:
    """Draw the bar at the bottom: progress of the review, and the steps that end it."""
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="finish"):
        if proposal.open:
            with st.container(width=320, gap=None, key="progress"):
                partial_rerun.partial_rerun(partial_rerun.PROGRESS, cards.progress)
            st.space("stretch")
            cards.steps(proposal, preview)
        else:
            cards.ended(proposal)


page()
