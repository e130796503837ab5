"""Represent a contract document as immutable values, each with its location in the text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.fingerprint import fingerprint

Severity = Literal["warning", "error"]
# The data that a check covers: one of SCOPES, or the name of a view.
Scope = str
SCOPES = ("delta", "dataset")
CheckKind = Literal["treaty", "library", "sql", "text", "custom", "schema"]


class TermsModel(BaseModel):
    """Base of Treaty's own terms: unknown keys are rejected, types are not coerced."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Alias(TermsModel):
    """A lineage identity (OpenLineage namespace and name) of a schema object.

    `object`: name of the object. `namespace`: namespace of the dataset in lineage events. `name`: name of the dataset
    in lineage events; may contain `*`, which matches any characters except "/". `regex`: `name` is a regular
    expression that has to match the whole dataset name, restricted to the subset that predicates allow."""

    object: str
    namespace: str
    name: str
    regex: bool = False

    @property
    def is_pattern(self) -> bool:
        """Return whether the alias can match several names."""
        return self.regex or "*" in self.name


class View(TermsModel):
    """A name for the partitions that a condition on partition columns selects.

    `name`: name of the view, which checks use as their scope. `where`: predicate on partition columns."""

    name: str
    where: str


class Partition(TermsModel):
    """A partition column that is computed rather than stored.

    `object`: name of the object. `name`: name of the partition column. `by`: expression that computes it, such as
    `to_date(ts)`."""

    object: str
    name: str
    by: str


# How a version may differ from its predecessor. `treaty.contracts.comparison.compatibility` defines each mode.
Mode = Literal[
    "NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"
]  # fmt: skip


class Compatibility(TermsModel):
    """Compatibility modes for new versions.

    `structure`: mode for tables, columns and types. `guarantees`: mode for checks and service levels."""

    structure: Mode = "FORWARD"
    guarantees: Mode = "FORWARD"


class Review(TermsModel):
    """Requirements that a version must meet before it comes into force.

    The terms of the version in force apply to the next one.

    `quorum`: number of owners who must approve. `columns`: the owners of changed columns must approve as well.
    `versions`: "enforced" rejects a version number that understates the change, "suggested" only reports it.
    `acknowledge_days`: days that affected consumers have to acknowledge a breaking change; 0 means that no
    acknowledgement is awaited."""

    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    columns: bool = False
    versions: Literal["suggested", "enforced"] = "suggested"
    acknowledge_days: Annotated[int, Field(ge=0, le=365)] = 14


class Lineage(TermsModel):
    """Settings for lineage events about the contract's objects.

    `quiet`: seconds after a validation was triggered in which further writes are combined into one more validation.
    `settle`: "parent" waits until the parent of the writing run has ended. `on_failed_run`: data written by a failed
    run is ignored, reported as suspect, or reported and validated. `stream_interval`: minutes between validations of
    data that is written continuously. `nominal`: by partition column, how its value is derived from a run's nominal
    time. `without_partition`: partitions to read if no event reports which were written: the latest ones, or all.
    `latest`: number of latest partitions to read in that case. `sweep`: hours after which files are checked for
    changes that no event reported; 0 means never. `on_upstream_failed`: the gate's
    answer while upstream data is bad; `allow` only mentions it in the reason."""

    quiet: Annotated[float, Field(ge=0, le=3600)] = 5
    settle: Literal["none", "parent"] = "none"
    on_failed_run: Literal["ignore", "suspect", "validate"] = "suspect"
    stream_interval: Annotated[float, Field(gt=0, le=1440)] = 15
    nominal: dict[str, str] = {}
    without_partition: Literal["latest", "all"] = "latest"
    latest: Annotated[int, Field(ge=1, le=64)] = 1
    sweep: Annotated[float, Field(ge=0, le=8760)] = 24
    on_upstream_failed: Literal["allow", "warn", "block"] = "allow"


class Anomalies(TermsModel):
    """Settings of anomaly detection for the contract's metrics.

    `false_alarms`: false-alarm budget: alarms per year that the checks of an object may raise in total while the data
    is fine. `holidays`: days that differ from ordinary ones, as ISO 8601 dates. `distances`: with the rows at hand, an
    estimated distance that is too close to its learned limit is computed from all values (exact), or decides itself
    (estimated), which is cheaper, but two validations of the same rows may differ."""

    false_alarms: Annotated[float, Field(gt=0, le=1000)] = 4
    holidays: list[Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]] = []
    distances: Literal["exact", "estimated"] = "exact"


class Deadline(TermsModel):
    """A time of day by which data of an object must arrive.

    `object`: name of the object. `by`: time of day, such as 07:30. `zone`: IANA time zone. `days`: days of the week.
    `severity`: severity of the violation if data is late. `id`: distinguishes several deadlines of an object; None
    derives the name from the time and the zone."""

    object: str
    by: str
    zone: str = "UTC"
    days: Literal["daily", "weekdays"] | list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] = "daily"
    severity: Severity = "error"
    id: str | None = None


class Terms(TermsModel):
    """Contract-level terms that ODCS does not define, stored in customProperties under `treaty`.

    `aliases`: lineage names of the objects. `views`: named selections of partitions. `arrivals`: objects without
    partition columns that grow by files; the files of each arrival are validated as one unit. `partitions`: computed
    partition columns. `columns`: columns that the contract does not name are allowed (open), a warning (watched) or an
    error (closed). `order`: the order of the columns must be that of the contract. `compatibility`: compatibility modes
    for new versions. `review`: requirements that a version must meet before it comes into force. `lineage`: settings
    for lineage events. `deadlines`: times by which data must arrive. `anomalies`: settings of anomaly detection.
    `group`: one version of each group is in force; versions of different groups are in force in parallel.
    `on_unknown`: the gate's answer if a check could not be evaluated. `on_uncertain`: the gate's answer if an estimate
    cannot decide a check: `block` counts it as failed, so a check of severity warning only warns."""

    aliases: list[Alias] = []
    views: list[View] = []
    arrivals: list[str] = []
    partitions: list[Partition] = []
    columns: Literal["open", "watched", "closed"] = "watched"
    order: bool = False
    compatibility: Compatibility = Compatibility()
    review: Review = Review()
    lineage: Lineage = Lineage()
    deadlines: list[Deadline] = []
    anomalies: Anomalies = Anomalies()
    group: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$")] = "main"
    on_unknown: Literal["allow", "warn", "block"] = "block"
    on_uncertain: Literal["allow", "warn", "block"] = "block"


@dataclass(frozen=True, kw_only=True)
class ContractCheck:
    """A quality rule of the document.

    Checks of kind `schema` represent keywords of a property: required, unique, logicalTypeOptions. `arguments`:
    arguments of the analyzer, without those that are fields here. `column`: path of the property that defines the rule;
    None for a rule of the table."""

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
    """A column of a schema object.

    `properties`: nested fields. `items`: the element of an array. `encrypted`: the document names an encrypted
    element in its place, so its values are sensitive. `options`: its logicalTypeOptions. `enum`: allowed values; ()
    allows any."""

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
    """A table of the contract: its columns and its checks, including those of its properties.

    `views`: the contract's views, which checks may use as their scope. `arrivals`: the table has no partitions, and its
    files are distinguished by arrival. `computed`: definitions of computed partition columns
    (`treaty.contracts.document.computed_partitions`). `anomalies`: settings of anomaly detection.
    `classifying_objects`: objects of other contracts about the same table; what they classify is classified here as
    well."""

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
        """Return the names of the partition columns by partitionKeyPosition, then in document order."""
        partitioned = [each for each in self.properties if each.partitioned]
        return tuple(each.name for each in sorted(partitioned, key=lambda p: p.partition_key_position or 0))

    @property
    def partition_by(self) -> tuple[str, ...]:
        """Return the partition columns of the table, followed by the computed ones."""
        return (*self.partition_columns, *self.computed)

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Return the names of the key columns by primaryKeyPosition, then in document order."""
        keys = [each for each in self.properties if each.primary_key]
        return tuple(each.name for each in sorted(keys, key=lambda p: p.primary_key_position or 0))


@dataclass(frozen=True, kw_only=True)
class Contract:
    """A parsed contract document.

    `source`: the document, byte for byte. `document`: its plain data. `lines`: the line of each path."""

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
        """Return the sha256 (hex) of the document's plain data, independent of layout and comments."""
        return fingerprint(self.document)

    def object(self, name: str) -> DataObject:
        """Return the schema object with this name. Raises KeyError if there is none."""
        return {each.name: each for each in self.objects}[name]
