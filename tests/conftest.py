"""For every test: no setting of the caller's environment, property tests that are the same in every run, and an order
in which two processes end together."""

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from support.archive import options

KEPT = (
    "TREATY_SHARED",
    "TREATY_REQUIRE",
    "TREATY_WRITE_PLANS",
    "TREATY_WRITE_LOOKS",
    "TREATY_TEST_REMOTE",
    "TREATY_EVENTS",
)
for name in [each for each in os.environ if each.startswith("TREATY_") and each not in KEPT]:
    del os.environ[name]

# Machines are shared: a slow example is no failure. `make fuzz` searches further, with fresh seeds.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

for name, option in options().items():
    os.environ.setdefault(name, option)

# What is collected stays until the end: to look for garbage in it was a quarter of the time that collecting took.
gc.disable()

HERE = Path(__file__).parent
# What takes long is begun first; what is in no other group goes file by file, the short ones last.
ORDER = ("journeys", "spark", "connect", "database", "unit", "architecture")
# Each has a Spark session of its own kind for as long as its process lives: the first two are begun by two processes.
APART = ("journeys", "spark")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests in that order, and those of a file that is in no group into one: they share what is set up for
    them, and there is less to hand out."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(HERE))))
    items.sort(key=_turn)


def pytest_collection_finish() -> None:
    """Has garbage looked for from here on, and not among the tests themselves."""
    gc.freeze()
    gc.enable()


def _turn(item: pytest.Item) -> tuple[int, int]:
    marker = item.get_closest_marker("xdist_group")
    group = marker.args[0] if marker else ""
    apart = APART.index(group) if group in APART else len(APART)
    return apart, ORDER.index(item.path.relative_to(HERE).parts[0])


@pytest.fixture(autouse=True)
def _no_log_of_an_earlier_test() -> Iterator[None]:
    """Take away what a command that ran in this process set up: it writes to a stream that is closed by now."""
    yield
    root = logging.getLogger()
    for handler in [each for each in root.handlers if type(each) is logging.StreamHandler]:
        root.removeHandler(handler)
    for name in ("treaty", "uvicorn"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Shows what tests recorded as `verdicts`, also where they ran in another process and passed."""
    reports = [each for found in terminalreporter.stats.values() for each in found]
    recorded = [pair for each in reports for pair in getattr(each, "user_properties", ())]
    if lines := dict.fromkeys(text for name, text in recorded if name == "verdicts"):
        terminalreporter.section("verdicts on published tables")
        terminalreporter.write_line("\n".join(lines))
