"""For every test: no setting of the caller's environment, and property tests that are the same in every run."""

import os
from typing import Any

from hypothesis import settings

KEPT = ("TREATY_SHARED", "TREATY_REQUIRE", "TREATY_WRITE_PLANS", "TREATY_TEST_REMOTE", "TREATY_EVENTS")
for name in [each for each in os.environ if each.startswith("TREATY_") and each not in KEPT]:
    del os.environ[name]

# Machines are shared: a slow example is no failure. `make fuzz` searches further, with fresh seeds.
settings.register_profile("same", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Shows what tests recorded as `verdicts`, also where they ran in another process and passed."""
    reports = [each for found in terminalreporter.stats.values() for each in found]
    recorded = [pair for each in reports for pair in getattr(each, "user_properties", ())]
    if lines := dict.fromkeys(text for name, text in recorded if name == "verdicts"):
        terminalreporter.section("verdicts on published tables")
        terminalreporter.write_line("\n".join(lines))
