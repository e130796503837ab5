"""Draws docs/house.svg from the imports: packages, their rooms by floor, and the arrows between rooms."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "house.svg"
PACKAGES = ("ui", "registry", "engine", "contracts")
WIDTH, ROW, BOX, GAP, HEAD = 560, 68, 36, 16, 58
LETTER = {15: 7.9, 19: 10.2}  # Width of a letter, by the size of the text.
LEGEND = (
    "A box is one folder of a package.",
    "An arrow points from a folder to one that it imports.",
    "Arrows that a longer path implies are left out.",
    "A folder imports only from rows below it.",
)
Graph = dict[str, set[str]]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a node at every depth; expressions, which cannot import, are not visited."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(node, part, ()):
            yield each
            yield from statements(each)


def imported(source: str) -> Iterator[list[str]]:
    """Yield the dotted names that a module imports anywhere, split at the dots."""
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (each.name.split(".") for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ([*node.module.split("."), each.name] for each in node.names)


def room(package: str, parts: list[str]) -> str:
    """Return the room of a module; the modules beside the rooms count as one."""
    return parts[0] if (ROOT / package / parts[0] / "__init__.py").exists() else modules(package)


@cache
def modules(package: str) -> str:
    """Return the names of the modules beside the rooms."""
    return ", ".join(sorted(path.stem for path in (ROOT / package).glob("*.py") if path.stem != "__init__"))


@cache
def rooms(package: str) -> Graph:
    """Return the rooms of a package, each with the rooms that it imports."""
    found: Graph = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = list(path.relative_to(ROOT / package).with_suffix("").parts)
        if parts == ["__init__"]:
            continue
        own = found.setdefault(room(package, parts), set())
        names = (each[2:] for each in imported(path.read_text(encoding="utf-8")) if each[:2] == ["treaty", package])
        own |= {room(package, each) for each in names if each}
    return {each: found[each] - {each} for each in sorted(found)}


def reduced(graph: Graph) -> Graph:
    """Return the graph without the edges that a longer path implies."""
    below: Graph = {}
    for each in floor_order(graph):
        below[each] = graph[each].union(*(below[other] for other in graph[each]))
    return {each: graph[each] - set().union(*(below[other] for other in graph[each])) for each in graph}


def floors(graph: Graph) -> dict[str, int]:
    """Return the floor of each room: one above the highest room that it imports."""
    known: dict[str, int] = {}

    def floor(each: str, above: tuple[str, ...] = ()) -> int:
        if each in above:
            raise ValueError(f"rooms import each other in a circle: {' -> '.join([*above, each])}")
        if each not in known:
            known[each] = 1 + max((floor(other, (*above, each)) for other in sorted(graph[each])), default=0)
        return known[each]

    return {each: floor(each) for each in graph}


def floor_order(graph: Graph) -> list[str]:
    """Return the rooms from the lowest floor to the highest."""
    level = floors(graph)
    return sorted(graph, key=lambda each: (level[each], each))


@dataclass
class Drawing:
    """Rows of rooms, top floor first, and of places where an arrow passes a floor: (target, floor)."""

    graph: Graph
    rows: list[list[str]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    x: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        level = floors(self.graph)
        top = max(level.values())
        places = [{each for each in self.graph if level[each] == floor} for floor in range(top, 0, -1)]
        edges = set()
        for each, others in reduced(self.graph).items():
            for other in others:
                between = [f"{other}@{floor}" for floor in range(level[each] - 1, level[other], -1)]
                for passage in between:
                    places[top - int(passage.split("@")[1])].add(passage)
                steps = [each, *between, other]
                edges |= set(pairwise(steps))
        self.rows, self.edges = [sorted(row) for row in places], sorted(edges)
        self._order()
        self._place()

    def _near(self, each: str) -> list[str]:
        return [b if a == each else a for a, b in self.edges if each in (a, b)]

    def _crossings(self) -> int:
        at = {each: place for row in self.rows for place, each in enumerate(row)}
        row_of = {each: number for number, row in enumerate(self.rows) for each in row}
        pairs = ((one, other) for one in self.edges for other in self.edges if one < other)
        return sum(
            row_of[one[0]] == row_of[other[0]] and (at[one[0]] - at[other[0]]) * (at[one[1]] - at[other[1]]) < 0
            for one, other in pairs
        )

    def _order(self) -> None:
        """Sort each row by the mean place of its neighbors, and keep the order with the fewest crossings."""
        best = (self._crossings(), self.rows)
        for sweep in range(24):
            for number in range(len(self.rows)) if sweep % 2 else reversed(range(len(self.rows))):
                other = number - 1 if sweep % 2 and number else min(number + 1, len(self.rows) - 1)
                self.rows = [*self.rows[:number], self._sorted(number, other), *self.rows[number + 1 :]]
            best = min(best, (self._crossings(), self.rows))
        self.rows = best[1]

    def _sorted(self, number: int, other: int) -> list[str]:
        row, beside = self.rows[number], self.rows[other]
        at = {each: (place + 0.5) / len(beside) for place, each in enumerate(beside)}
        own = {each: (place + 0.5) / len(row) for place, each in enumerate(row)}
        means = {each: fmean([at[near] for near in self._near(each) if near in at] or [own[each]]) for each in row}
        return sorted(row, key=lambda each: (means[each], each))

    def _place(self) -> None:
        """Put each place under the mean of its neighbors, as far as the order and the widths allow."""
        for row in self.rows:
            self.x |= _spread(row, dict.fromkeys(row, WIDTH / 2))
        for _ in range(60):
            for row in self.rows:
                wanted = {each: fmean([self.x[other] for other in self._near(each)] or [self.x[each]]) for each in row}
                self.x |= _spread(row, wanted)
        edges = [self.x[each] + side * width(each) / 2 for each in self.x for side in (-1, 1)]
        self.x = {each: x + (WIDTH - min(edges) - max(edges)) / 2 for each, x in self.x.items()}

    def y(self, number: int) -> float:
        """Return the top of a row."""
        return HEAD + number * ROW

    @property
    def height(self) -> float:
        """Return the height of the whole package."""
        return HEAD + len(self.rows) * ROW - (ROW - BOX) + 20


def size(each: str) -> int:
    """Return the size of a box's text: names of modules are smaller than those of rooms."""
    return 15 if "," in each else 19


def width(each: str) -> float:
    """Return the width of a place."""
    return 12 if "@" in each else max(84, 26 + LETTER[size(each)] * len(each))


def _spread(row: list[str], wanted: Mapping[str, float]) -> dict[str, float]:
    """Return centers as near to the wanted ones as the order, the widths and the frame allow."""
    halves = [width(each) / 2 for each in row]
    lows, place = [], 10.0
    for half in halves:
        lows.append(place + half)
        place += 2 * half + GAP
    slack = max(0.0, WIDTH - 10 - (place - GAP))
    moved, found = 0.0, {}
    for number, each in enumerate(row):
        rest = [wanted[other] - lows[number + later] for later, other in enumerate(row[number:])]
        moved = min(slack, max(moved, fmean([rest[0], min(rest)])))
        found[each] = lows[number] + moved
    return found


def boxes(drawing: Drawing) -> Iterator[tuple[str, str]]:
    """Yield the boxes of the rooms, each with its name."""
    for number, row in enumerate(drawing.rows):
        for each in (each for each in row if "@" not in each):
            x, top = drawing.x[each], drawing.y(number)
            place = f'x="{x - width(each) / 2:.0f}" y="{top:.0f}" width="{width(each):.0f}" height="{BOX}"'
            name = f'<text x="{x:.0f}" y="{top + 24:.0f}" font-size="{size(each)}">{escape(each)}</text>'
            yield f'<rect {place} rx="6"/>', name


def arrows(drawing: Drawing) -> Iterator[str]:
    """Yield the arrows, from the importing room down to the imported one."""
    row_of = {each: number for number, row in enumerate(drawing.rows) for each in row}
    for upper, lower in drawing.edges:
        top = drawing.y(row_of[upper]) + BOX
        bottom = drawing.y(row_of[lower])
        middle = (top + bottom) / 2
        start, end = drawing.x[upper], drawing.x[lower]
        passing = f"V{bottom + BOX:.0f}" if "@" in lower else ""
        head = "" if "@" in lower else ' marker-end="url(#a)"'
        curve = f"{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} {bottom:.0f}"
        yield f'<path d="M{start:.0f} {top:.0f}C{curve}{passing}"{head}/>'


@cache
def drawn(package: str) -> Drawing:
    """Return the drawing of a package."""
    return Drawing(rooms(package))


def wing(package: str, x: float, y: float) -> list[str]:
    """Return a package: its frame, name, arrows and rooms."""
    drawing = drawn(package)
    return [
        f'<g transform="translate({x:.0f} {y:.0f})">',
        f'<rect width="{WIDTH}" height="{drawing.height:.0f}" rx="12" fill="#eef2f8" stroke="#b6c2d1"/>',
        f'<text x="20" y="36" font-size="22" font-weight="700" text-anchor="start">{package}</text>',
        '<g fill="none" stroke="#5f7186" stroke-width="1.6">', *arrows(drawing), "</g>",
        '<g fill="#fff" stroke="#0072b2" stroke-width="1.4">', *(box for box, _ in boxes(drawing)), "</g>",
        *(name for _, name in boxes(drawing)), "</g>",
    ]  # fmt: skip


def picture() -> str:
    """Return the picture: ui over registry on the left, engine over contracts on the right."""
    high = {each: drawn(each).height for each in PACKAGES}
    left, right, top, between = 20, WIDTH + 100, 20, 60
    engine = top + high["ui"] + between
    contracts = engine + high["engine"] + between
    total = max(engine + high["registry"], contracts + high["contracts"]) + 20
    body = [
        *wing("ui", left, top), *wing("registry", left, engine),
        *wing("engine", right, engine), *wing("contracts", right, contracts),
        *legend(right, top + 36),
    ]  # fmt: skip
    middle, aside = left + WIDTH / 2, right + WIDTH / 2
    big = [
        f'<path d="M{middle:.0f} {top + high["ui"] + 4:.0f}V{engine - 6:.0f}"/>',
        f'<path d="M{left + WIDTH + 4} {engine + 40:.0f}H{right - 6}"/>',
        f'<path d="M{aside:.0f} {engine + high["engine"] + 4:.0f}V{contracts - 6:.0f}"/>',
    ]
    return "\n".join(_framed(body, big, right + WIDTH + 20, total)) + "\n"


def legend(x: float, y: float) -> Iterator[str]:
    """Yield what boxes and arrows mean."""
    yield f'<g text-anchor="start" font-size="19" transform="translate({x:.0f} {y:.0f})">'
    for number, line in enumerate(LEGEND):
        yield f'<text y="{number * 32}">{line}</text>'
    yield "</g>"


def _framed(body: Iterable[str], big: Iterable[str], wide: float, high: float) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" '
        'font-family="system-ui, sans-serif" text-anchor="middle" fill="#1b2733" role="img" '
        'aria-label="The packages, their folders, and the imports between them">'
    )
    yield "<!-- written by `make docs` from the imports -->"
    yield '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" orient="auto">'
    yield '<path d="M0 0L10 5L0 10z" fill="#5f7186"/></marker></defs>'
    yield '<rect width="100%" height="100%" rx="14" fill="#fff"/>'
    yield from body
    yield '<g fill="none" stroke="#5f7186" stroke-width="5" marker-end="url(#a)">'
    yield from (each.replace("/>", ' marker-end="url(#a)"/>') for each in big)
    yield "</g></svg>"


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
