"""Impact of a proposed version: changes, broken consumers and replay."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.schemas import ConsumerImpactOut, DiffOut, NameListOut, ProposalOut, ReplayedCheckOut, ReplayOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import next_version as texts
from treaty.ui.widgets import panels, step_runner, viewer

SHOWN = 5
# Session key of the last sentence, stored with the revision that it describes.
SENTENCE = "_sentence"


def meaning(proposal: ProposalOut) -> None:
    """Draw changes, consumers and replay of an open proposal, on request."""
    if not proposal.open:
        return
    with st.expander(
        texts.MEANING,
        key="meaning",
        icon=":material/compare_arrows:",
        on_change="rerun",
    ) as opened:
        if not opened.open:
            return
        registry = viewer.registry()
        changes(registry.proposal_diff(proposal.id))
        consumers(registry.impact(proposal.id))
        replayed(registry.replay(proposal.id))
        st.session_state[step_runner.replayed_key(proposal)] = True


def sentence(proposal: ProposalOut) -> str:
    """Summarize the size of the change, the version bump and the broken consumers.

    Computed once per revision. "" for a proposal that has ended and for a first version, which has no consumers yet."""
    if not proposal.open or not proposal.active_version:
        return ""
    cached = st.session_state.get(SENTENCE)
    if cached is None or cached[0] != (proposal.id, proposal.revision):
        cached = (proposal.id, proposal.revision), _sentence(proposal)
        st.session_state[SENTENCE] = cached
    return str(cached[1])


def _sentence(proposal: ProposalOut) -> str:
    registry = viewer.registry()
    affected = registry.impact(proposal.id)
    broken = [each.subscriber for each in affected if each.affected]
    more = [ui_texts.and_more(len(broken) - SHOWN)] if len(broken) > SHOWN else []
    impact = texts.breaks([*broken[:SHOWN], *more], len(broken), len(affected)) if broken else texts.BREAKS_NOBODY
    return texts.sentence(verdict(registry.proposal_diff(proposal.id)), impact)


def changes(diff: DiffOut) -> None:
    """Draw the verdict, then each change with its direction, and lost compatibility modes."""
    if diff.old is None:
        st.markdown(texts.FIRST_VERSION)
        return
    st.markdown(f"**{ui_texts.esc(verdict(diff))}**")
    for each in diff.modes:
        if not each.is_kept:
            st.warning(texts.mode_lost(each.mode, each.section, each.sentence), icon=":material/warning:")
    rows = [
        {
            ui_texts.DESCRIPTION: each.sentence,
            texts.IT: texts.DIRECTIONS[each.direction],
            texts.BEFORE: each.old or "",
            texts.AFTER: each.new or "",
        }
        for each in diff.differences
    ]
    if rows:
        panels.table(rows, key="changes", alt=texts.CHANGES)


def verdict(diff: DiffOut) -> str:
    """Describe the size of the change, and whether the version number matches it."""
    summary = texts.changes(len(diff.differences), diff.old, diff.bump)
    return summary if diff.is_bump_sufficient else texts.too_small(summary, diff.new, diff.suggested_version)


def consumers(impacts: Sequence[ConsumerImpactOut]) -> None:
    """Draw the consumers, and what breaks for each."""
    broken = sum(each.affected for each in impacts)
    st.markdown(texts.consumers(len(impacts), broken))
    rows = [
        {
            ui_texts.CONSUMER: each.subscriber,
            ui_texts.USES_IT_FOR: each.purpose,
            ui_texts.BREAKS_THEM: "; ".join(each.breaks),
        }
        for each in impacts
    ]
    if rows:
        panels.table(rows, key="impact", alt=texts.FOR_CONSUMERS)


def replayed(replay: ReplayOut) -> None:
    """Draw the alerts of both versions on stored states."""
    for each in replay.objects:
        st.markdown(f"**{ui_texts.esc(each.sentence)}**")
        rows = [_row(check) for check in each.checks if _is_told(check)]
        if rows:
            panels.table(rows, key=f"replay-{ui_texts.slug(each.object)}", alt=texts.alerts_on(each.object))
    for difference in replay.differences:
        st.caption(ui_texts.esc(f"{difference.sentence}: {difference.evidence}"))
    if not replay.complete:
        st.caption(texts.TIME_OVER)


def _is_told(check: ReplayedCheckOut) -> bool:
    return any(each.count for each in (check.new_alerts, check.resolved_alerts, check.unchanged_alerts)) or bool(
        check.new and check.new.not_evaluated
    )


def _row(check: ReplayedCheckOut) -> dict[str, str]:
    return {
        ui_texts.CHECK: check.name or check.check_id,
        texts.NEW_ALERTS: _names(check.new_alerts),
        texts.NO_LONGER: _names(check.resolved_alerts),
        texts.BOTH: _names(check.unchanged_alerts),
        texts.NOT_JUDGED: "; ".join(each.reason for each in check.new.not_evaluated) if check.new else "",
    }


def _names(name_list: NameListOut) -> str:
    if not name_list.count:
        return ""
    more = ", ..." if name_list.count > min(len(name_list.names), SHOWN) else ""
    return f"{name_list.count}: {', '.join(name_list.names[:SHOWN])}{more}"
