"""The settings of the pages' process."""

import tomllib
from pathlib import Path

import pytest
import streamlit.config

from treaty import ui
from treaty.ui.server.oidc_flow import SignInProvider
from treaty.ui.server.settings import LOCAL_HOSTS, PageSettings, SettingsError, load

CONFIG = Path(ui.__file__).parent / ".streamlit" / "config.toml"


@pytest.mark.parametrize(
    ("environ", "settings"),
    [
        ({}, PageSettings()),
        ({"TREATY_API_URL": ""}, PageSettings()),
        ({"TREATY_API_URL": "http://api:9000/"}, PageSettings(api_url="http://api:9000")),
        (
            {
                "TREATY_OIDC_CLIENT_ID": "ui",
                "TREATY_OIDC_ISSUER": "https://id.example",
                "TREATY_PUBLIC_URL": "https://t/",
            },
            PageSettings(provider=SignInProvider("https://id.example", "ui"), public_url="https://t"),
        ),
        ({"TREATY_OIDC_ISSUER": "https://id.example"}, PageSettings()),
        ({"TREATY_UI_HOSTS": " data.example, ,localhost"}, PageSettings(hosts=(*LOCAL_HOSTS, "data.example"))),
    ],
)
def test_settings_come_from_the_environment(environ: dict[str, str], settings: PageSettings) -> None:
    assert load(environ) == settings


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"TREATY_API_URL": "ftp://x"}, "TREATY_API_URL"),
        ({"TREATY_OIDC_CLIENT_ID": "ui"}, "TREATY_OIDC_ISSUER"),
        ({"TREATY_UI_HOSTS": "*"}, "TREATY_UI_HOSTS"),
        ({"TREATY_UI_HOSTS": "https://x"}, "TREATY_UI_HOSTS"),
        ({"TREATY_UI_HOSTS": "x:80"}, "TREATY_UI_HOSTS"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(environ: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load(environ)


def test_every_option_beside_the_script_is_one_that_streamlit_knows() -> None:
    # One that it knows no more is left out with a word in its log, and what it was for is lost.
    with CONFIG.open("rb") as file:
        sections = tomllib.load(file)
    names = [f"{section}.{name}" for section, options in sections.items() if section != "theme" for name in options]
    assert "runner.postScriptGC" in names
    for name in names:
        streamlit.config.get_option(name)
