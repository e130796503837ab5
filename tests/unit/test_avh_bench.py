"""The bench fits snapshots as others hold them: null is NaN or an empty text, and what is told of one is kept by it."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest

from bench.avh import fit


class Held:
    """A snapshot that keeps what was told of it."""

    def __init__(self, values: Any) -> None:
        self.v, self.date, self.kept = values, None, dict[str, Any]()

    def stat(self, name: str, told: Callable[[Any], Any]) -> Any:
        if name not in self.kept:
            self.kept[name] = told(self)
        return self.kept[name]


def numbers(at: int, *, missing: int = 0) -> Held:
    values = numpy.random.default_rng(at).normal(100, 10, 200)
    values[:missing] = numpy.nan
    return Held(values)


def texts(at: int, *, missing: int = 0) -> Held:
    values = numpy.random.default_rng(at).choice(["Aa", "Bb", "Cc"], 200).astype(object)
    values[:missing] = ""
    return Held(values)


@pytest.mark.parametrize(("kind", "made"), [("numeric", numbers), ("categorical", texts)])
def test_a_model_flags_what_is_unlike_its_history_alone(kind: str, made: Callable[..., Held]) -> None:
    model = fit([made(at) for at in range(30)], kind)
    assert not model.flag(made(99))
    assert model.flag(made(99, missing=50))
    assert model.flag(Held(made(99).v[:20]))


def test_a_short_history_flags_nothing() -> None:
    assert not fit([numbers(at) for at in range(5)], "numeric").flag(Held(numpy.zeros(3)))
