"""Routes of the lineage graph, as Marquez's clients know them.

Names of datasets hold slashes: a step of a path that is encoded is one name, so these routes read the path as it was
sent."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from fastapi import APIRouter, Depends, Query, Request
from pydantic import AwareDatetime
from sqlmodel import Session

from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import marquez_format
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.api.http.marquez_format import DATASET, JOB
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph import dataset_visibility, flows, graph_list, traversal
from treaty.registry.lineage.graph.dataset_visibility import PrincipalVisibility
from treaty.registry.lineage.graph.graph_list import PageSpan, ReceivedPeriod
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.lineage.graph.traversal import DEEPEST, Subgraph

router = APIRouter(tags=["graph"])
NodeId = Annotated[
    str, Query(alias="nodeId", min_length=1, max_length=4000, description="dataset:{namespace}:{name}, or job:...")
]
Depth = Annotated[int, Query(ge=0, le=DEEPEST, description="how many jobs further")]
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
FacetsOf = Annotated[Literal["run", "job"], Query(alias="type", description="whose facets")]
Moment = Annotated[AwareDatetime | None, Query(description="when it was received")]
FORMS = "a node is dataset:{namespace}:{name} or job:{namespace}:{name}"
AROUND = {"dataset": traversal.graph_around, "job": traversal.around_job}


@dataclass(frozen=True, kw_only=True)
class EventsQuery:
    """Which events are asked for."""

    before: Moment = None
    after: Moment = None
    direction: Annotated[Literal["asc", "desc"], Query(alias="sortDirection")] = "desc"
    limit: Limit = 100
    offset: Offset = 0

    @property
    def period(self) -> ReceivedPeriod:
        """The time that they are of."""
        return ReceivedPeriod(self.after, self.before, oldest_first=self.direction == "asc")


@router.get("/lineage")
def get_graph(node: NodeId, by: Caller, tx: Reader, depth: Depth = DEEPEST) -> schemas.GraphOut:
    """The graph around a dataset or a job, as far as one may read it."""
    kind, _, text = node.partition(":")
    if kind not in AROUND:
        raise InvalidRequest(FORMS)
    nodes = NameResolver(tx)
    seen = dataset_visibility.visible_datasets(tx, by, nodes)
    for name in traversal.resolve_text(tx, text, job=kind == "job"):
        with suppress(NotFound):
            walked = AROUND[kind](tx, name, seen, nodes, depth=depth)
            found = tuple(map(_node, marquez_format.graph(tx, walked, visibility.readable_contracts(by))))
            return schemas.GraphOut(graph=found, complete=walked.complete)
    raise NotFound


@router.get("/events/lineage")
def get_events(by: Caller, tx: Reader, asked: Annotated[EventsQuery, Depends()]) -> schemas.LineageEventsOut:
    """Events as they are kept: for who may read everything, since an event may speak of anything."""
    authentication.require_permission(by, Permission.READ)
    found, total = graph_list.events(tx, asked.period, PageSpan(asked.limit, asked.offset))
    return schemas.LineageEventsOut(events=tuple(found), total_count=total)


@router.get("/namespaces")
def get_namespaces(by: Caller, tx: Reader) -> dict[str, Any]:
    """The namespaces of datasets and jobs that one may see."""
    return {
        "namespaces": [
            {"name": each} for each in graph_list.namespaces(tx, dataset_visibility.visible_datasets(tx, by))
        ]
    }


@router.get("/namespaces/{rest:path}")
def get_within_namespace(
    request: Request, rest: str, by: Caller, tx: Reader, limit: Limit = 100, offset: Offset = 0
) -> dict[str, Any]:
    """Within a namespace: `{namespace}/datasets`, `.../datasets/{dataset}`, `.../datasets/{dataset}/versions`,
    `.../jobs`, `.../jobs/{job}`, `.../jobs/{job}/runs`. Each name is encoded, its slashes too."""
    steps = sent_path(request, "namespaces")
    answer = WITHIN.get((len(steps), *steps[1:2], *steps[3:4]))
    if answer is None:
        raise NotFound
    return answer(_Asking(tx, dataset_visibility.visible_datasets(tx, by), by, PageSpan(limit, offset)), *steps[::2])


@router.get("/jobs/runs/{rest:path}")
def get_lineage_run(request: Request, rest: str, by: Caller, tx: Reader, kind: FacetsOf = "run") -> dict[str, Any]:
    """`{run}`: a run of a job, by the id that its producer gave it; `{run}/facets`: what is kept of its facets, or of
    those of its job."""
    run_id, *more = sent_path(request, "jobs/runs")
    if more not in ([], ["facets"]):
        raise NotFound
    found = graph_list.run(tx, dataset_visibility.visible_datasets(tx, by), run_id)
    return marquez_format.facets(found, kind) if more else marquez_format.run(found)


@dataclass(frozen=True)
class _Asking:
    tx: Session
    sight: PrincipalVisibility
    by: Principal
    span: PageSpan


def _namespace(asking: _Asking, namespace: str) -> dict[str, Any]:
    if namespace not in graph_list.namespaces(asking.tx, asking.sight):
        raise NotFound
    return {"name": namespace}


def _datasets(asking: _Asking, namespace: str) -> dict[str, Any]:
    found = graph_list.datasets(asking.tx, asking.sight, namespace)
    shown = [marquez_format.dataset(each, asking.sight.nodes.group(each)) for each in asking.span.of(found)]
    return {"datasets": shown, "totalCount": len(found)}


def _dataset(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    return _data(asking, traversal.graph_around, flows.graph_node(namespace, name), DATASET)


def _versions(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    nodes, node = asking.sight.nodes, flows.graph_node(namespace, name)
    group = nodes.group(node)
    found, total = graph_list.written(asking.tx, asking.sight, group, asking.span)
    told = (marquez_format.version(nodes.of(node), group, each) for each in found)
    return {"versions": [each for each in told if each], "totalCount": total}


def _jobs(asking: _Asking, namespace: str) -> dict[str, Any]:
    found = graph_list.jobs(asking.tx, asking.sight, namespace)
    walked = traversal.only(asking.tx, asking.span.of(found), asking.sight, asking.sight.nodes)
    told = marquez_format.graph(asking.tx, walked, visibility.readable_contracts(asking.by))
    return {"jobs": [each.data for each in told if each.type == JOB], "totalCount": len(found)}


def _job(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    return _data(asking, traversal.around_job, LineageName(namespace, name), JOB)


def _runs(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    found = graph_list.runs(asking.tx, asking.sight, LineageName(namespace, name), asking.span)
    return {"runs": [marquez_format.run(each) for each in found]}


def _data(asking: _Asking, around: Any, name: LineageName, kind: str) -> dict[str, Any]:
    """What the graph tells of one node."""
    nodes = asking.sight.nodes
    walked: Subgraph = around(asking.tx, name, asking.sight, nodes, depth=0)
    wanted = marquez_format.id_of(kind, nodes.of(name) if kind == DATASET else name)
    found = marquez_format.graph(asking.tx, walked, visibility.readable_contracts(asking.by))
    return next(each.data for each in found if each.id == wanted)


# By how many steps the path has, and what its second and fourth say.
WITHIN: Mapping[tuple[int | str, ...], Callable[..., dict[str, Any]]] = {
    (1,): _namespace,
    (2, "datasets"): _datasets,
    (3, "datasets"): _dataset,
    (4, "datasets", "versions"): _versions,
    (2, "jobs"): _jobs,
    (3, "jobs"): _job,
    (4, "jobs", "runs"): _runs,
}


def sent_path(request: Request, after: str) -> tuple[str, ...]:
    """The steps of the path behind the one of that name, each decoded by itself: servers decode all of it at once."""
    sent: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    _, _, rest = sent.partition(b"?")[0].partition(f"/{after}/".encode())
    return tuple(unquote_to_bytes(each).decode(errors="replace") for each in rest.split(b"/"))


def _node(node: marquez_format.MarquezNode) -> schemas.NodeOut:
    before = tuple(schemas.EdgeOut(origin=each, destination=node.id) for each in node.before)
    behind = tuple(schemas.EdgeOut(origin=node.id, destination=each) for each in node.downstream)
    return schemas.NodeOut(id=node.id, type=node.type, data=node.data, in_edges=before, out_edges=behind)
