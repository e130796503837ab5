"""What was read once is asked again: metrics of chosen days, without another look at the data."""

from typing import Any

from support.loops import Services
from support.payments import Payments

from treaty.registry.schemas import MetricsOut

MONDAY, TUESDAY, WEDNESDAY = "2026-10-05", "2026-10-06", "2026-10-07"
LATE = f"day >= '{TUESDAY}'"
OVER_VIEW = """\
        quality:
          - id: notes-late
            type: custom
            engine: treaty
            implementation: {analyzer: completeness, scope: late, mustBe: 1}
"""
VIEWS = f"""\
customProperties:
  - property: treaty
    value: {{views: [{{name: late, where: "{LATE}"}}]}}
"""


class Viewed(Payments):
    """Payments whose contract has a view."""

    def contract(self, more: str = "") -> str:
        return super().contract(more) + VIEWS


def told(found: MetricsOut) -> dict[str, tuple[str | None, int]]:
    """The value of each metric, and of how many partitions."""
    return {each.phrase: (each.value, each.merged) for each in found.metrics}


def test_days_are_chosen_and_told_from_what_was_stored_of_them(services: Services, producer_spark: Any) -> None:
    payments = Viewed(services, services.producer(producer_spark, "day"), "remembered")
    payments.write(MONDAY, [(1, 5.0), (2, 6.0)])
    payments.write(TUESDAY, [(3, 7.0)])
    payments.put_in_force(OVER_VIEW)
    run = payments.deliver(WEDNESDAY, [(1, 8.0)])
    (viewed,) = [each for each in run.results if each.check_id == "notes-late"]
    assert (viewed.scope, viewed.partition, viewed.row_count) == ("late", None, 2)

    asked = ("size", "unique_row_ratio:columns=id", "minimum:column=amount")
    owner = services.people.owner
    assert told(owner.metrics("remembered", metrics=asked)) == {
        "size": ("4", 3), "unique row ratio of id": ("0.5", 3), "minimum of amount": ("5.0", 3),
    }  # fmt: skip
    assert told(owner.metrics("remembered", where=LATE, metrics=asked)) == {
        "size": ("2", 2), "unique row ratio of id": ("1.0", 2), "minimum of amount": ("7.0", 2),
    }  # fmt: skip

    payments.deliver(WEDNESDAY, [(9, 8.0)])
    assert told(owner.metrics("remembered", metrics=asked[1:2])) == {"unique row ratio of id": ("1.0", 3)}
    stored = owner.states("remembered")
    assert [(each.partition, each.generation, each.fault) for each in stored.partition_states] == [
        (f"day={MONDAY}", 1, None), (f"day={TUESDAY}", 1, None), (f"day={WEDNESDAY}", 2, None),
    ]  # fmt: skip
    assert all(each.bytes and each.file_bytes and each.kinds["frequencies"] == 1 for each in stored.partition_states)
    assert {each.missing_count for each in stored.metrics} == {0}
