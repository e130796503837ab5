"""Settings: TREATY_* of the environment, read in one function. No other module looks at the environment."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

PREFIX = "TREATY_"
# These steer the tests and the pages, not the service.
NOT_SETTINGS = frozenset({"TREATY_SHARED", "TREATY_REQUIRE", "TREATY_API_URL", "TREATY_UI_HOSTS"})
MIB = 1024 * 1024


class ConfigError(Exception):
    """The settings cannot be used."""


class Settings(BaseModel):
    """Everything that can be set. Secrets do not show in its repr."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    home: Path = Path(".treaty")
    database_url: str = Field(default="", repr=False)
    state_url: str = ""
    host: str = "127.0.0.1"
    api_port: int = Field(default=8700, ge=1, le=65535)
    ui_port: int = Field(default=8701, ge=1, le=65535)
    url: str = ""
    token: SecretStr | None = None
    spark_remote: str | None = None
    spark_memory: str = "2g"
    engine_limit_seconds: float = Field(default=3600, gt=0)
    lease_seconds: float = Field(default=60, gt=10)
    heartbeat_seconds: float = Field(default=15, gt=0)
    quiet_seconds: float = Field(default=5, ge=0)
    idle_seconds: float = Field(default=0.2, gt=0)
    session_hours: float = Field(default=12, gt=0)
    setup_hours: float = Field(default=24, gt=0)
    max_body_bytes: int = Field(default=2 * MIB, gt=0)
    max_event_bytes: int = Field(default=32 * MIB, gt=0)
    max_batch_events: int = Field(default=1000, gt=0)

    @property
    def database(self) -> str:
        """The database's URL; a SQLite file in `home` when none is set."""
        return self.database_url or f"sqlite:///{(self.home / 'treaty.db').absolute()}"

    @property
    def states(self) -> str:
        """Where large states live; a folder in `home` when none is set."""
        return self.state_url or str((self.home / "states").absolute())

    @property
    def api_url(self) -> str:
        """The address of the API as clients on this machine reach it."""
        return self.url or f"http://{self.host}:{self.api_port}"

    @property
    def ui_url(self) -> str:
        """The address of the pages as people on this machine reach them."""
        return f"http://{self.host}:{self.ui_port}"


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of the environment (os.environ unless given). Raises ConfigError naming every wrong variable."""
    source = os.environ if environ is None else environ
    found = {name: value for name, value in source.items() if name.startswith(PREFIX) and name not in NOT_SETTINGS}
    try:
        return Settings.model_validate({name.removeprefix(PREFIX).lower(): value for name, value in found.items()})
    except ValidationError as error:
        raise ConfigError("\n".join(_sentence(str(each["loc"][0]), each["msg"]) for each in error.errors())) from None


def _sentence(field: str, message: str) -> str:
    name = PREFIX + field.upper()
    if field in Settings.model_fields:
        return f"{name}: {message}"
    near = get_close_matches(field, Settings.model_fields, n=1)
    return f"{name} is no setting" + (f"; did you mean {PREFIX}{near[0].upper()}?" if near else "")
