"""For every test: no setting of the caller's environment, and property tests that are the same in every run."""

import os

from hypothesis import settings

KEPT = ("TREATY_SHARED", "TREATY_REQUIRE")
for name in [each for each in os.environ if each.startswith("TREATY_") and each not in KEPT]:
    del os.environ[name]

# Machines are shared: a slow example is no failure. `make fuzz` searches further, with fresh seeds.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
