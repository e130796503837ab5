"""The picture of the lineage graph: data flow from left to right, nothing stands on anything else, the table agrees."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.schemas import GraphOut
from treaty.ui.parts.lineage import graph_chart


def dataset(name: str, *verdicts: str | None) -> dict[str, Any]:
    """A dataset with contracts of those last verdicts."""
    contracts = [{"contract": f"c{at}", "object": "o", "verdict": each} for at, each in enumerate(verdicts)]
    data = {"namespace": "file", "name": name, "contracts": contracts}
    return {"id": f"dataset:file:{name}", "type": "DATASET", "data": data, "inEdges": [], "outEdges": []}


def job(name: str, reads: str, writes: str) -> dict[str, Any]:
    """A job between two datasets."""
    own = f"job:shop:{name}"
    before = [{"origin": f"dataset:file:{reads}", "destination": own}]
    behind = [{"origin": own, "destination": f"dataset:file:{writes}"}]
    data = {"namespace": "shop", "name": name}
    return {"id": own, "type": "JOB", "data": data, "inEdges": before, "outEdges": behind}


def graph(*nodes: dict[str, Any]) -> GraphOut:
    return GraphOut.model_validate({"graph": nodes})


SHOP = graph(dataset("/a", "passed", "failed"), dataset("/b"), job("load", "/a", "/b"))


def points(shown: list[graph_chart.ShownNode]) -> dict[str, dict[str, Any]]:
    """The nodes of the picture, by their names."""
    return {each["name"]: each for each in graph_chart.picture(shown)["layer"][-1]["data"]["values"]}


def test_the_graph_is_drawn_with_its_verdicts_and_edges() -> None:
    shown = graph_chart.nodes(SHOP, "dataset:file:/b")
    found = points(shown)
    assert (found["/a"]["verdict"], found["/a"]["colour"]) == ("✗ Failed", graph_chart.COLOURS["red"])
    assert [name for name, each in found.items() if each["asked"]] == ["/b"]
    assert [found[name]["x"] for name in ("/a", "load", "/b")] == [0, 1, 2]
    arrows = graph_chart.picture(shown)["layer"][0]["data"]["values"]
    assert arrows == [{"x": 0, "y": 0.0, "x2": 1, "y2": 0.0}, {"x": 1, "y": 0.0, "x2": 2, "y2": 0.0}]


def test_the_table_says_the_same() -> None:
    found = {each["Name"]: each for each in graph_chart.rows(graph_chart.nodes(SHOP, ""))}
    assert (found["/a"]["Verdict"], found["/a"]["Contracts"], found["/a"]["Type"]) == ("✗ Failed", "c0, c1", "dataset")
    assert (found["load"]["Upstream"], found["load"]["Downstream"], found["load"]["Type"]) == ("/a", "/b", "job")
    assert (found["/a"]["Downstream"], found["/b"]["Upstream"], found["/b"]["Verdict"]) == ("load", "load", "")


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        (["passed", "warned"], "Passed with warnings"),
        (["warned", "not_evaluated", "passed"], "Not evaluated"),
        (["passed", None], "Never validated"),
        (["passed"], "Passed"),
        ([], None),
    ],
)
def test_of_several_verdicts_the_worst_is_shown(verdicts: list[str | None], worst: str | None) -> None:
    (shown,) = graph_chart.nodes(graph(dataset("/a", *verdicts)), "")
    assert (shown.mark.word if shown.mark else None) == worst


def chain(length: int) -> GraphOut:
    """Datasets in a row, each made of the one before by a job of its own."""
    jobs = (job(f"j{at:03}", f"/{at:03}", f"/{at + 1:03}") for at in range(length))
    return graph(*(dataset(f"/{at:03}", "failed" if at == 99 else "passed") for at in range(length + 1)), *jobs)


def test_of_too_many_nodes_the_nearest_are_drawn_and_the_others_as_groups() -> None:
    shown = graph_chart.nodes(chain(100), "dataset:file:/050")

    groups = [each for each in shown if each.members]
    kept = {each.name for each in shown if not each.members}
    assert (len(shown) <= graph_chart.MOST, shown[0].name) == (True, "/050")
    assert {f"/{at:03}" for at in range(40, 61)} <= kept
    assert sorted(each.name for each in groups) == ["72 further downstream", "72 further upstream"]
    assert {each.mark.word for each in groups if each.mark} == {"Passed", "Failed"}
    assert len(kept) + sum(len(each.members) for each in groups) == 201


def test_groups_hang_where_their_nodes_do() -> None:
    shown = graph_chart.nodes(chain(100), "dataset:file:/050")
    between = graph_chart.edges(shown)
    ends = {each.node.id for each in shown if each.members}
    assert len([pair for pair in between if ends & set(pair)]) == 2
    assert graph_chart.every(chain(100), "dataset:file:/050")[0].is_focus
    assert len(graph_chart.every(chain(100), "")) == 201


def test_without_a_node_asked_for_what_there_is_no_room_for_is_on_neither_side() -> None:
    many = graph(*(dataset(f"/{at:03}") for at in range(100)))
    shown = graph_chart.nodes(many, "")
    assert [each.name for each in shown if each.members] == ["43 not connected"]


def test_an_edge_to_what_is_not_shown_is_not_drawn() -> None:
    assert graph_chart.edges(graph_chart.nodes(graph(job("load", "/a", "/b")), "")) == []


def test_a_long_name_is_shortened_at_its_beginning_and_told_whole_beside_it() -> None:
    (found,) = points(graph_chart.nodes(graph(dataset("/lake/" + "x" * 60 + "/orders")), "")).values()
    assert (found["short"][0], found["short"][-7:], len(found["short"])) == ("…", "/orders", graph_chart.LONGEST)
    assert found["name"].startswith("/lake/xxx")


def test_an_empty_graph_is_a_picture_too() -> None:
    assert graph_chart.picture([])["height"] > 0


PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)).map(lambda pair: tuple(map(str, pair))), max_size=30)


@given(PAIRS)
def test_no_two_nodes_stand_in_one_place_however_the_edges_go(between: list[tuple[str, str]]) -> None:
    found = graph_chart.places(map(str, range(12)), between)
    assert (len(found), len(set(found.values()))) == (12, 12)


@given(PAIRS)
def test_without_circles_all_edges_go_to_the_right(between: list[tuple[str, str]]) -> None:
    ahead = [(min(one, other), max(one, other)) for one, other in between if one != other]
    found = graph_chart.places(map(str, range(12)), ahead)
    assert [pair for pair in ahead if found[pair[0]][0] >= found[pair[1]][0]] == []
