"""Feedback on points of a metric: history, preview of its effect, and the form."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import FeedbackKind, Permission
from treaty.registry.schemas import CheckResultOut, FeedbackOut, FeedbackPreviewOut, PreviewPointOut, RunOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.metric import metric_charts
from treaty.ui.parts.metric.metric_series import ObservedPoint
from treaty.ui.texts import metric as texts
from treaty.ui.widgets import panels, step_runner, viewer

WHY, POINT, WORD = "why", "point", "word"
SHOWN = 5


def section(
    report: RunOut, check: CheckResultOut, observed_points: Sequence[ObservedPoint], feedback: Sequence[FeedbackOut]
) -> None:
    """Draw the feedback on the data, and the form for more."""
    points = [each for each in observed_points if each.value is not None]
    st.subheader(texts.MARKS)
    for each in feedback[:SHOWN]:
        st.text(feedback_text(each))
    if points and st.toggle(texts.OFFER_MARK, key="marking", bind="query-params"):
        form(report, check, points)


def feedback_text(feedback: FeedbackOut) -> str:
    """Return the feedback as a line. Contains foreign text."""
    age = ui_texts.age(feedback.created_at, now=viewer.now())
    return texts.feedback_line(
        ui_texts.partition_label(feedback.partition or "") or texts.ALL_DATA,
        ui_texts.FEEDBACK[feedback.kind].word.lower(),
        feedback.author,
        age,
        feedback.reason,
    )


def form(report: RunOut, check: CheckResultOut, points: Sequence[ObservedPoint]) -> None:
    """Draw the form: point, kind of feedback, preview of its effect, and reason."""
    labels = [each.label for each in reversed(points)]
    worst = next((at for at, each in enumerate(reversed(points)) if each.is_anomaly), 0)
    with st.container(horizontal=True, key="mark"):
        label = st.selectbox(texts.POINT, labels, index=worst, key=POINT, width=320)
        word = st.segmented_control(
            texts.ITS_DATA_WERE,
            list(FeedbackKind),
            default=FeedbackKind.EXPECTED,
            required=True,
            key=WORD,
            format_func=_named,
        )
    point = next(each for each in points if each.label == label)
    preview = viewer.registry().preview_feedback(
        check.check_id, point.run_id, point.partition, word or FeedbackKind.EXPECTED
    )
    change(preview, name=check.name or check.check_id)
    if viewer.may(Permission.INCIDENTS):
        with st.container(horizontal=True, vertical_alignment="bottom", key="saying"):
            st.text_input(ui_texts.WHY, key=WHY, on_change="ignore")
            st.button(texts.SAVE, key="say", type="primary", on_click=save, args=(point, word or FeedbackKind.EXPECTED))


def _named(mark: FeedbackKind) -> str:
    return ui_texts.FEEDBACK[mark].word


def change(preview: FeedbackPreviewOut, *, name: str) -> None:
    """Draw the effect of the feedback as sentences and as a chart."""
    st.markdown(ui_texts.OUTLOOKS[preview.outlook])
    for sentence in sentences(preview):
        st.text(sentence)
    labels = [label(each) for each in preview.points]
    if any(band is not None for each in preview.points for band in each.bands):
        spec = metric_charts.foreseen(preview.points, labels, metric=name)
        panels.show_chart(spec, key="foreseen", alt=" ".join([name, *sentences(preview)]))
        st.caption(texts.LEGEND_FORESEEN)


def label(point: PreviewPointOut) -> str:
    """Return the label of the point in the chart."""
    return (
        texts.NEXT
        if point.run_id is None
        else ui_texts.partition_label(point.partition or "") or ui_texts.moment(point.time, timezone=viewer.timezone())
    )


def sentences(preview: FeedbackPreviewOut) -> list[str]:
    """Describe the limits and false alarms, now and after the feedback."""
    now, then = (None if each is None else ui_texts.limits(*each) or texts.ANYTHING for each in preview.limits)
    limits = [texts.limits_change(now, then)] if now and then else []
    alarms = [texts.outside(preview.evaluated, *preview.alarms)] if preview.evaluated else []
    back = [texts.would_have_alarmed(*preview.backtest)] if preview.backtest else []
    return [*limits, *alarms, *back]


def save(point: ObservedPoint, mark: FeedbackKind) -> None:
    """Save the feedback with the typed reason."""
    why = str(st.session_state.get(WHY, "")).strip()
    if not why:
        panels.flash(texts.SAY_WHY, problem=True)
        return
    step_runner.run_step(
        lambda: viewer.registry().give_feedback(point.run_id, point.partition, mark, why),
        done=texts.IT_IS_SAID,
    )
