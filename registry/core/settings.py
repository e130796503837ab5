"""Read the settings from the TREATY_* environment variables.

No other module reads the environment."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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

    home: Path = Field(default=Path(".treaty"), description="folder of everything that is kept on this machine")
    database_url: str = Field(default="", repr=False, description="PostgreSQL; by default a SQLite file in the home")
    state_url: str = Field(
        default="", repr=False, description="where large states lie; by default a folder in the home"
    )
    pattern_index_url: str = Field(
        default="", description="the folder of the index of patterns that texts have; by default one in the home"
    )
    hash_key_file: str = Field(
        default="",
        description="32 bytes that values of classified columns are hashed with; by default a file in the home, which"
        " `treaty up` makes",
    )
    audit_key_file: str = Field(
        default="",
        description="32 bytes that heads of the audit are signed with; by default a file in the home, which `treaty up`"
        " makes. Of several files, comma-separated, the first signs, all are recognised",
    )
    audit_key_text: str = Field(
        default="",
        repr=False,
        description="the same as 64 hexadecimal digits, comma-separated, where keys come by the environment",
    )
    host: str = Field(default="127.0.0.1", description="the address that API and pages listen on")
    api_port: int = Field(default=8700, ge=1, le=65535, description="the API's port")
    api_processes: int = Field(
        default=1, ge=1, le=64, description="processes that answer the API; one uses one core, whatever the threads"
    )
    ui_port: int = Field(default=8701, ge=1, le=65535, description="the pages' port")
    api_url: str = Field(default="", description="how the pages reach the API, where it is not on this machine")
    token: str = Field(default="", repr=False, description="the API token of commands that ask the service")
    spark_remote: str | None = Field(default=None, repr=False, description="Spark Connect, sc://host:port")
    spark_master: str | None = Field(default=None, description="a Spark cluster, spark://host:port or yarn")
    spark_memory: str = Field(default="2g", pattern=SIZE, description="memory of the local Spark")
    engine_timeout_seconds: float = Field(
        default=3600, gt=0, description="a reading of a table is ended after this time"
    )
    engine_memory: str | None = Field(
        default=None,
        pattern=SIZE,
        description="memory of the engine's processes together, as 8g; by default four times that of the local Spark",
    )
    replay_timeout_seconds: float = Field(
        default=10, gt=0, description="how long the API replays a version before it tells a part"
    )
    read_batch_partitions: int = Field(
        default=512, gt=0, description="partitions read before what was read is kept, should the worker end"
    )
    spark_merge_threshold: int = Field(
        default=16_000_000, gt=0, description="stored counts of more values than these are added up by Spark"
    )
    redraft_hour: int = Field(
        default=2,
        ge=-1,
        le=23,
        description="the hour (UTC) in which contracts in force are drafted anew once a day, and what is new is"
        " proposed; -1: never",
    )
    redraft_sample_rows: int = Field(
        default=1_000_000, gt=0, description="of larger tables about so many rows are read for that, drawn one by one"
    )
    sample_rows: int = Field(default=5, ge=0, le=50, description="rows kept of each failed check; 0: none are read")
    state_retention_days: float = Field(
        default=30, gt=0, description="how long states that are no longer current are kept"
    )
    compaction_delay_days: int = Field(
        default=0, ge=0, description="states of days are merged once their month is over for so many days; 0: never"
    )
    sample_retention_days: float = Field(
        default=30, gt=0, description="how long rows of failed checks are kept and shown"
    )
    plugins: str = Field(default="", description="packages whose analyzers and assertions are used, comma-separated")
    lease_seconds: float = Field(
        default=60, gt=10, description="a task of a silent worker is given to another after it"
    )
    heartbeat_seconds: float = Field(default=15, gt=0, description="how often a worker says that it is alive")
    poll_seconds: float = Field(default=0.2, gt=0, description="how long a worker rests when there is nothing to do")
    session_lifetime_hours: float = Field(default=12, gt=0, description="how long a sign-in lasts")
    oidc_issuer: str = Field(
        default="", description="the OpenID Connect provider whose tokens are taken; by default none"
    )
    oidc_audience: str = Field(default="", description="what its tokens for this service say as their audience")
    oidc_keys_url: str = Field(default="", description="where its keys are; by default what the issuer says of itself")
    oidc_algorithms: str = Field(default="RS256,ES256", description="the signatures that are taken, comma-separated")
    oidc_user_claim: str = Field(default="sub", description="the claim that names a user; an e-mail must be verified")
    oidc_groups_claim: str = Field(default="groups", description="the claim that lists groups")
    oidc_teams: str = Field(default="", description="which teams groups stand for: group=team, comma-separated")
    oidc_create_users: bool = Field(default=False, description="whether who is not known yet is made a viewer")
    oidc_leeway_seconds: float = Field(default=60, ge=0, le=600, description="how far the clocks may be apart")
    oidc_keys_cache_minutes: float = Field(
        default=60, gt=0, description="how long its keys are taken without asking again"
    )
    sign_in_attempts_per_name: int = Field(
        default=10, gt=0, description="failed sign-ins by one name before others are refused"
    )
    sign_in_attempts_per_address: int = Field(
        default=100, gt=0, description="failed sign-ins from one address, likewise"
    )
    sign_in_window_minutes: float = Field(default=15, gt=0, description="the time in which failed sign-ins are counted")
    setup_link_lifetime_hours: float = Field(
        default=24, gt=0, description="how long the one-time administrator link is valid"
    )
    event_retention_days: float = Field(
        default=90, gt=0, description="how long lineage events are kept as they were sent"
    )
    intake_limit_events: int = Field(
        default=100_000, gt=0, description="events that wait to be folded before no more are taken for a while"
    )
    trigger_max_age_days: float = Field(
        default=30, gt=0, description="events of what happened longer ago are remembered and trigger nothing"
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="what the processes write of their work: lines of text, or of JSON with all ids"
    )
    worker_metrics_port: int = Field(
        default=0, ge=0, le=65535, description="where a worker answers GET /metrics, without a token; 0: nowhere"
    )
    shutdown_timeout_seconds: float = Field(
        default=8, gt=0, description="how long the API, told to stop, goes on answering requests that it took"
    )
    public_url: str = Field(
        default="", description="how people reach the pages, for links in notices and events, where not on this machine"
    )
    openlineage_url: str = Field(
        default="",
        description="the service that verdicts are sent to as OpenLineage events, as http://marquez:5000; by default"
        " they are kept here alone",
    )
    openlineage_key: str = Field(default="", repr=False, description="its API key")
    openlineage_config: str = Field(
        default="", description="an openlineage.yml whose transport, as Kafka's, takes the verdicts in its place"
    )
    openlineage_dataset_facets: bool = Field(
        default=True, description="results are also in the facets of the dataset, where some pages look for them"
    )
    smtp_url: str = Field(
        default="", repr=False, description="the mail server for notices, smtp+starttls://USER:PASSWORD@HOST:PORT"
    )
    mail_from: str = Field(default="treaty@localhost", description="whom mails are from")
    webhook_allowed_hosts: str = Field(
        default="",
        description="hosts and networks that webhooks may be sent to though they are not public, comma-separated",
    )
    metrics_public: bool = Field(default=False, description="GET /metrics answers without a token")
    max_body_bytes: int = Field(default=2 * MIB, gt=0, description="longest request, lineage events and states apart")
    max_state_bytes: int = Field(default=256 * MIB, gt=0, description="longest states of a partition that a gate sends")
    max_event_bytes: int = Field(default=32 * MIB, gt=0, description="longest lineage request, unpacked")
    max_batch_events: int = Field(default=1000, gt=0, description="most events of one batch")

    @property
    def plugin_names(self) -> tuple[str, ...]:
        """Return the packages whose analyzers and assertions are loaded."""
        from treaty.engine.checks.plugins import split

        return split(self.plugins)

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
        """Return the URL of the pages for links in notifications; by default `ui_url`."""
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


def load(environ: Mapping[str, str] | None = None) -> RegistrySettings:
    """Read the settings from the environment.

    `environ`: variables to read; None means os.environ. Raises ConfigError with one line for each invalid variable."""
    source = os.environ if environ is None else environ
    variables = {name: value for name, value in source.items() if name.startswith(PREFIX) and name not in NOT_SETTINGS}
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
    return f"{name} is no setting" + (f"; did you mean {PREFIX}{near[0].upper()}?" if near else "")
