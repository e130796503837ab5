"""Read the settings from the TREATY_* environment variables.

No other module reads the environment, except the secrets of catalogs."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from treaty.engine.core.locations.spelling import normalise
from treaty.registry.core.catalog_secrets import is_catalog_secret

PREFIX = "TREATY_"
# These configure the tests and the process of the pages, not the service.
OF_THE_PAGES = frozenset({"TREATY_UI_HOSTS", "TREATY_OIDC_CLIENT_ID", "TREATY_OIDC_CLIENT_SECRET"})
NOT_SETTINGS = OF_THE_PAGES | {"TREATY_SHARED", "TREATY_REQUIRE", "TREATY_TEST_REMOTE", "TREATY_EVENTS"}
MIB = 1024 * 1024
SIZE = r"(?i)^\d+([kmgt]b?|b)?$"


class ConfigError(Exception):
    """The settings are invalid."""


class RegistrySettings(BaseModel):
    """All settings of the registry. Secrets are not in its repr."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    home: Path = Field(default=Path(".treaty"), description="Folder for all files that Treaty stores on this machine")
    database_url: str = Field(
        default="", repr=False, description="PostgreSQL URL; by default a SQLite file in `TREATY_HOME`"
    )
    state_url: str = Field(
        default="", repr=False, description="Location of large states; by default a folder in `TREATY_HOME`"
    )
    pattern_index_url: str = Field(
        default="", description="Location of the text pattern index; by default a folder in `TREATY_HOME`"
    )
    key_model_url: str = Field(
        default="", description="Location of the registry's key-name models; by default a folder in `TREATY_HOME`"
    )
    locations: str | None = Field(
        default=None,
        description="Folders, buckets and catalogs whose tables the service may read, comma-separated, such as"
        " `/data,s3://lake`, in addition to those that administrators add; by default none, with `treaty up` the folder"
        " that it was started in",
    )
    hash_key_file: str = Field(
        default="",
        description="File with the 32-byte key that hashes values of classified columns; by default a file in"
        " `TREATY_HOME` created by `treaty up`",
    )
    audit_key_file: str = Field(
        default="",
        description="File with the 32-byte key that signs audit heads; by default a file in `TREATY_HOME` created by"
        " `treaty up`. Separate several files with commas: the first signs, all verify",
    )
    audit_key_text: str = Field(
        default="",
        repr=False,
        description="Audit keys as 64 hexadecimal digits each, comma-separated, as an alternative to files",
    )
    host: str = Field(default="127.0.0.1", description="Address that the API and the pages listen on")
    api_port: int = Field(default=8700, ge=1, le=65535, description="Port of the API")
    trusted_proxies: str = Field(
        default="127.0.0.1,::1",
        description="Addresses and networks of proxies, and of the pages if they run elsewhere, whose X-Forwarded-For"
        " and X-Forwarded-Proto are believed; comma-separated",
    )
    api_processes: int = Field(
        default=1, ge=1, le=64, description="Number of API processes; each uses at most one core"
    )
    ui_port: int = Field(default=8701, ge=1, le=65535, description="Port of the pages")
    api_url: str = Field(default="", description="URL at which the pages reach the API, if it runs on another machine")
    token: str = Field(default="", repr=False, description="API token of commands that call the service")
    spark_remote: str | None = Field(default=None, repr=False, description="Spark Connect URL, sc://host:port")
    spark_master: str | None = Field(default=None, description="Spark cluster, spark://host:port or yarn")
    spark_memory: str = Field(default="2g", pattern=SIZE, description="Memory of the local Spark")
    spark_environment: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_*,\s]*$",
        description="Environment variables that Spark receives in addition to its own, comma-separated, such as"
        " `AWS_*,AZURE_*,GOOGLE_*` for credentials of file systems; none of Treaty's",
    )
    engine_timeout_seconds: float = Field(default=3600, gt=0, description="Time limit of a table scan")
    engine_memory: str | None = Field(
        default=None,
        pattern=SIZE,
        description="Memory of all engine processes, such as 8g; by default four times the memory of the local Spark",
    )
    replay_timeout_seconds: float = Field(
        default=10, gt=0, description="Time after which the API returns a partial replay of a version"
    )
    read_batch_partitions: int = Field(
        default=512, gt=0, description="Number of partitions between checkpoints of a scan"
    )
    spark_merge_threshold: int = Field(
        default=16_000_000, gt=0, description="Number of values above which stored counts are merged with Spark"
    )
    redraft_hour: int = Field(
        default=2,
        ge=-1,
        le=23,
        description="Hour (UTC) of the daily redraft of contracts in force, which proposes new suggestions;"
        " -1 disables it",
    )
    redraft_sample_rows: int = Field(
        default=1_000_000, gt=0, description="Approximate number of rows sampled from larger tables for the redraft"
    )
    sample_rows: int = Field(
        default=5, ge=0, le=50, description="Number of violating rows stored per failed check; 0 disables samples"
    )
    state_retention_days: float = Field(default=30, gt=0, description="Retention of replaced states")
    compaction_delay_days: int = Field(
        default=0, ge=0, description="Days after the end of a month until its daily states are merged; 0 disables it"
    )
    sample_retention_days: float = Field(default=30, gt=0, description="Retention of violating rows")
    plugins: str = Field(default="", description="Packages with additional analyzers and assertions, comma-separated")
    lease_seconds: float = Field(
        default=60, gt=10, description="Time without a heartbeat after which another worker takes over a task"
    )
    heartbeat_seconds: float = Field(default=15, gt=0, description="Interval of worker heartbeats")
    event_timeout_seconds: float = Field(
        default=60, gt=0, description="Time limit of processing a lineage event, or a batch of them"
    )
    task_timeout_seconds: float = Field(
        default=1800, gt=0, description="Time limit of a task between two reports of progress, without that of Spark"
    )
    job_timeout_seconds: float = Field(
        default=300, gt=0, description="Time limit of a periodic job of a worker; deliveries have at most 90 s"
    )
    poll_seconds: float = Field(default=0.2, gt=0, description="Interval at which an idle worker polls the queue")
    session_lifetime_hours: float = Field(default=12, gt=0, description="Lifetime of a session")
    oidc_issuer: str = Field(
        default="", description="Issuer URL of the OpenID Connect provider; empty disables OpenID Connect"
    )
    oidc_audience: str = Field(default="", description="Required audience of OpenID Connect tokens")
    oidc_keys_url: str = Field(
        default="", description="URL of the provider's keys; by default from the issuer's metadata"
    )
    oidc_algorithms: str = Field(
        default="RS256,ES256", description="Accepted signature algorithms of OpenID Connect tokens, comma-separated"
    )
    oidc_user_claim: str = Field(
        default="sub", description="Claim with the user name; an e-mail address must be verified by the provider"
    )
    oidc_groups_claim: str = Field(default="groups", description="Claim with the list of groups")
    oidc_teams: str = Field(default="", description="Mapping of groups to teams: group=team, comma-separated")
    oidc_create_users: bool = Field(default=False, description="Create unknown users as viewers")
    oidc_leeway_seconds: float = Field(
        default=60, ge=0, le=600, description="Allowed clock skew when OpenID Connect tokens are verified"
    )
    oidc_keys_cache_minutes: float = Field(default=60, gt=0, description="Cache lifetime of the provider's keys")
    sign_in_attempts_per_name_and_address: int = Field(
        default=10, gt=0, description="Failed sign-ins per user name from one address before attempts are slowed down"
    )
    sign_in_attempts_per_address: int = Field(
        default=100, gt=0, description="Failed sign-ins per address before attempts are slowed down"
    )
    sign_in_window_minutes: float = Field(default=15, gt=0, description="Period over which failed sign-ins are counted")
    setup_link_lifetime_hours: float = Field(
        default=24, gt=0, description="Lifetime of the one-time administrator link"
    )
    event_retention_days: float = Field(default=90, gt=0, description="Retention of original lineage events")
    intake_limit_events: int = Field(
        default=100_000, gt=0, description="Number of pending lineage events above which new ones are rejected"
    )
    trigger_max_age_days: float = Field(
        default=30, gt=0, description="Age of an event above which it is stored but triggers no validation"
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Log format: lines of text, or JSON lines with all ids"
    )
    worker_metrics_port: int = Field(
        default=0,
        ge=0,
        le=65535,
        description="Port at which a worker serves GET /metrics without a token; 0 disables it",
    )
    shutdown_timeout_seconds: float = Field(
        default=8, gt=0, description="Time for the API to finish accepted requests after a stop signal"
    )
    public_url: str = Field(
        default="", description="Public URL of the pages, for links in notifications, events and the one-time link"
    )
    openlineage_url: str = Field(
        default="",
        description="Service that receives verdicts as OpenLineage events, such as http://marquez:5000; by default"
        " they are only stored",
    )
    openlineage_key: str = Field(default="", repr=False, description="API key of the OpenLineage service")
    openlineage_config: str = Field(
        default="",
        description="Path of an openlineage.yml whose transport, such as Kafka, receives the verdicts instead",
    )
    openlineage_dataset_facets: bool = Field(
        default=True, description="Also send results as dataset facets, which some OpenLineage consumers require"
    )
    smtp_url: str = Field(
        default="", repr=False, description="Mail server for notifications, smtp+starttls://USER:PASSWORD@HOST:PORT"
    )
    mail_from: str = Field(default="treaty@localhost", description="Sender address of mails")
    webhook_allowed_hosts: str = Field(
        default="", description="Private hosts and networks that webhooks and catalogs may be in, comma-separated"
    )
    catalog_secrets: Path | None = Field(default=None, description="Folder with the secrets of catalog connections")
    metrics_public: bool = Field(default=False, description="Serve GET /metrics without a token")
    max_body_bytes: int = Field(
        default=2 * MIB, gt=0, description="Maximum size of a request with a contract or long lists"
    )
    max_generation_bytes: int = Field(
        default=16 * MIB, gt=0, description="Maximum size of the list of a dataset's partitions sent by a gate"
    )
    max_state_bytes: int = Field(
        default=256 * MIB, gt=0, description="Maximum size of a partition's states sent by a gate"
    )
    max_event_bytes: int = Field(
        default=32 * MIB, gt=0, description="Maximum size of a lineage request after decompression"
    )
    max_batch_events: int = Field(default=1000, gt=0, description="Maximum number of events in a batch")

    @field_validator("locations")
    @classmethod
    def _check_locations(cls, text: str | None) -> str | None:
        return text if text is None else ",".join(normalise(each.strip()) for each in text.split(",") if each.strip())

    @field_validator("trusted_proxies")
    @classmethod
    def _check_proxies(cls, text: str) -> str:
        return proxies(text)

    @property
    def plugin_names(self) -> tuple[str, ...]:
        """Return the packages whose analyzers and assertions are loaded."""
        from treaty.engine.checks.plugins import split

        return split(self.plugins)

    @property
    def location_names(self) -> tuple[str, ...]:
        """Return the allowed locations of the settings."""
        return tuple(self.locations.split(",")) if self.locations else ()

    @property
    def spark_variables(self) -> tuple[str, ...]:
        """Return the names of further environment variables for Spark; `*` stands for any text."""
        return tuple(each.strip() for each in self.spark_environment.split(",") if each.strip())

    @property
    def database(self) -> str:
        """Return the database URL; by default a SQLite file in `home`."""
        return self.database_url or f"sqlite:///{(self.home / 'treaty.db').absolute()}"

    @property
    def states(self) -> str:
        """Return the location of large states; by default a folder in `home`."""
        return self.state_url or str((self.home / "states").absolute())

    @property
    def lake(self) -> str:
        """Return the location of the pattern index; by default a folder in `home`."""
        return self.pattern_index_url or str((self.home / "patterns").absolute())

    @property
    def key_models(self) -> str:
        """Return the location of the key-name models; by default a folder in `home`."""
        return self.key_model_url or str((self.home / "key-models").absolute())

    @property
    def key(self) -> str:
        """Return the path of the hash key file; by default a file in `home`."""
        return self.hash_key_file or str((self.home / "key").absolute())

    @property
    def audit_keys(self) -> tuple[str, ...]:
        """Return the paths of the audit key files, the current one first."""
        named = tuple(each.strip() for each in self.audit_key_file.split(",") if each.strip())
        return named or (str((self.home / "audit-key").absolute()),)

    @property
    def audit_key(self) -> str:
        """Return the path of the key file that signs audit heads now; by default a file in `home`."""
        return self.audit_keys[0]

    @property
    def api(self) -> str:
        """Return the URL of the API for the pages and clients."""
        return self.api_url or f"http://{self.host}:{self.api_port}"

    @property
    def ui_url(self) -> str:
        """Return the URL of the pages on this machine."""
        return f"http://{self.host}:{self.ui_port}"

    @property
    def pages(self) -> str:
        """Return the URL of the pages for links that people open; by default `ui_url`."""
        return self.public_url.rstrip("/") or self.ui_url

    @property
    def lineage_service(self) -> str:
        """Return the URL that verdicts are sent to; '' if they are not sent by HTTP.

        A URL without a path is extended by `/api/v1/lineage`."""
        url = self.openlineage_url.rstrip("/")
        return f"{url}/api/v1/lineage" if url.count("/") == 2 else url

    @property
    def emits(self) -> bool:
        """Return whether verdicts are sent as OpenLineage events."""
        return bool(self.openlineage_url or self.openlineage_config)


def proxies(text: str) -> str:
    """Return the list of proxies in its canonical form.

    Raises ValueError for anything but addresses and networks: with `*`, clients could choose their address."""
    named = [each.strip() for each in text.split(",") if each.strip()]
    try:
        return ",".join(str(ip_network(each) if "/" in each else ip_address(each)) for each in named)
    except ValueError:
        raise ValueError("must be IP addresses or networks, comma-separated") from None


def load(environ: Mapping[str, str] | None = None) -> RegistrySettings:
    """Read the settings from the environment.

    `environ`: variables to read; None means os.environ. Raises ConfigError with one line for each invalid variable."""
    source = os.environ if environ is None else environ
    others = {name for name in source if name in NOT_SETTINGS or is_catalog_secret(name)}
    variables = {name: value for name, value in source.items() if name.startswith(PREFIX) and name not in others}
    try:
        return RegistrySettings.model_validate(
            {name.removeprefix(PREFIX).lower(): value for name, value in variables.items()}
        )
    except ValidationError as error:
        raise ConfigError("\n".join(_sentence(str(each["loc"][0]), each["msg"]) for each in error.errors())) from None


def _sentence(field: str, message: str) -> str:
    name = PREFIX + field.upper()
    if field in RegistrySettings.model_fields:
        return f"{name}: {message}"
    near = get_close_matches(field, RegistrySettings.model_fields, n=1)
    return f"{name} is not a setting" + (f"; did you mean {PREFIX}{near[0].upper()}?" if near else "")
