"""The page on lineage, every line of it as it is written: Spark jobs of somebody's own, with OpenLineage's listener."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.agents import JARS, defaults, delta, require_delta, require_listener
from support.loops import Services, services
from support.pages import read_aloud


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    require_listener()
    require_delta()
    conf = defaults(tmp_path_factory.mktemp("conf"), delta())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(conf))
        with services(tmp_path_factory.mktemp("services")) as started:
            yield started


def answers(told: str, dataset: str) -> list[tuple[str, str]]:
    """What the gate answered of the dataset, each time it was asked, with the partition."""
    return re.findall(rf"^(pass|warn|block|unknown): \S*{dataset}(?: (\S+))?$", told, flags=re.MULTILINE)


def test_every_line_about_lineage_does_what_it_says(running: Services, tmp_path: Path) -> None:
    told = read_aloud("lineage", running, tmp_path / "page", JARS=str(JARS), PAGES=running.settings.ui_url)

    assert answers(told, "orders") == [
        ("pass", ""),
        ("pass", "day=2026-09-26"),
        ("block", "day=2026-09-28"),
        ("pass", "day=2026-09-27"),
    ]
    assert answers(told, "orders_delta") == [("pass", ""), ("block", "day=2026-09-28")]
    assert re.search(rf"^{re.escape(running.settings.ui_url)}/run\?id=[0-9a-f-]{{36}}$", told, flags=re.MULTILINE)
    assert re.search(r"^DATASET \S+/page/lake/orders orders: failed$", told, flags=re.MULTILINE)
    assert re.search(r"^DATASET \S+/page/shop/orders$", told, flags=re.MULTILINE)
    assert re.search(r"^JOB load_orders\.", told, flags=re.MULTILINE)
