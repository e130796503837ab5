"""Run the benchmarks of trust: verdicts that do not depend on chance, inputs that cannot hurt.

Each topic is a module of this folder with a `main`; it prints figures beside their goals."""

import importlib
import sys
from collections.abc import Sequence

TOPICS: tuple[str, ...] = (
    "api_borders",
    "bodies",
    "border",
    "determinism",
    "learned_borders",
    "locations",
    "parsers",
    "poison",
    "predicates",
    "regexes",
    "sign_in",
)


def main(topics: Sequence[str]) -> None:
    """Run the given topics, all if none is given."""
    for topic in topics or TOPICS:
        print(f"== {topic}", flush=True)
        importlib.import_module(f"bench.trust.{topic}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
