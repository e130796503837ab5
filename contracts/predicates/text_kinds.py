"""Name the kinds of text that share the grammar of predicates, for their faults."""

from dataclasses import dataclass

from treaty.contracts.errors import Fault


@dataclass(frozen=True)
class TextKind:
    """A kind of text. `name`, `plural`: its name in faults. `form`: what the text must be. `example`: a valid text."""

    name: str
    plural: str
    form: str
    example: str

    def fault(self, code: str, message: str, remedy: str = "") -> Fault:
        """Return a fault of a text of this kind."""
        return Fault(code=f"{self.name}-{code}", where=self.name, message=message, remedy=remedy)


PREDICATE = TextKind(
    name="predicate",
    plural="predicates",
    form="condition",
    example="write a condition of Spark SQL: amount >= 0 AND status IN ('new', 'paid')",
)
QUERY = TextKind(
    name="query", plural="queries", form="query", example="write SELECT count(*) FROM {object} WHERE amount < 0"
)
