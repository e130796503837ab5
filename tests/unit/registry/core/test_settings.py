"""Settings from the environment."""

from pathlib import Path

import pytest

from treaty.registry.core.settings import ConfigError, RegistrySettings, load


def test_nothing_set_means_sqlite_and_local_files_on_this_machine() -> None:
    settings = load({})
    assert settings.database == f"sqlite:///{Path('.treaty/treaty.db').absolute()}"
    assert settings.states == str(Path(".treaty/states").absolute())
    assert (settings.api, settings.ui_url) == ("http://127.0.0.1:8700", "http://127.0.0.1:8701")


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("TREATY_DATABASE_URL", "postgresql://db/treaty", "database", "postgresql://db/treaty"),
        ("TREATY_HOME", "/data", "database", "sqlite:////data/treaty.db"),
        ("TREATY_STATE_URL", "s3://states", "states", "s3://states"),
        ("TREATY_API_PORT", "9000", "api", "http://127.0.0.1:9000"),
        ("TREATY_API_URL", "https://treaty.example", "api", "https://treaty.example"),
        ("TREATY_LEASE_SECONDS", "90", "lease_seconds", 90.0),
        ("TREATY_SPARK_REMOTE", "sc://spark", "spark_remote", "sc://spark"),
        ("TREATY_ENGINE_MEMORY", "12G", "engine_memory", "12G"),
    ],
)
def test_a_variable_sets_its_setting(name: str, text: str, field: str, value: object) -> None:
    assert getattr(load({name: text}), field) == value


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"TREATY_API_PORT": "many"}, "TREATY_API_PORT: Input should be a valid integer"),
        ({"TREATY_API_PORT": "70000"}, "TREATY_API_PORT: Input should be less than or equal to 65535"),
        ({"TREATY_DATABSE_URL": "x"}, "TREATY_DATABSE_URL is not a setting; did you mean TREATY_DATABASE_URL?"),
        ({"TREATY_ENGINE_MEMORY": "8 gigs"}, "TREATY_ENGINE_MEMORY: String should match pattern"),
        ({"TREATY_ZZZ": "x"}, "TREATY_ZZZ is not a setting"),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("?", r"\?")):
        load(environ)


def test_all_wrong_variables_are_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load({"TREATY_API_PORT": "x", "TREATY_UI_PORT": "y"})
    assert str(caught.value).count("\n") == 1


def test_other_variables_are_left_alone() -> None:
    assert load({"PATH": "/bin", "TREATY_SHARED": "x", "TREATY_REQUIRE": "y"}) == load({})


def test_the_process_s_own_environment_is_read_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREATY_HOST", "0.0.0.0")
    assert load().host == "0.0.0.0"


def test_secrets_do_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    settings = RegistrySettings(database_url="postgresql://u:hunter2@db/x?password=hunter2")
    print(settings, repr(settings))
    assert "hunter2" not in capsys.readouterr().out
    with pytest.raises(ConfigError) as caught:
        load({"TREATY_DATABASE_URL": "hunter2", "TREATY_API_PORT": "hunter2"})
    assert "hunter2" not in str(caught.value)
