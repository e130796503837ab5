"""A lineage graph that is larger than a picture has room for: what is near is kept, the rest becomes a node a side."""

from collections.abc import Iterable, Mapping, Sequence

from treaty.registry.schemas import EdgeOut, GraphOut, NodeOut
from treaty.ui.texts import lineage as texts

UP, BESIDE, DOWN = -1, 0, 1
SIDES = {UP: texts.FURTHER_UP, BESIDE: texts.NO_NEIGHBOURS, DOWN: texts.FURTHER_DOWN}
DATASET = "DATASET"
Step = tuple[int, int]


def collapsed(graph: GraphOut, asked: str, *, most: int) -> tuple[list[NodeOut], Mapping[str, Sequence[NodeOut]]]:
    """At most `most` nodes, the one asked for first and the nearest before others; and what each node stands for that
    stands for several, by its id: nothing where all nodes are shown."""
    ways = steps(graph, asked)
    ordered = sorted(graph.graph, key=lambda node: (_near(ways.get(node.id)), node.type != DATASET, node.id))
    if len(ordered) <= most:
        return ordered, {}
    room = most - len(SIDES)
    groups: dict[str, list[NodeOut]] = {}
    for node in ordered[room:]:
        side, _ = ways.get(node.id, (BESIDE, 0))
        groups.setdefault(f"group:{SIDES[side]}", []).append(node)
    return [*ordered[:room], *(_group(name, nodes) for name, nodes in groups.items())], groups


def steps(graph: GraphOut, asked: str) -> dict[str, Step]:
    """On which side of the node each other lies and how many steps away, by id; none of those on neither side."""
    pairs = {(edge.origin, edge.destination) for node in graph.graph for edge in (*node.in_edges, *node.out_edges)}
    down = _reached(asked, pairs)
    up = _reached(asked, ((target, origin) for origin, target in pairs))
    return {**{name: (UP, away) for name, away in up.items()}, **{name: (DOWN, away) for name, away in down.items()}}


def _reached(start: str, pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    after: dict[str, list[str]] = {}
    for origin, target in pairs:
        after.setdefault(origin, []).append(target)
    found, ahead = {start: 0}, [start]
    for name in ahead:
        fresh = [each for each in after.get(name, ()) if each not in found]
        found |= dict.fromkeys(fresh, found[name] + 1)
        ahead.extend(dict.fromkeys(fresh))
    return found


def _near(step: Step | None) -> tuple[bool, int]:
    return step is None, step[1] if step else 0


def _group(name: str, nodes: Sequence[NodeOut]) -> NodeOut:
    """A node for them all, with all their contracts and edges."""
    contracts = [each for node in nodes for each in node.data.get("contracts") or ()]
    told = texts.group_of(len(nodes), name.removeprefix("group:"))
    into: tuple[EdgeOut, ...] = tuple(edge for node in nodes for edge in node.in_edges)
    out: tuple[EdgeOut, ...] = tuple(edge for node in nodes for edge in node.out_edges)
    return NodeOut(id=name, type="DATASET", data={"name": told, "contracts": contracts}, in_edges=into, out_edges=out)
