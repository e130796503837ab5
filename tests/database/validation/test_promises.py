"""Several promises about one dataset: one reading for all, each judged by itself, and none in another's way."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select
from support import engines
from support.engines import marker
from support.events import event
from support.scenes import NOON, Scene, document, orders, rows

from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError, Fault
from treaty.engine.core.errors import EngineKilled, StateError
from treaty.engine.core.results import Outcome, RunResult, Verdict
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest
from treaty.registry.access.authentication import Principal
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission, TaskState, VersionState
from treaty.registry.core.pagination import PageRequest
from treaty.registry.measurements.runs import history
from treaty.registry.review.consumers.consumer_checks import ConsumerDocument
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetContractRow, DatasetRow, TaskRow, UserRow
from treaty.registry.validation import validate

CONSUMER = UUID("00000000-0000-7000-8000-00000000000c")


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """The orders, of which a second contract of billing promises something, too."""
    made = orders(engine, tmp_path)
    promise(made, "billing")
    return made


def of(name: str, version: str = "1.0.0") -> bytes:
    """The contract of the orders, under another id."""
    return document(version).replace(b"id: orders\nname: orders", f"id: {name}\nname: {name}".encode(), 1)


def promise(scene: Scene, name: str, version: str = "1.0.0") -> None:
    """Puts a version of a contract of that id in force, about the dataset of the orders, beside those there are."""
    body = of(name, version)
    with transaction(scene.database) as tx:
        owner = tx.exec(select(UserRow).where(UserRow.name == "owner")).one()
        if tx.get(ContractRow, name) is None:
            tx.add(ContractRow(id=name, name=name, owner_id=owner.id, active_version=version, created_at=NOON))
            dataset = tx.exec(select(DatasetRow)).one()
            tx.add(DatasetContractRow(dataset_id=dataset.id, contract_id=name, object="orders"))
        made = ContractVersionRow(
            id=ids.new(), contract_id=name, version=version, body=body, fingerprint=read(body).fingerprint,
            state=VersionState.ACTIVE, approved_by_id=owner.id, approved_at=NOON,
        )  # fmt: skip
        tx.add(made)
        tx.commit()


def verdicts(scene: Scene) -> dict[str, list[tuple[str, list[str]]]]:
    """Of each contract (and version, where that is not the first) its runs, by verdict and partitions."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for run in scene.runs:
        whose = run.contract_id if run.version == "1.0.0" else f"{run.contract_id} {run.version}"
        whose = f"consumer of {whose}" if run.subscription_id else whose
        found.setdefault(whose, []).append((run.verdict.value, run.partitions))
    return found


def failing(name: str, error: Exception) -> Callable[..., RunResult]:
    """A judge that cannot judge the contract of that id."""

    def judge(request: EvaluationRequest) -> RunResult:
        if request.contract.id == name:
            raise error
        return engines.judge(request)

    return judge


def test_one_reading_serves_every_contract_about_the_data(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    assert verdicts(scene) == {"orders": [("passed", ["ds=1", "ds=2"])], "billing": [("passed", ["ds=1", "ds=2"])]}
    (request,) = scene.engine.requests
    assert isinstance(request, MeasureRequest)
    assert {read(request.contract).id, *(read(body).id for body, _ in request.extra_documents)} == {"orders", "billing"}
    assert {run.dataset_fingerprint for run in scene.runs} == {scene.runs[0].dataset_fingerprint}
    assert [each.state for each in rows(scene.database, TaskRow)] == [TaskState.DONE] * 2
    assert [each.result for each in rows(scene.database, TaskRow)][1] == {"note": validate.COVERED}


def test_what_each_contract_finds_is_what_it_finds_alone(scene: Scene) -> None:
    expected = []
    for at, (name, text) in enumerate([("ds=3", "bad"), ("ds=1", "better"), ("ds=4", "good")]):
        scene.write(name, text)
        scene.send(event(run=f"run {at}"))
        scene.work()
        expected.append(("passed", [name]) if at else ("failed", ["ds=1", "ds=2", "ds=3"]))
    assert verdicts(scene) == {"orders": expected, "billing": expected}
    assert len(scene.engine.requests) == 3


def test_what_was_written_while_others_were_judged_is_judged_by_its_own_task(scene: Scene) -> None:
    def write() -> None:
        scene.engine.meanwhile = lambda: None
        scene.write("ds=3", "bad")
        scene.send(event(run="second"))
        while scene.worker().take_in():
            pass

    scene.engine.meanwhile = write
    scene.send(event())
    scene.work()
    assert {name: [each[0] for each in found] for name, found in verdicts(scene).items()} in (
        {"orders": ["failed"], "billing": ["failed"]},
        {"orders": ["passed", "failed"], "billing": ["passed", "failed"]},
    )
    with read_session(scene.database) as tx:
        assert {task.state for task in tx.exec(select(TaskRow))} == {TaskState.DONE}


def test_a_contract_that_comes_later_judges_all_there_is_by_what_is_known(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event())
    scene.work()
    promise(scene, "billing")
    scene.write("ds=3", "good")
    scene.send(event(run="second"))
    scene.work()
    assert verdicts(scene) == {
        "orders": [("passed", ["ds=1", "ds=2"]), ("passed", ["ds=3"])],
        "billing": [("passed", ["ds=1", "ds=2", "ds=3"])],
    }
    assert [set(each.stored_fingerprints) for each in scene.engine.requests] == [set(), {"ds=1", "ds=2"}]  # type: ignore[union-attr]


def test_versions_of_several_groups_are_judged_from_one_reading(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    promise(scene, "orders", "2.0.0")
    scene.send(event())
    scene.work()
    assert verdicts(scene) == {
        "orders": [("passed", ["ds=1", "ds=2"])], "orders 2.0.0": [("passed", ["ds=1", "ds=2"])],
    }  # fmt: skip
    assert len(scene.engine.requests) == 1


BROKEN = {
    "has faults": ContractError([Fault(code="TR-X", where="x", message="is broken", remedy="mend it")]),
    "has damaged states": StateError("the state is damaged"),
    "cannot be judged at all": ZeroDivisionError("a value"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_contract_that_is_broken_harms_no_other(scene: Scene, name: str) -> None:
    scene.send(event())
    scene.worker().take_in()
    main = rows(scene.database, TaskRow)[0].payload["contract_id"]
    broken = ({"orders", "billing"} - {main}).pop()
    scene.worker(evaluate=failing(broken, BROKEN[name])).work()
    found = {run.contract_id: run for run in scene.runs}
    assert (found[main].verdict, found[broken].verdict) == (Verdict.PASSED, Verdict.NOT_EVALUATED)
    assert (found[main].dataset_fingerprint is None, found[broken].dataset_fingerprint) == (False, None)
    assert "a value" not in str(found[broken].reason)


def test_where_reading_for_all_fails_the_task_s_own_contract_is_read_alone(scene: Scene) -> None:
    scene.engine.errors = [EngineKilled("it overran its limit")]
    scene.send(event())
    scene.worker().step()
    (run,) = scene.runs
    together, alone = scene.engine.requests
    assert isinstance(together, MeasureRequest)
    assert isinstance(alone, MeasureRequest)
    assert (len(together.extra_documents), alone.extra_documents, run.verdict) == (1, (), Verdict.PASSED)
    scene.work()
    assert verdicts(scene).keys() == {"orders", "billing"}


def consumers(session: Session, contract_id: str, object_name: str) -> Iterator[ConsumerDocument]:
    """One consumer has checks of its own on the orders."""
    if contract_id == "orders":
        body = of("someone-elses", "7.0.0")
        yield ConsumerDocument(CONSUMER, body, read(body).fingerprint)


def test_a_consumer_s_checks_are_judged_from_the_same_reading_and_stay_apart(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event())
    scene.work(consumers=consumers, evaluate=flawed)
    assert verdicts(scene) == {
        "orders": [("passed", ["ds=1", "ds=2"])], "consumer of orders 7.0.0": [("failed", ["ds=1", "ds=2"])],
    }  # fmt: skip
    assert len(scene.engine.requests) == 1
    scene.write("ds=3", "good")
    scene.send(event(run="second"))
    scene.work(consumers=consumers, evaluate=flawed)
    assert [run.partitions for run in scene.runs] == [["ds=1", "ds=2"]] * 2 + [["ds=3"]] * 2
    with read_session(scene.database) as tx:
        everyone = Principal(user_id=CONSUMER, name="everyone", roles=frozenset(), permissions=frozenset(Permission))
        own, theirs = (
            history.runs(tx, everyone, PageRequest(10), subscription_id=each).rows for each in (None, CONSUMER)
        )
    assert [[run.verdict for run in found] for found in (own, theirs)] == [[Verdict.PASSED] * 2, [Verdict.FAILED] * 2]


def flawed(request: EvaluationRequest) -> RunResult:
    """A judge to whom the consumer's checks always fail."""
    found = engines.judge(request)
    if request.contract.version != "7.0.0":
        return found
    failed = found.results[0].model_copy(update={"outcome": Outcome.FAILED})
    return found.model_copy(update={"results": (failed, *found.results[1:])})


def test_a_consumer_whose_document_cannot_be_read_is_left_out(engine: Engine, tmp_path: Path) -> None:
    scene = orders(engine, tmp_path)
    scene.send(event())
    scene.work(consumers=lambda *_: [ConsumerDocument(CONSUMER, b"kind: nothing", "x")])
    assert verdicts(scene) == {"orders": [("passed", ["ds=1", "ds=2"])]}


def test_what_could_not_be_judged_is_judged_next_time_though_nothing_is_read_again(scene: Scene) -> None:
    scene.send(event())
    scene.work()
    scene.write("ds=2", "better")
    scene.send(event(run="second"))
    scene.work(
        evaluate=failing(
            "billing", ContractError([Fault(code="TR-X", where="x", message="is broken", remedy="mend it")])
        )
    )
    assert verdicts(scene)["billing"][1:] == [("not_evaluated", [])]
    scene.send(event(run="third"))
    scene.work()
    assert verdicts(scene)["billing"][2:] == [("passed", ["ds=2"])]
    assert verdicts(scene)["orders"][1:] == [("passed", ["ds=2"])]
    request = scene.engine.requests[-1]
    assert isinstance(request, MeasureRequest)
    assert request.stored_fingerprints == {"ds=1": marker("good"), "ds=2": marker("better")}
