"""What the registry asks of Spark and what comes back: light values that travel between processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from treaty.engine.core.hash_key import HashKey
from treaty.engine.protocol.progress import ReportProgress, no_progress
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion

if TYPE_CHECKING:
    from treaty.contracts.schema import Schema
    from treaty.engine.checks.dataset_limits import ReferenceValue
    from treaty.engine.components.frequencies import FrequencySpectrum
    from treaty.engine.core.results import ViolationSample

# The marker of a partition that could not be read: no reading has it.
UNREAD = "unread"


@dataclass(frozen=True)
class TableSource:
    """Where a table lies: a path, a URL or a catalog name. `format` None: found out; `partition_by` (): not parted.

    `version`: that of a table format which is read; None: the newest."""

    location: str
    format: str | None = None
    partition_by: tuple[str, ...] = ()
    version: int | None = None


@dataclass(frozen=True, kw_only=True)
class MeasureRequest:
    """Compute the states of what changed. `stored_fingerprints`: by partition, the fingerprint whose states are already
    stored.

    `stored_keys`: for known partitions that lack some states, the keys of those they have; only the others are
    computed. `skipped_partitions`: partitions that could not be read just now and are not tried again.
    `reread_whole`: what must be read of all rows at once is read even where nothing changed. `arrivals`: by
    fingerprint, those that a table without partition columns is cut into; what came since is one more. None: it is not
    cut.

    `portion`: so many partitions are read at most, and the answer says how many are `remaining` for further requests.

    `target_table`: a table that this one will be part of; where all rows must be read at once, so are its other
    partitions.

    `datasets`: where the other datasets are that the contract's checks read. `reference_limits` asks to measure in them
    what limits refer to, too. `statistics` lets the files' own statistics answer what they state exactly. `key`: what
    values of classified columns are hashed with; without one, states that need it are not stored.

    `extra_documents`: further documents with the object of each, whose checks' states are computed in the same reading;
    what of them does not fit the table is left out. `classifying`: documents that say what of it is classified, to all.

    `hints`: what the look for changes begins with, beside what is `stored_fingerprints`. `columns`: where nothing is
    read, the table's columns are asked for all the same."""

    source: TableSource
    contract: bytes
    object: str
    stored_fingerprints: Mapping[str, str] = field(default_factory=dict)
    stored_keys: Mapping[str, frozenset[str]] = field(default_factory=dict)
    skipped_partitions: frozenset[str] = frozenset()
    reread_whole: bool = False
    portion: int | None = None
    state_url: str | None = None
    target_table: TableSource | None = None
    datasets: Mapping[str, TableSource] = field(default_factory=dict)
    reference_limits: bool = False
    statistics: bool = True
    key: HashKey | None = None
    arrivals: Mapping[str, str] | None = None
    extra_documents: tuple[tuple[bytes, str], ...] = ()
    classifying: tuple[tuple[bytes, str], ...] = ()
    hints: ChangeHints = field(default_factory=ChangeHints)
    columns: bool = False


@dataclass(frozen=True, kw_only=True)
class MeasureResult:
    """The states (packed, one bag a partition) of the changed partitions, and the marker that each was read at.

    `fingerprints` names every partition that exists now; `vanished` those known before that are gone.
    `schema` is that of the changed partitions; where they differ, each bag holds its own. A partition that cannot be
    read has a bag that says why, and a marker that no reading has: it counts as changed until it can be read.

    `added`: the states that known partitions lacked, packed; they stand beside those that are stored.
    `remaining`: how many partitions changed or lack states and were not read, as more was due than a portion.
    `transient_states`: by changed or lacking partition, the packed states that are judged by and never stored.
    `whole_table_states`: the packed bag of what can only be read of all rows at once, where something changed and a
    check needs it. `referents`: what limits refer to, by their words, where it was asked for.
    `method`: by what it was told which partitions changed. `table_version`: the version that the fingerprints are of,
    of a format that has them; `pinned`: it was read, else the table as it was. `is_outdated`: it had newer ones by
    then. `columns`: those of the table by name and type, where they were asked for and nothing was read; () else."""

    schema: "Schema"
    fingerprints: Mapping[str, str]
    states: Mapping[str, bytes]
    vanished: tuple[str, ...] = ()
    added: Mapping[str, bytes] = field(default_factory=dict)
    remaining: int = 0
    whole_table_states: bytes | None = None
    referents: Mapping[str, "ReferenceValue"] = field(default_factory=dict)
    transient_states: Mapping[str, bytes] = field(default_factory=dict)
    method: DetectionMethod | None = None
    table_version: TableVersion | None = None
    pinned: bool = True
    is_outdated: bool = False
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> int | None:
        """The version that was read; None where it is not known which."""
        return self.table_version.version if self.table_version and self.pinned else None

    def evaluated_states(self, states: Mapping[str, bytes]) -> dict[str, bytes]:
        """The bags by partition, with the states that are not stored put beside what is. Never to be stored."""
        from treaty.engine.states.bag import combine_readings

        passed = {
            name: combine_readings(states[name], packed)
            for name, packed in self.transient_states.items()
            if name in states
        }
        return {**states, **passed}


@dataclass(frozen=True, kw_only=True)
class ProfileRequest:
    """Profile a table. `columns` () means all; `partitions` () means all; `sample`: about so many rows are read, drawn
    one by one, None: all.

    `in_force`: the contract's version in force, None where there is none: of what it classifies no value is shown."""

    source: TableSource
    object: str
    columns: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    sample: int | None = None
    in_force: bytes | None = None


@dataclass(frozen=True)
class ReferableKey:
    """A column that is the key of another dataset, by the name that a contract may call that."""

    dataset: str
    source: TableSource
    column: str


@dataclass(frozen=True, kw_only=True)
class DraftRequest:
    """Profile a table and suggest checks. The profile's words are those of `ProfileRequest`.

    `in_force`: what it classifies is so in the draft, too. `lake`: the folder of the index that patterns of texts are
    learned from; without one none are suggested. `alarms`: programs are learned from the partitions, for so many false
    alarms a quarter; None: none are; `refit` says which limits that they learn later may judge. `keys`: those that
    columns may refer to; `sketched`: also where they are not named after them, by sketches of both.
    `excluded_partitions`: partitions that nothing is learned from, by their names; one that the table lacks is left out
    already."""

    source: TableSource
    contract_id: str
    object: str
    columns: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    in_force: bytes | None = None
    sample: int | None = None
    lake: str | None = None
    alarms: float | None = None
    refit: str = "pinned"
    keys: tuple[ReferableKey, ...] = ()
    sketched: bool = True
    excluded_partitions: tuple[str, ...] = ()

    @property
    def profile(self) -> ProfileRequest:
        """The profile that the draft rests on."""
        return ProfileRequest(
            source=self.source,
            object=self.object,
            columns=self.columns,
            partitions=self.partitions,
            sample=self.sample,
            in_force=self.in_force,
        )


@dataclass(frozen=True, kw_only=True)
class LakeTable:
    """A table that a lake is to know by a name. `columns`: those that are learned from. `as_of`: what says that it has
    not changed; a table that the lake knows as of the same is not read."""

    name: str
    location: str
    format: str | None
    columns: tuple[str, ...]
    as_of: str


@dataclass(frozen=True)
class LakeRequest:
    """Bring the index of a lake (a folder) up to date with these tables, all that it is to know."""

    folder: str
    tables: tuple[LakeTable, ...]


@dataclass(frozen=True)
class DraftResult:
    """A draft: the base document (schema, no suggested checks) and the suggestions, as plain data."""

    document: bytes
    suggestions: tuple[Mapping[str, Any], ...]
    profile: Mapping[str, Any]


@dataclass(frozen=True)
class TextsRequest:
    """The values of text columns in at most so many rows, drawn uniformly. `columns` () means all."""

    source: TableSource
    columns: tuple[str, ...] = ()
    rows: int = 1000


@dataclass(frozen=True, kw_only=True)
class SampleRequest:
    """Read up to `limit` rows that break each failed check of `failed_checks`, by check id with the partitions it
    failed in.

    `partitions` are those that are read; () means all. `arrivals` are read instead, by their fingerprints, where they
    are named. `classifying`: as of a measurement."""

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
    """Where good and bad rows go: folders `outcome=good` and `outcome=bad` below `out`, which must not be there yet,
    unless an earlier quarantine wrote it and `overwrite` says to replace it.

    A row is bad that breaks a check of severity error, or on which one cannot be evaluated; with `warnings`, a check
    of any severity."""

    out: str
    format: str = "parquet"
    overwrite: bool = False
    warnings: bool = False


@dataclass(frozen=True, kw_only=True)
class QuarantineRequest:
    """Write the good rows of a table and the bad ones apart."""

    source: TableSource
    contract: bytes
    object: str
    target: QuarantineTarget
    datasets: Mapping[str, TableSource] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuarantineResult:
    """How many rows are good and bad. By check id: how many rows broke it, and on how many it could not be evaluated
    (checks without any are left out), and why a check could be judged on no row."""

    good: int
    bad: int
    violating_rows: Mapping[str, int]
    unevaluated: Mapping[str, int]
    not_evaluated: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class StageRequest:
    """Write the rows of `candidate` below `folder`, partitioned by these columns; `partition` names values of them.

    `like`: a table whose types the columns get."""

    candidate: TableSource
    folder: str
    partition_by: tuple[str, ...] = ()
    partition: Mapping[str, str | None] = field(default_factory=dict)
    like: TableSource | None = None


@dataclass(frozen=True)
class SpectraRequest:
    """Add up frequencies that lie in files below `state_url`: by component key, the names of its files."""

    state_url: str
    files: Mapping[str, tuple[str, ...]]


class Engine(Protocol):
    """What the worker needs of the engine; `treaty.engine.spark.process.child` is the real one, tests hand in a
    fake."""

    def measure(self, request: MeasureRequest) -> MeasureResult: ...

    def draft(self, request: DraftRequest, tell: ReportProgress = no_progress) -> DraftResult: ...

    def learn(self, request: LakeRequest, tell: ReportProgress = no_progress) -> Mapping[str, Any]: ...

    def cancel(self) -> None: ...

    def sample(self, request: SampleRequest) -> "tuple[ViolationSample, ...]": ...

    def spectra(self, request: SpectraRequest) -> "dict[str, FrequencySpectrum]": ...

    def close(self) -> None: ...
