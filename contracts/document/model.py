"""The contract as values: what an ODCS document promises, with the place in the text where each promise stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.fingerprint import fingerprint

Severity = Literal["warning", "error"]
# What a check is judged on: SCOPES, or the name of a view.
Scope = str
SCOPES = ("delta", "dataset")
CheckKind = Literal["treaty", "library", "sql", "text", "custom", "schema"]


class TermsModel(BaseModel):
    """Treaty's own terms are strict: unknown words and coerced types are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Alias(TermsModel):
    """A lineage identity (OpenLineage namespace and name) of one schema object of the contract.

    A name with `*` stands for many: `*` is any characters but "/". `regex`: the name is a regular expression, of the
    subset that predicates may hold, which the whole name must match."""

    object: str
    namespace: str
    name: str
    regex: bool = False

    @property
    def is_pattern(self) -> bool:
        """Whether it stands for many names."""
        return self.regex or "*" in self.name


class View(TermsModel):
    """A name for the partitions that a condition on partition columns chooses."""

    name: str
    where: str


class Partition(TermsModel):
    """A partition column of an object that its rows do not have: `by` says what it is computed from."""

    object: str
    name: str
    by: str


# How a version may differ from the one before it: each mode is a sentence in
# `treaty.contracts.comparison.compatibility`.
Mode = Literal[
    "NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"
]  # fmt: skip


class Compatibility(TermsModel):
    """Which versions may follow: judged for the structure (columns, types) and the guarantees (checks) apart."""

    structure: Mode = "FORWARD"
    guarantees: Mode = "FORWARD"


class Review(TermsModel):
    """What a version needs before it comes into force. The terms of the version in force decide about the next one.

    `quorum`: how many owners must approve. `columns`: the owners of the columns that it touches must, too.
    `versions`: whether a version number that says less than the change is refused, or only told.
    `acknowledge_days`: how long consumers that a change breaks have to acknowledge it; 0: nobody is waited for."""

    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    columns: bool = False
    versions: Literal["suggested", "enforced"] = "suggested"
    acknowledge_days: Annotated[int, Field(ge=0, le=365)] = 14


class Lineage(TermsModel):
    """What is made of lineage events about the contract's objects.

    `quiet`: seconds after a validation was asked for in which all that is written waits for one more. `settle: parent`
    waits for the end of the run that the writing one is a part of. `on_failed_run`: what a run that failed leaves
    behind is not looked at, told as suspect, or told and validated. `stream_interval`: minutes between validations of
    what is written all the time. `nominal`: by partition column how its values are made of a run's nominal time.
    `without_partition`: what is read where nothing tells what was written: the `latest` partitions, or all.
    `sweep`: hours after which files are looked at that no event told of; 0: never. `on_upstream_failed`: bad data that
    came from further up are told with the gate's answer, or make it a warning, or block."""

    quiet: Annotated[float, Field(ge=0, le=3600)] = 5
    settle: Literal["none", "parent"] = "none"
    on_failed_run: Literal["ignore", "suspect", "validate"] = "suspect"
    stream_interval: Annotated[float, Field(gt=0, le=1440)] = 15
    nominal: dict[str, str] = {}
    without_partition: Literal["latest", "all"] = "latest"
    latest: Annotated[int, Field(ge=1, le=64)] = 1
    sweep: Annotated[float, Field(ge=0, le=8760)] = 24
    on_upstream_failed: Literal["tell", "warn", "block"] = "tell"


class Anomalies(TermsModel):
    """How anomalies of the objects' metrics are told.

    `false_alarms`: how many a year the checks of an object may raise together while nothing is wrong. `holidays`: days
    that are not like others, as ISO 8601."""

    false_alarms: Annotated[float, Field(gt=0, le=1000)] = 4
    holidays: list[Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]] = []


class Deadline(TermsModel):
    """By when data of an object must have come: a time of day in a time zone, on days of the week.

    `id` tells several of an object apart; without one the time does."""

    object: str
    by: str
    zone: str = "UTC"
    days: Literal["daily", "weekdays"] | list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] = "daily"
    severity: Severity = "error"
    id: str | None = None


class Terms(TermsModel):
    """The contract-level terms that ODCS has no word for, kept in customProperties under `treaty`."""

    aliases: list[Alias] = []
    # What checks may name as their scope.
    views: list[View] = []
    # Objects without partition columns that grow by files: what came since the last look is judged by itself.
    arrivals: list[str] = []
    partitions: list[Partition] = []
    # Of columns that the contract does not name: they are welcome, told as a warning, or an error.
    columns: Literal["open", "watched", "closed"] = "watched"
    order: bool = False
    compatibility: Compatibility = Compatibility()
    review: Review = Review()
    lineage: Lineage = Lineage()
    deadlines: list[Deadline] = []
    anomalies: Anomalies = Anomalies()
    # Of each group one version is in force: versions of different groups are in force side by side.
    group: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$")] = "main"
    # What the gate answers where a check could not be evaluated.
    on_unknown: Literal["pass", "warn", "block"] = "block"


@dataclass(frozen=True, kw_only=True)
class ContractCheck:
    """One quality rule of the document. `arguments` are the analyzer's own words, without the ones named here.

    Checks of kind `schema` are what the words of a property stand for: required, unique, logicalTypeOptions.
    `column` is the path of the property that the rule stands on; None for a rule of the table."""

    id: str
    name: str
    kind: CheckKind
    severity: Severity
    analyzer: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    where: str | None = None
    scope: Scope | None = None
    assertion: Assertion | None = None
    dimension: str | None = None
    column: str | None = None
    path: str = ""
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Property:
    """A column of a schema object. Nested properties are named in `properties`; an array's element in `items`.

    `encrypted`: the document names an encrypted element that stands for it, so its own values are not for every eye.
    `options`: its logicalTypeOptions; `enum`: the values that it may have, () for any."""

    name: str
    logical_type: str | None = None
    physical_type: str | None = None
    required: bool = False
    unique: bool = False
    primary_key: bool = False
    primary_key_position: int | None = None
    partitioned: bool = False
    partition_key_position: int | None = None
    classification: str | None = None
    tags: tuple[str, ...] = ()
    encrypted: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    enum: tuple[Any, ...] = ()
    properties: "tuple[Property, ...]" = ()
    items: "Property | None" = None
    path: str = ""
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class DataObject:
    """A table of the contract: its columns and its checks (those on its properties included).

    `views` are those of the contract, which its checks may name as their scope. `arrivals`: its files are told apart by
    when they came. `computed`: the partition columns that are computed, as words
    (`treaty.contracts.document.computed_partitions`). `anomalies`: how they are told of its metrics.
    `classifying_objects`: objects of other contracts about the same table; what they classify is classified here,
    too."""

    name: str
    physical_name: str | None = None
    properties: tuple[Property, ...] = ()
    checks: tuple[ContractCheck, ...] = ()
    tags: tuple[str, ...] = ()
    views: tuple[View, ...] = ()
    arrivals: bool = False
    computed: tuple[str, ...] = ()
    anomalies: Anomalies = field(default_factory=Anomalies)
    classifying_objects: "tuple[DataObject, ...]" = field(default=(), repr=False)
    path: str = ""
    line: int | None = None

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """Names of the partition columns, by partitionKeyPosition, then in document order."""
        partitioned = [each for each in self.properties if each.partitioned]
        return tuple(each.name for each in sorted(partitioned, key=lambda p: p.partition_key_position or 0))

    @property
    def partition_by(self) -> tuple[str, ...]:
        """What the table is parted by: its partition columns, then those that are computed."""
        return (*self.partition_columns, *self.computed)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Names of the key columns, by primaryKeyPosition, then in document order."""
        keys = [each for each in self.properties if each.primary_key]
        return tuple(each.name for each in sorted(keys, key=lambda p: p.primary_key_position or 0))


@dataclass(frozen=True, kw_only=True)
class Contract:
    """A contract as read: `source` is the document byte for byte, `document` its plain data, `lines` path -> line."""

    source: bytes
    document: Mapping[str, Any]
    id: str
    name: str
    version: str
    status: str
    objects: tuple[DataObject, ...]
    terms: Terms
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 (hex) of the document as plain data: equal for texts that differ in layout or comments only."""
        return fingerprint(self.document)

    def object(self, name: str) -> DataObject:
        """The schema object of that name. Raises KeyError where there is none."""
        return {each.name: each for each in self.objects}[name]
