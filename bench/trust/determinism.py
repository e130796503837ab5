"""Evaluate one set of stored states many times, in other orders and groupings: the verdicts must be equal.

Also measures what merging costs, in CPU seconds of this process."""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import datasketches

from bench.core.figures import Line
from bench.engine.merging import bags_of, merged
from treaty.engine.components.sketches import PARAMETER, HeavyHitters, QuantileSketch, Sketch
from treaty.engine.components.unions.frequent_union import packed_sketch

EVALUATIONS = 100
PARTITIONS = 40
ROWS = 20_000
THRESHOLD_SHARE = 0.5


def main() -> None:
    """Print the number of distinct verdicts and the cost of merging."""
    draw = random.Random(20261125)
    numbers = [_kll(draw) for _ in range(PARTITIONS)]
    texts = [_frequent(draw) for _ in range(PARTITIONS)]
    quantile = QuantileSketch.at(QuantileSketch().merge_all(numbers), THRESHOLD_SHARE) or 0.0
    passes: dict[str, tuple[Sketch, Sequence[bytes], Callable[[Any], bool]]] = {
        "median at most itself": (QuantileSketch(), numbers, lambda state: _median(state) <= quantile),
        "rarest listed value is w1": (HeavyHitters(), texts, lambda state: _rarest(state) == "w1"),
    }
    for name, (component, states, judge) in passes.items():
        verdicts = {judge(_grouped(component, states, draw)) for _ in range(EVALUATIONS)}
        print(Line(f"distinct verdicts in {EVALUATIONS}: {name}", len(verdicts), 1, "").text, flush=True)
    for partitions, goal in ((1000, 1.3), (10_000, 14.1)):
        metrics, packed = bags_of(partitions)
        name = f"{partitions:,} partitions x {len(metrics.keys)} components merged"
        print(Line(name, _seconds(lambda m=metrics, p=packed: merged(m, p)), goal, "CPU s").text, flush=True)
    for component, states in ((QuantileSketch(), numbers), (HeavyHitters(), texts)):
        spent = _seconds(lambda c=component, s=states: _answered(c, s))
        print(Line(f"one state of {component.kind} merged", 1e6 * spent / len(states), None, "CPU us").text, flush=True)


def _kll(draw: random.Random) -> bytes:
    sketch = datasketches.kll_doubles_sketch(PARAMETER.kll_k)
    for _ in range(ROWS):
        sketch.update(draw.gauss(0, 1))
    return bytes(sketch.serialize())


def _frequent(draw: random.Random) -> bytes:
    sketch = datasketches.frequent_strings_sketch(11)
    for _ in range(ROWS):
        sketch.update(f"w{int(draw.paretovariate(0.5))}")
    return packed_sketch(bytes(sketch.serialize()), ROWS)


def _grouped(component: Sketch, states: Sequence[bytes], draw: random.Random) -> Any:
    """Merge the states in a random order and grouping, each group stored and read again."""
    remaining: list[Any] = draw.sample(list(states), len(states))
    while len(remaining) > 1:
        size = draw.randint(2, 12)
        stored = component.dump(component.merge_all(remaining[:size]))
        remaining = [*remaining[size:], component.load(stored)]
    return remaining[0]


def _median(state: Any) -> float:
    return QuantileSketch.at(state, THRESHOLD_SHARE) or 0.0


def _rarest(state: Any) -> str:
    return list(HeavyHitters.values(state)[0])[-1]


def _answered(component: Sketch, states: Sequence[bytes]) -> None:
    state = component.merge_all(states)
    if isinstance(component, QuantileSketch):
        _median(state)
    else:
        _rarest(state)


def _seconds(run: Callable[[], Any]) -> float:
    spent = []
    for _ in range(3):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return statistics.median(spent)


if __name__ == "__main__":
    main()
