"""SQL conditions for the rows that violate a check."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class KeyReference:
    """Columns of another dataset that must contain a row's `keys`."""

    dataset: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ViolatingRows:
    """Rows that violate a check, described by SQL over the row.

    Rows for which `condition` is true; rows that share all `keys` with another row; or, with a `reference`, rows
    whose `keys` do not exist in it. `where`: only rows that match it can violate; None means all rows. Rows whose
    keys are all null never violate."""

    condition: str | None = None
    keys: tuple[str, ...] = ()
    reference: KeyReference | None = None
    where: str | None = None

    def within(self, where: str) -> "ViolatingRows":
        """Return the same, restricted to the rows that also match a filter."""
        return replace(self, where=f"({self.where}) AND ({where})" if self.where else where)
