"""The settings of the pages' process."""

import pytest

from ui.provider import Provider
from ui.settings import LOCAL_HOSTS, Settings, SettingsError, load


@pytest.mark.parametrize(
    ("environ", "settings"),
    [
        ({}, Settings()),
        ({"TREATY_API_URL": ""}, Settings()),
        ({"TREATY_API_URL": "http://api:9000/"}, Settings(api_url="http://api:9000")),
        (
            {
                "TREATY_OIDC_CLIENT_ID": "ui",
                "TREATY_OIDC_ISSUER": "https://id.example",
                "TREATY_PUBLIC_URL": "https://t/",
            },
            Settings(provider=Provider("https://id.example", "ui"), public_url="https://t"),
        ),
        ({"TREATY_OIDC_ISSUER": "https://id.example"}, Settings()),
        ({"TREATY_UI_HOSTS": " data.example, ,localhost"}, Settings(hosts=(*LOCAL_HOSTS, "data.example"))),
    ],
)
def test_settings_come_from_the_environment(environ: dict[str, str], settings: Settings) -> None:
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
