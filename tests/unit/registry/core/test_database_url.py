"""An address of a database that cannot be used is refused without a word of it."""

import pytest

from treaty.registry.core.database import connect
from treaty.registry.core.settings import ConfigError, RegistrySettings


@pytest.mark.parametrize(
    "url",
    [
        "hunter2",
        "",
        "hunter2://u:hunter2@host/db",
        "mysql://u:hunter2@host/db",
        "postgresql://u:p@host:hunter2/db",
        "postgresql://u:p@host:99999999999hunter2/db",
        "postgresql+hunter2://u:p@host/db",
    ],
)
def test_an_address_that_cannot_be_used_is_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError, match="TREATY_DATABASE_URL is not valid") as refused:
        connect(url)
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_settings_do_not_show_what_may_hold_a_secret() -> None:
    secret = RegistrySettings(
        database_url="postgresql://u:hunter2@host/db?password=hunter2",
        state_url="s3://key:hunter2@bucket/states",
        spark_remote="sc://host:1/;token=hunter2",
        token="hunter2",
    )
    assert "hunter2" not in f"{secret} {secret!r}"
