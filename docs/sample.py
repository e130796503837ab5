"""Print sentences of the project at random, to read with fresh eyes: `python -m docs.sample 30 [--seed N]`."""

import argparse
import random
import secrets

from docs import prose

SHORTEST = 4


def drawn(count: int, seed: int, kinds: list[str]) -> list[prose.Passage]:
    """Return sentences of the kinds, the same for the same seed and files."""
    passages = (passage for kind in kinds for passage in prose.KINDS[kind]())
    found = [each for passage in passages for each in prose.sentences(passage) if len(each.text.split()) >= SHORTEST]
    return random.Random(seed).sample(found, min(count, len(found)))


def main() -> None:
    """Print the seed, then each sentence with its place."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("count", type=int, nargs="?", default=30)
    options.add_argument("--seed", type=int, default=secrets.randbelow(100_000), help="by default another in each call")
    options.add_argument("--kind", nargs="+", choices=sorted(prose.KINDS), default=sorted(prose.KINDS))
    given = options.parse_args()
    print(f"seed {given.seed}")
    for each in drawn(given.count, given.seed, given.kind):
        print(f"{each.place}: {each.text}")


if __name__ == "__main__":
    main()
