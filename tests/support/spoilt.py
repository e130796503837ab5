"""A registry in which every text that people, producers or data can write tries to be more than text."""

from datetime import timedelta
from itertools import cycle
from typing import Any
from uuid import UUID

from support.events import event, output
from support.histories import history
from support.ui import DAYS, LOCATION, Shop, drafted, suggestions

from treaty.contracts.document import writer
from treaty.engine.core import clock
from treaty.engine.core.results import CheckResult, Measurement, Outcome, RunResult, ViolationSample
from treaty.engine.profile.document import document as profile_document
from treaty.registry import schemas
from treaty.registry.contracts import lookup
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Decision, Permission
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.drafting import profiles
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.tables import ProposalRow
from treaty.registry.worker.loop import Worker

AWAY = "http://tracker.invalid"
CORPUS = (
    "<script>window.hurt = 1</script>",
    f"<img src={AWAY}/i.png onerror=window.hurt=1>",
    "<svg/onload=window.hurt=1>",
    f"<iframe src={AWAY}/></iframe>",
    "</textarea></title></style></script><script>window.hurt=1</script>",
    "\"><input autofocus onfocus='window.hurt=1'>",
    "' onmouseover='window.hurt=1",
    f"<style>@import '{AWAY}/s.css';body{{display:none}}</style>",
    f"<a href='javascript:window.hurt=1'>go</a> <base href='{AWAY}/'>",
    "&lt;script&gt;window.hurt=1&lt;/script&gt;",
    f"![p]({AWAY}/x.png)",
    f"[go](javascript:window.hurt=1) [out]({AWAY})",
    f"{AWAY}/auto www.tracker.invalid a@tracker.invalid",
    ":red[alarm] :material/bolt: :red-badge[Failed] $x^2$",
    f"# Approved\n\n| a |\n|---|\n| ![t]({AWAY}/t.png) |",
    "```\n</code></pre><script>window.hurt=1</script>\n```",
    "${window.hurt=1} {{window.hurt=1}} #{7*7} datum['constructor']",
    "{b}<img src=x onerror=window.hurt=1>{a|x}",
    '=HYPERLINK("http://tracker.invalid","go")',
    "\u202egnp.x/dilavni.rekcart//:ptth \u200b\ud7ff",
)


def spoilt(shop: Shop) -> dict[str, UUID]:
    """Writes them wherever the registry takes a text, and the ids of what the pages show: `review`, `run`."""
    review = _review(shop)
    _proposed(shop)
    run = _judged(shop)
    _told(shop)
    _said(shop, review)
    return {"review": review, "run": run}


def _review(shop: Shop) -> UUID:
    drawn = [_suggested(text, at) for at, text in enumerate(CORPUS)]
    review = drafted(shop.world, "producer", "spoilt-draft", drawn, title=CORPUS[0])
    rows = [{f"c{at} {text}": text for at, text in enumerate(CORPUS)}] * 30
    columns = dict.fromkeys(rows[0], "string")
    told = profile_document(history(columns, [{name: [name] * 30 for name in columns}]), CORPUS[1])
    with transaction(shop.world.engine) as tx:
        profiles.store_profile(tx, tx.get_one(ProposalRow, review), told.model_dump(mode="json"), now=clock.now())
        tx.commit()
    return review


def _suggested(text: str, at: int) -> dict[str, Any]:
    base = suggestions()[at % 10]
    shown = {"values": [text, CORPUS[at - 1]], "counts": [3, 2]}
    evidence = {**base["evidence"], "failed_on": [text], "replay": [text], "issues": [text], "counter_examples": [text]}
    if at % 2:
        evidence["details"] = shown
    content = {"column": text, "sentence": text, "expression": text, "kind": text, "id": f"spoilt.{at}"}
    return {**base, **content, "evidence": evidence}


def _name(at: int, text: str) -> str:
    """A name of a column, which has no control characters."""
    return f"c{at} {''.join(each for each in text if each.isprintable())}"


def _document(contract_id: str) -> str:
    texts = cycle(CORPUS)
    columns = [
        {"name": _name(at, text), "logicalType": "string", "physicalType": "string", "description": text}
        for at, text in enumerate(CORPUS)
    ]
    check = {"type": "custom", "engine": "treaty", "implementation": {"analyzer": "size", "mustBeGreaterThan": 0}}
    quality = [{**check, "id": f"check-{at}", "name": text, "description": text} for at, text in enumerate(CORPUS)]
    table = {
        "name": "orders",
        "physicalName": f"{LOCATION}/{contract_id}",
        "physicalType": "table",
        "description": next(texts),
        "quality": quality,
        "properties": columns,
    }
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": contract_id, "name": CORPUS[10], "version": "1.0.0"}
    about = {"purpose": CORPUS[11], "usage": CORPUS[12], "limitations": CORPUS[2]}
    labels = {"domain": CORPUS[3], "tenant": CORPUS[4], "tags": list(CORPUS), "description": about}
    return writer.write({**head, **labels, "status": "draft", "schema": [table]}).decode()


def _proposed(shop: Shop) -> None:
    producer, owner = shop.client("producer"), shop.client("owner")
    made = producer.propose(_document("spoilt-live"), title=CORPUS[5])
    for text in CORPUS:
        producer.add_comment(made.id, text)
    owner.approve(made.id, owner.preview(made.id).fingerprint)


def _judged(shop: Shop) -> UUID:
    now, run_id = clock.now(), ids.new()
    results = tuple(_result(at, text) for at, text in enumerate(CORPUS))
    measured = tuple(
        Measurement(analyzer="size", arguments={}, partition=day, value=float(at), identity="size")
        for at, day in enumerate((*DAYS, *CORPUS))
    )
    result = RunResult(
        contract_id="spoilt-live",
        contract_version="1.0.0",
        contract_fingerprint="0" * 64,
        object="orders",
        partitions=CORPUS,
        rows=20,
        started_at=now - timedelta(seconds=2),
        finished_at=now,
        results=results,
        measurements=measured,
    )
    sample = ViolationSample(check_id="check-0", columns=CORPUS, masked=(), rows=(CORPUS, CORPUS[::-1]))
    with transaction(shop.world.engine) as tx:
        (dataset, _) = lookup.datasets(tx, "spoilt-live")[0]
        dataset.location = LOCATION
        run = recording.record(
            tx, run_id, result, RunProvenance(dataset_id=dataset.id, dataset_fingerprint="m"), now=now
        )
        lifecycle.apply_run(tx, run, result, now=now, ids=ids.new)
        samples.keep(tx, run_id, (sample,), until=now + timedelta(days=30), now=now)
        tx.commit()
    return run_id


def _result(at: int, text: str) -> CheckResult:
    outcome = (Outcome.FAILED, Outcome.NOT_EVALUATED, Outcome.PASSED)[at % 3]
    return CheckResult(
        check_id=f"check-{at}",
        name=text,
        outcome=outcome,
        severity="error",
        scope="delta",
        partition=text,
        sentence=text,
        value=1.0,
        measurement="size",
        finding=text if outcome is Outcome.FAILED else None,
        reason=text if outcome is Outcome.NOT_EVALUATED else None,
    )


def _told(shop: Shop) -> None:
    producer = shop.client("producer")
    live = f"{LOCATION}/spoilt-live"
    for text in CORPUS:
        written = event("COMPLETE", output(f"/lake/{text}"), inputs=[output(live)], job=text, namespace=text[:100])
        producer.send_event({**written, "eventTime": clock.now().isoformat()})
    nothing: Any = None
    worker = Worker(
        database=shop.world.engine, engine=nothing, evaluate=nothing, large=nothing, settings=RegistrySettings()
    )
    while worker.take_in():
        pass


def _said(shop: Shop, review: UUID) -> None:
    owner, consumer, admin = (shop.client(who) for who in ("owner", "consumer", "admin"))
    seen = owner.proposal(review)
    owner.decide(review, [seen.suggestions[0].id], Decision.REJECTED, revision=seen.revision, reason=CORPUS[6])
    consumer.subscribe(schemas.SubscriptionIn(contract_id="spoilt-live", purpose=CORPUS[7], contact=CORPUS[12]))
    admin.issue_token(CORPUS[8].replace("\n", " ")[:100], scopes=[Permission.LINEAGE])
    (found,) = (each for each in owner.incidents() if each.contract_id == "spoilt-live")
    owner.assign_incident(found.id, found.revision, "owner")
