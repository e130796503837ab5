"""Define the registry's requests to Spark and their results: light values sent between processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treaty.engine.core.hash_key import HashKey
from treaty.engine.core.learning_options import PATTERNS, PatternOptions, ProgramOptions
from treaty.engine.core.locations.rules import LocationRules
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion

if TYPE_CHECKING:
    from treaty.contracts.schema import Schema
    from treaty.engine.checks.dataset_limits import ReferenceValue

# Fingerprint of a partition that could not be read; no real fingerprint equals it.
UNREAD = "unread"


@dataclass(frozen=True)
class TableSource:
    """A table to read: a path, a URL or a catalog name.

    `format`: None means detected. `partition_by`: empty means unpartitioned. `version`: version of a table format;
    None means the newest. `rules`: locations that may be read; None restricts nothing, as in the user's own process."""

    location: str
    format: str | None = None
    partition_by: tuple[str, ...] = ()
    version: int | None = None
    rules: LocationRules | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, kw_only=True)
class MeasureRequest:
    """Compute the states of the partitions that changed.

    - `stored_fingerprints`: by partition, the fingerprint whose states are already stored.
    - `stored_keys`: for known partitions that lack some states, the keys of the stored ones; only the others are
      computed.
    - `skipped_partitions`: partitions that could not be read recently and are not tried again.
    - `reread_whole`: run whole-table scans even if nothing changed.
    - `arrivals`: fingerprints by arrival, for tables that are divided by arrival; newer files form one more; None
      means no division.
    - `portion`: largest number of partitions to read; the result's `remaining` is left for further requests.
    - `target_table`: a table that this one will become part of; whole-table scans include its other partitions.
    - `datasets`: locations of other datasets that the contract's checks read.
    - `reference_limits`: also measure the metrics of other datasets that limits refer to.
    - `statistics`: use the files' own statistics where they are exact.
    - `key`: hashes values of classified columns; without one, states that need it are not stored.
    - `extra_documents`: further documents, each with its object, whose states are computed in the same scan; checks
      that do not fit the table are left out.
    - `classifying`: documents whose classifications apply to all checks.
    - `hints`: where to look for changes, in addition to `stored_fingerprints`.
    - `columns`: return the table's columns even if nothing is read."""

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
    """The states of the changed partitions, packed as one bag per partition.

    - `schema`: that of the changed partitions; if they differ, each bag has its own.
    - `fingerprints`: of every partition that exists now. An unreadable partition has a bag with the reason, and a
      fingerprint that never matches, so that it counts as changed until it can be read.
    - `vanished`: known partitions that no longer exist.
    - `added`: packed states that known partitions lacked, to be stored in addition.
    - `remaining`: number of partitions that were left for the next portion.
    - `whole_table_states`: packed bag of the whole-table scan, if something changed and a check needs it.
    - `referents`: values of limits that refer to other datasets, by the limit's text, if requested.
    - `transient_states`: packed states by partition that are evaluated but never stored.
    - `method`: how the changed partitions were determined.
    - `table_version`: version of the fingerprints, for formats with versions; `pinned`: that version was read,
      otherwise the table as it was; `is_outdated`: newer versions existed by then.
    - `columns`: names and types, if requested and nothing was read; otherwise empty."""

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
        """Return the version that was read; None if unknown."""
        return self.table_version.version if self.table_version and self.pinned else None

    def evaluated_states(self, states: Mapping[str, bytes]) -> dict[str, bytes]:
        """Add the transient states to these bags; the result must never be stored."""
        from treaty.engine.states.bag import combine_readings

        passed = {
            name: combine_readings(states[name], packed)
            for name, packed in self.transient_states.items()
            if name in states
        }
        return {**states, **passed}


@dataclass(frozen=True, kw_only=True)
class ProfileRequest:
    """Profile a table.

    `columns`, `partitions`: empty means all. `sample`: approximate number of rows to draw at random; None means all.
    `in_force`: document of the contract version in force; values of columns that it classifies are not shown; None
    means no version."""

    source: TableSource
    object: str
    columns: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    sample: int | None = None
    in_force: bytes | None = None


@dataclass(frozen=True)
class ReferableKey:
    """A key column of another dataset, with the dataset's name in a contract."""

    dataset: str
    source: TableSource
    column: str


@dataclass(frozen=True, kw_only=True)
class DraftRequest:
    """Profile a table and suggest checks; the fields of `ProfileRequest` mean the same here.

    - `in_force`: its classifications are taken over into the draft.
    - `lake`: folder of the pattern index; None suggests no patterns.
    - `key_model`: key-name model, or folder of models; None uses the shipped one.
    - `programs`: how to learn programs; None learns none. `patterns`: how to learn patterns.
    - `compare`: also return what other options would have learned.
    - `keys`: keys that columns may refer to; `sketched`: also find such columns by sketches, not only by name.
    - `excluded_partitions`: partitions from which nothing is learned.
    - `refuse_unknown_exclusions`: fail if the table lacks an excluded partition; otherwise such names are ignored, as
      a partition of an incident may have been dropped."""

    source: TableSource
    contract_id: str
    object: str
    columns: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    in_force: bytes | None = None
    sample: int | None = None
    lake: str | None = None
    key_model: str | None = None
    programs: ProgramOptions | None = None
    patterns: PatternOptions = PATTERNS
    compare: bool = False
    keys: tuple[ReferableKey, ...] = ()
    sketched: bool = True
    excluded_partitions: tuple[str, ...] = ()
    refuse_unknown_exclusions: bool = False

    @property
    def profile(self) -> ProfileRequest:
        """Return the profile request of the draft."""
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
    """A table of the lake.

    `columns`: those to learn from. `as_of`: fingerprint of its content; a table that is indexed with an equal value
    is not read. `rules`: as in `TableSource`."""

    name: str
    location: str
    format: str | None
    columns: tuple[str, ...]
    as_of: str
    rules: LocationRules | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LakeRequest:
    """Update the pattern index of a lake to exactly these tables."""

    folder: str
    tables: tuple[LakeTable, ...]


@dataclass(frozen=True)
class DraftResult:
    """A draft: the base document (schema without suggested checks), the suggestions and the profile, as plain data.

    `choices`: what other options would have learned, if requested."""

    document: bytes
    suggestions: tuple[Mapping[str, Any], ...]
    profile: Mapping[str, Any]
    choices: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class TextsRequest:
    """Read text columns of at most `rows` rows, drawn uniformly. `columns`: empty means all."""

    source: TableSource
    columns: tuple[str, ...] = ()
    rows: int = 1000


@dataclass(frozen=True, kw_only=True)
class StageRequest:
    """Write the rows of `candidate` below `folder`, partitioned by these columns.

    `partition`: values of partition columns. `like`: table whose column types are used; None keeps those of the
    candidate."""

    candidate: TableSource
    folder: str
    partition_by: tuple[str, ...] = ()
    partition: Mapping[str, str | None] = field(default_factory=dict)
    like: TableSource | None = None


@dataclass(frozen=True)
class SpectraRequest:
    """Merge frequencies in files below `state_url`.

    `files`: file names by component key."""

    state_url: str
    files: Mapping[str, tuple[str, ...]]
