"""Define the requests that read rows again after the measurement, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treaty.engine.protocol.requests import MeasureRequest, TableSource


@dataclass(frozen=True, kw_only=True)
class ExactRequest:
    """Compute the metrics of uncertain checks exactly.

    - `uncertain_checks`: by check id, the partitions on which it is uncertain; None means all rows.
    - `fingerprints`: those that were evaluated, by partition. Partitions that changed since are left out, and all rows
      if any did. Unchecked if the files do not show the partitions.
    - `arrivals`: fingerprints by arrival, for tables that are divided by arrival.
    - `target_table`: as in `MeasureRequest`: all rows include those of its other partitions."""

    source: TableSource
    contract: bytes
    object: str
    uncertain_checks: Mapping[str, tuple[str | None, ...]]
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    arrivals: Mapping[str, str] = field(default_factory=dict)
    target_table: TableSource | None = None

    @classmethod
    def of(cls, measured: MeasureRequest, uncertain_checks: Mapping[str, tuple[str | None, ...]]) -> "ExactRequest":
        """Return the request to compute uncertain checks of the measured rows exactly."""
        return cls(
            source=measured.source, contract=measured.contract, object=measured.object,
            uncertain_checks=uncertain_checks, target_table=measured.target_table,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SampleRequest:
    """Read up to `limit` violating rows of each failed check.

    - `failed_checks`: by check id, the partitions in which it failed.
    - `partitions`: those to read; empty means all.
    - `arrivals`: fingerprints by arrival; if any, these are read instead.
    - `classifying`: as in `MeasureRequest`."""

    source: TableSource
    contract: bytes
    object: str
    failed_checks: Mapping[str, tuple[str, ...]]
    partitions: tuple[str, ...] = ()
    limit: int = 5
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    arrivals: Mapping[str, str] = field(default_factory=dict)
    classifying: tuple[tuple[bytes, str], ...] = ()


@dataclass(frozen=True)
class QuarantineTarget:
    """Target of a quarantine: folders `outcome=good` and `outcome=bad` below `out`.

    `out` must not exist, unless an earlier quarantine wrote it and `overwrite` is set. A row is bad if it violates a
    check of severity error, or if such a check cannot be evaluated on it; with `warnings`, checks of any severity
    count."""

    out: str
    format: str = "parquet"
    overwrite: bool = False
    warnings: bool = False


@dataclass(frozen=True, kw_only=True)
class QuarantineRequest:
    """Write the good and the bad rows of a table to separate folders."""

    source: TableSource
    contract: bytes
    object: str
    target: QuarantineTarget
    datasets: Mapping[str, TableSource] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuarantineResult:
    """Number of good and bad rows.

    By check id: `violating_rows`; `unevaluated`: rows on which it could not be evaluated; both without zeros;
    `not_evaluated`: why it could not be evaluated on any row."""

    good: int
    bad: int
    violating_rows: Mapping[str, int]
    unevaluated: Mapping[str, int]
    not_evaluated: Mapping[str, str]
