"""What the groups of methods share."""

from typing import Any, Protocol, Self

from contracts.assertions import Assertion
from engine.dsl.limits import Expected

WHOLE = Assertion("mustBe", 1)
TRUE = Assertion("mustBe", 1)


class Promising(Protocol):
    """What can take one promise more."""

    def that(self, analyzer: str, must: Expected, **words: Any) -> Self: ...
