"""Routes of the lineage graph, compatible with Marquez.

Dataset names contain slashes. Each path segment is one encoded name, so these routes read the path as it was sent."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from fastapi import Depends, Query, Request
from sqlmodel import Session

from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import marquez_format
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Reader
from treaty.registry.api.http.marquez_format import DATASET, JOB
from treaty.registry.core.bounded_values import LookupText, Timestamp
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest, NotFound
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage.graph import dataset_visibility, flows, graph_list, traversal
from treaty.registry.lineage.graph.dataset_visibility import PrincipalVisibility
from treaty.registry.lineage.graph.graph_list import PageSpan, ReceivedPeriod
from treaty.registry.lineage.graph.nodes import NameResolver
from treaty.registry.lineage.graph.traversal import DEEPEST, Subgraph

router = admission_router(tags=["graph"])
NodeId = Annotated[
    LookupText,
    Query(
        alias="nodeId",
        min_length=1,
        max_length=4000,
        description="`dataset:{namespace}:{name}` or `job:{namespace}:{name}`",
    ),
]
Depth = Annotated[int, Query(ge=0, le=DEEPEST, description="Maximum number of jobs between the node and others")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of items in the response")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="Number of items to skip")]
Order = Annotated[Literal["asc", "desc"], Query(alias="sortDirection", description="Order by time of reception")]
FacetsOf = Annotated[Literal["run", "job"], Query(alias="type", description="Facets of the run or of its job")]
Before = Annotated[Timestamp | None, Query(description="Only events received before this time")]
After = Annotated[Timestamp | None, Query(description="Only events received at or after this time")]
FORMS = "A node id has the form dataset:{namespace}:{name} or job:{namespace}:{name}."
AROUND = {"dataset": traversal.graph_around, "job": traversal.around_job}


@dataclass(frozen=True, kw_only=True)
class EventsQuery:
    """Filter of lineage events."""

    before: Before = None
    after: After = None
    direction: Order = "desc"
    limit: Limit = 100
    offset: Offset = 0

    @property
    def period(self) -> ReceivedPeriod:
        """Return the period of reception."""
        return ReceivedPeriod(self.after, self.before, oldest_first=self.direction == "asc")


@router.get("/lineage")
def get_graph(node: NodeId, by: Caller, tx: Reader, depth: Depth = DEEPEST) -> schemas.GraphOut:
    """Retrieve the graph around a dataset or job, limited to what the caller may read."""
    kind, _, text = node.partition(":")
    if kind not in AROUND:
        raise InvalidRequest(FORMS)
    nodes = NameResolver(tx)
    visible = dataset_visibility.visible_datasets(tx, by, nodes)
    for name in traversal.resolve_text(tx, text, job=kind == "job"):
        with suppress(NotFound):
            subgraph = AROUND[kind](tx, name, visible, nodes, depth=depth)
            graph_nodes = tuple(map(_node, marquez_format.graph(tx, subgraph, visibility.readable_contracts(by))))
            return schemas.GraphOut(graph=graph_nodes, complete=subgraph.complete)
    raise NotFound


@router.get("/events/lineage")
def get_events(by: Caller, tx: Reader, query: Annotated[EventsQuery, Depends()]) -> schemas.LineageEventsOut:
    """List stored events.

    Requires permission to read everything, because an event may mention any dataset."""
    authentication.require_permission(by, Permission.READ)
    events, total = graph_list.events(tx, query.period, PageSpan(query.limit, query.offset))
    return schemas.LineageEventsOut(events=tuple(events), total_count=total)


@router.get("/namespaces")
def get_namespaces(by: Caller, tx: Reader) -> dict[str, Any]:
    """List the namespaces of datasets and jobs that the caller may see."""
    return {
        "namespaces": [
            {"name": each} for each in graph_list.namespaces(tx, dataset_visibility.visible_datasets(tx, by))
        ]
    }


@router.get("/namespaces/{rest:path}")
def get_within_namespace(
    request: Request, rest: LookupText, by: Caller, tx: Reader, limit: Limit = 100, offset: Offset = 0
) -> dict[str, Any]:
    """Retrieve datasets and jobs of a namespace.

    Paths: `{namespace}/datasets`, `.../datasets/{dataset}`, `.../datasets/{dataset}/versions`, `.../jobs`,
    `.../jobs/{job}`, `.../jobs/{job}/runs`. Percent-encode each name, including its slashes."""
    steps = sent_path(request, "namespaces")
    answer = WITHIN.get((len(steps), *steps[1:2], *steps[3:4]))
    if answer is None:
        raise NotFound
    return answer(_Asking(tx, dataset_visibility.visible_datasets(tx, by), by, PageSpan(limit, offset)), *steps[::2])


@router.get("/jobs/runs/{rest:path}")
def get_lineage_run(
    request: Request, rest: LookupText, by: Caller, tx: Reader, kind: FacetsOf = "run"
) -> dict[str, Any]:
    """Retrieve a run of a job, or its facets.

    Paths: `{run}`, the id assigned by the producer; `{run}/facets`, the stored facets of the run or of its job."""
    run_id, *more = sent_path(request, "jobs/runs")
    if more not in ([], ["facets"]):
        raise NotFound
    run_row = graph_list.run(tx, dataset_visibility.visible_datasets(tx, by), run_id)
    return marquez_format.facets(run_row, kind) if more else marquez_format.run(run_row)


@dataclass(frozen=True)
class _Asking:
    tx: Session
    visibility: PrincipalVisibility
    by: Principal
    span: PageSpan


def _namespace(asking: _Asking, namespace: str) -> dict[str, Any]:
    if namespace not in graph_list.namespaces(asking.tx, asking.visibility):
        raise NotFound
    return {"name": namespace}


def _datasets(asking: _Asking, namespace: str) -> dict[str, Any]:
    names = graph_list.datasets(asking.tx, asking.visibility, namespace)
    items = [marquez_format.dataset(each, asking.visibility.nodes.group(each)) for each in asking.span.of(names)]
    return {"datasets": items, "totalCount": len(names)}


def _dataset(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    return _data(asking, traversal.graph_around, flows.graph_node(namespace, name), DATASET)


def _versions(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    nodes, node = asking.visibility.nodes, flows.graph_node(namespace, name)
    group = nodes.group(node)
    rows, total = graph_list.written(asking.tx, asking.visibility, group, asking.span)
    versions = (marquez_format.version(nodes.of(node), group, each) for each in rows)
    return {"versions": [each for each in versions if each], "totalCount": total}


def _jobs(asking: _Asking, namespace: str) -> dict[str, Any]:
    names = graph_list.jobs(asking.tx, asking.visibility, namespace)
    subgraph = traversal.only(asking.tx, asking.span.of(names), asking.visibility, asking.visibility.nodes)
    graph_nodes = marquez_format.graph(asking.tx, subgraph, visibility.readable_contracts(asking.by))
    return {"jobs": [each.data for each in graph_nodes if each.type == JOB], "totalCount": len(names)}


def _job(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    return _data(asking, traversal.around_job, LineageName(namespace, name), JOB)


def _runs(asking: _Asking, namespace: str, name: str) -> dict[str, Any]:
    rows = graph_list.runs(asking.tx, asking.visibility, LineageName(namespace, name), asking.span)
    return {"runs": [marquez_format.run(each) for each in rows]}


def _data(asking: _Asking, around: Any, name: LineageName, kind: str) -> dict[str, Any]:
    """Return the data of one node of the graph."""
    nodes = asking.visibility.nodes
    subgraph: Subgraph = around(asking.tx, name, asking.visibility, nodes, depth=0)
    node_id = marquez_format.id_of(kind, nodes.of(name) if kind == DATASET else name)
    graph_nodes = marquez_format.graph(asking.tx, subgraph, visibility.readable_contracts(asking.by))
    return next(each.data for each in graph_nodes if each.id == node_id)


# By the number of path segments, and the second and fourth segment.
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
    """Return the path segments after `after`, decoded one by one; servers decode the whole path at once."""
    sent: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    _, _, rest = sent.partition(b"?")[0].partition(f"/{after}/".encode())
    return tuple(unquote_to_bytes(each).decode(errors="replace") for each in rest.split(b"/"))


def _node(node: marquez_format.MarquezNode) -> schemas.NodeOut:
    before = tuple(schemas.EdgeOut(origin=each, destination=node.id) for each in node.before)
    behind = tuple(schemas.EdgeOut(origin=node.id, destination=each) for each in node.downstream)
    return schemas.NodeOut(id=node.id, type=node.type, data=node.data, in_edges=before, out_edges=behind)
