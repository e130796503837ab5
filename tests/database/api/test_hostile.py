"""Hostile documents and requests through the API: refused, in words, soon, in little memory, without a secret."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from support.contract_texts import HOSTILE
from support.every import every
from support.folders import ROOT
from support.hostile import DOCUMENTS, REQUESTS, SECRET, bodies

from treaty.contracts.document.identifiers import disguise

SECONDS, MEMORY = 1, 200 * 1024 * 1024
Sent = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    """What came of each request, in a process that did nothing else."""
    told = tmp_path_factory.mktemp("hostile") / "sent.json"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "support.hostile", str(told)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{ROOT}"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    return dict(json.loads(told.read_text()))


def test_there_are_so_many() -> None:
    assert len(DOCUMENTS) > 60
    assert len(HOSTILE) > 60
    assert len(REQUESTS) > 20


def test_everything_is_refused_and_nothing_fails(sent: Sent) -> None:
    assert sent.keys() == bodies().keys()
    wanted = {f"request: {name}": status for name, (*_, status) in REQUESTS.items()}
    found = {name: each["status"] for name, each in sent.items()}
    assert found == {name: wanted.get(name, 422) for name in found}


def test_each_is_refused_soon_and_in_little_memory(sent: Sent) -> None:
    assert {name: each["seconds"] for name, each in sent.items() if each["seconds"] > SECONDS} == {}
    assert sum(each["memory"] for each in sent.values()) <= MEMORY, "of all together, so of each"


def test_no_answer_holds_a_secret_or_is_long(sent: Sent) -> None:
    assert [name for name, each in sent.items() if SECRET in each["answer"]] == []
    assert {name: len(each["answer"]) for name, each in sent.items() if len(each["answer"]) > 120_000} == {}


@every("name", DOCUMENTS)
def test_the_refusal_says_what_is_wrong_and_where(sent: Sent, name: str) -> None:
    _, code, lined = DOCUMENTS[name]
    faults = json.loads(sent[f"document: {name}"]["answer"])["faults"]
    told = [each for each in faults if each["code"] == code]
    assert told, [each["code"] for each in faults[:3]]
    assert all(each["where"] and each["message"] for each in faults)
    assert any(each["line"] for each in told) is lined


@pytest.mark.parametrize(
    "identity", ["shop-orders", "urn:shop/orders?x=1&y=#ä", "заказы", "παραγγελίες", "注文", "a b", "1"]
)
def test_ids_of_one_script_are_what_they_seem(identity: str) -> None:
    assert disguise(identity) is None
