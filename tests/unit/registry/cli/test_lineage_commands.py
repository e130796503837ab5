"""Following lineage events at a terminal: each is shown once, in its order, however it was listed."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.cli.commands.lineage import OVERLAP, followed
from treaty.registry.cli.output.lineage import line
from treaty.registry.core.enums import LineageEventState
from treaty.registry.lineage.events import event_listing
from treaty.registry.schemas import LineageEventOut

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def came(number: int, *, seconds: float | None = None, **more: object) -> LineageEventOut:
    """The event of that number, received so many seconds after the start."""
    told = {
        "id": UUID(int=number),
        "content_hash": f"{number:064x}",
        "received_at": START + timedelta(seconds=seconds or number),
        "producer": "spark",
        "state": LineageEventState.NEW,
        "duplicates": 0,
        "attempts": 0,
        "error": None,
        "diagnostics": (),
        "original_size": 10,
        "kind": "COMPLETE",
        "event_time": "",
        "job": "shop load",
        "run_id": "r",
        "outputs": ("file /data/orders",),
        "written_datasets": 1,
    }
    return LineageEventOut.model_validate({**told, **more})


class Service:
    """A list of events that grows with every pause."""

    def __init__(self, portions: Sequence[Sequence[LineageEventOut]]) -> None:
        self.portions, self.kept = iter(portions), list[LineageEventOut]()

    def pause(self) -> None:
        self.kept.extend(next(self.portions, ()))

    def since(self, start: datetime | None) -> list[LineageEventOut]:
        """What was received from then on, newest id first."""
        chosen = (each for each in self.kept if start is None or each.received_at >= start)
        return sorted(chosen, key=lambda each: each.id, reverse=True)


def shown(first: Sequence[LineageEventOut], *portions: Sequence[LineageEventOut]) -> list[int]:
    service = Service(portions)
    service.kept.extend(first)
    found: Iterator[LineageEventOut] = followed(first, service.since, service.pause)
    total = sum(map(len, portions))
    return [each.id.int for each in islice(found, total)]


def test_what_comes_is_shown_once_and_in_its_order() -> None:
    assert shown([came(1)], [came(2), came(3)], [], [came(4)]) == [2, 3, 4]


def test_an_empty_inbox_can_be_followed() -> None:
    assert shown([], [], [came(1)]) == [1]


def test_an_event_that_is_kept_later_than_its_neighbour_is_not_missed() -> None:
    assert shown([came(1)], [came(3)], [came(2)]) == [3, 2]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(0, OVERLAP.total_seconds() / 3)), max_size=30).map(
        lambda found: [(at, came(n + 1, seconds=100 + at * 5 + late)) for n, (at, late) in enumerate(found)]
    )
)
def test_each_event_is_shown_once_whatever_the_order_in_which_they_are_kept(
    found: list[tuple[int, LineageEventOut]],
) -> None:
    portions = [[event for at, event in found if at == number] for number in range(6)]
    assert sorted(shown([], *portions)) == sorted(event.id.int for _, event in found)


def test_an_event_is_told_in_one_line() -> None:
    outputs = tuple(f"file /data/{each}" for each in "ab")
    told = line(came(1, outputs=outputs, written_datasets=7, duplicates=2, state=LineageEventState.PROCESSED))
    assert told == (
        "2026-03-01 12:00:01 COMPLETE shop load -> file /data/a, file /data/b and 5 more"
        "  (processed, received 3 times; by spark)"
    )


def test_what_was_read_otherwise_than_sent_is_told_behind_the_line() -> None:
    assert line(came(1, diagnostics=("its time has no zone: UTC",))).endswith("[its time has no zone: UTC]")


def test_a_line_shows_control_characters_instead_of_obeying_them() -> None:
    assert "\x1b" not in line(came(1, job="shop \x1b[2Jload\n"))


def test_what_an_event_is_about_is_told_of_every_kind() -> None:
    run = b'{"eventType": "complete", "eventTime": "t", "job": {"namespace": "n", "name": "j"}, "run": {"runId": "r"},'
    run += b'"outputs": [{"namespace": "file", "name": "/x"}, 7]}'
    assert event_listing.summarize_event(run) == event_listing.EventSummary(
        kind="COMPLETE", event_time="t", job="n j", run_id="r", outputs=("file /x",), written_datasets=1
    )
    assert event_listing.summarize_event(b'{"dataset": {"namespace": "a", "name": "b"}}') == event_listing.EventSummary(
        kind="DATASET", outputs=("a b",), written_datasets=1
    )
    assert event_listing.summarize_event(b'{"job": {"namespace": "n", "name": "j"}, "outputs": null}').kind == "JOB"
    assert event_listing.summarize_event(None) == event_listing.EventSummary()
