"""Drafts from the same stored states are the same, byte for byte: in another process, with other random hashes."""

import json
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.histories import history
from unit.engine.programs.test_suggestions import known

from treaty.engine.profile.document import document
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.programs.suggestions import suggestions
from treaty.engine.states.bag import unpack
from treaty.engine.suggestions.selection.pipeline import suggest

HERE = Path(__file__).parents[3]
TYPES = {"id": "bigint", "amount": "double", "status": "string", "code": "string"}
MOST = 1200  # rows: more than a sketch holds one by one


def days() -> list[dict[str, Any]]:
    draw = random.Random(20261125)
    return [
        {
            "id": [at * MOST + row for row in range(MOST)],
            "amount": [draw.lognormvariate(3, 1) for _ in range(MOST)],
            "status": [draw.choice(["new", "paid", "sent", "lost"]) for _ in range(MOST)],
            "code": [f"{draw.choice('AB')}{draw.randint(0, 99_999):05d}" for _ in range(MOST)],
        }
        for at in range(8)
    ]


def loaded(profile: TableProfile) -> TableProfile:
    return replace(profile, partitions=tuple((name, unpack(packed)) for name, packed in profile.partitions))


def drafted(profile: TableProfile) -> str:
    return json.dumps(suggest(loaded(profile), "orders"), default=str)


def profiled(profile: TableProfile) -> str:
    return json.dumps(document(loaded(profile), "orders").model_dump(mode="json"))


def programmed(given: Any) -> str:
    return json.dumps(suggestions(given, "orders"), default=str)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    profile = history(TYPES, days())
    packed = replace(profile, partitions=tuple((name, bag.pack()) for name, bag in profile.partitions))
    file = tmp_path_factory.mktemp("states") / "profile"
    file.write_bytes(pickle.dumps({"drafted": packed, "profiled": packed, "programmed": known()}))
    return file


@pytest.mark.parametrize("draft", [drafted, profiled, programmed], ids=lambda each: each.__name__)
def test_the_same_states_give_the_same_draft(draft: Callable[[Any], str], stored: Path) -> None:
    given = pickle.loads(stored.read_bytes())[draft.__name__]
    expected = draft(given)
    assert len(expected) > 1000
    assert draft(given) == expected
    for seed in ("1", "2", "3"):
        assert elsewhere(draft.__name__, stored, seed) == expected


def elsewhere(name: str, stored: Path, seed: str) -> str:
    """The draft of a process whose sets of texts have another order."""
    code = (
        "import pickle, sys; from pathlib import Path; import unit.engine.suggestions.test_draft_determinism as of;"
        f"given = pickle.loads(Path({str(stored)!r}).read_bytes()); sys.stdout.write(of.{name}(given[{name!r}]))"
    )
    paths = os.pathsep.join([str(HERE), *sys.path])
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
