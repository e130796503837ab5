"""Which single rows break a check, in SQL that Spark evaluates beside the row."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class KeyReference:
    """Another dataset's columns in which a row's `keys` must be found."""

    dataset: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ViolatingRows:
    """The rows that break a check: those for which `condition` is true, those that share all `keys` with another row,
    or, with a `reference`, those whose `keys` are not in it. `where` None: any row may; else only the rows it admits.

    `condition` and `keys` are SQL over the row. Rows whose keys are all null break nothing."""

    condition: str | None = None
    keys: tuple[str, ...] = ()
    reference: KeyReference | None = None
    where: str | None = None

    def within(self, where: str) -> "ViolatingRows":
        """The same, among the rows that a filter admits too."""
        return replace(self, where=f"({self.where}) AND ({where})" if self.where else where)
