"""Measure predictability of product brands as in Deequ's evaluation (VLDB 2018, section 5.1): quality and cost.

`python -m bench.suggestions.predictability [--folder F] [--data D] [--only sizes parts real]`. `sizes`: samples of the
products with several inputs, a fifth held out. `parts`: the merged states of eight parts compared with those of the
whole. `real`: published tables; `--data` is the folder that contains `history`."""

import argparse
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import Any

from bench.core.clock import cost
from bench.suggestions import products
from treaty.engine.analyzers.predictability import Predictability
from treaty.engine.components.naive_bayes import NaiveBayes
from treaty.engine.spark.process.session import start
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.planning.scan_plan import plan

SIZES = (100_000, 200_000, 400_000, 600_000, 845_000)
INPUTS = (
    ("name",),
    ("name", "bulletpoints"),
    ("description",),
    ("name", "bulletpoints", "description", "manufacturer"),
)
# Archive, folder of snapshots, target, inputs.
REAL = (
    ("ourairports", "ourairports/regions", "continent", ("iso_country",)),
    ("ourairports", "ourairports/regions", "iso_country", ("name", "wikipedia_link")),
    ("ourairports", "ourairports/runways_weekly", "surface", ("airport_ident", "length_ft", "width_ft", "lighted")),
    ("cisa_kev", "cisa_kev/kev", "vendorProject", ("product", "shortDescription")),
    ("dotgov_federal", "dotgov/federal", "Organization name", ("Domain name", "Security contact email")),
    ("sp500", "sp500/constituents", "GICS Sector", ("GICS Sub-Industry",)),
)
GOAL = 0.97


def states_of(frame: Any, *analyzers: Predictability) -> bags.StateBag:
    """Return the states of the analyzers on all rows."""
    return scan(frame, plan([each.bind(schema_of(frame)) for each in analyzers]))[""]


def sizes(session: Any, options: argparse.Namespace) -> Iterator[str]:
    """Yield weighted F1 and the cost of learning, by sample size and inputs."""
    table = session.read.parquet(str(products.write_products(session, options.folder)))
    states_of(table.limit(1000), Predictability(target="brand", inputs=("name",), split_by=("id",)))
    for inputs in INPUTS:
        analyzer = Predictability(target="brand", inputs=inputs, split_by=("id",))
        results = [_measured(table.where(f"id < {rows}"), analyzer, rows) for rows in SIZES]
        yield from (line for line, _, _ in results)
        slope = linear_regression([log(rows) for rows in SIZES], [log(cpu) for _, _, cpu in results]).slope
        least = min(value for _, value, _ in results)
        yield f"{'':8} CPU seconds grow with rows ^ {slope:.2f}; lowest F1 {least:.4f}, goal {GOAL}"


def _measured(frame: Any, analyzer: Predictability, rows: int) -> tuple[str, float, float]:
    bag_of_run: list[bags.StateBag] = []
    took = cost(lambda: bag_of_run.append(states_of(frame, analyzer)))
    reading: list[Any] = []
    evaluation_cost = cost(lambda: reading.append(analyzer.bind(bag_of_run[0].schema).read(bag_of_run[0].values)))
    value, inputs_text = reading[0].value, " + ".join(analyzer.inputs)
    words = (
        f"F1 {value:.4f} of {reading[0].details['rows']:6} rows; learned in {took.wall:5.1f} s, {took.cpu:5.1f} CPU s"
    )
    return f"{rows:8,} {inputs_text:48} {words}; evaluated in {evaluation_cost.cpu:4.2f} CPU s", value, took.cpu


def parts(session: Any, options: argparse.Namespace) -> Iterator[str]:
    """Check that eight parts, packed and merged, equal the whole to the last byte."""
    table = session.read.parquet(str(products.write_products(session, options.folder)))
    analyzer = Predictability(target="brand", inputs=("name", "price"))
    bound = analyzer.bind(schema_of(table))
    parted = scan(table.withColumn("part", table.id % 8), plan([bound]), partition_by=["part"])
    packed = [each.pack() for each in parted.values()]
    merged: list[Any] = []
    took = cost(lambda: merged.append(bags.merge(map(bags.unpack, packed))))
    whole, key = states_of(table, analyzer), bound.parts["features"].key
    same = NaiveBayes().dump(whole.values[key]) == NaiveBayes().dump(merged[0].values[key])
    size = sum(map(len, packed)) / len(packed) / 1e6
    yield f"{len(packed)} parts of {size:.2f} MB merged in {took.cpu:.2f} CPU s: {'equal' if same else 'DIFFER'}"
    yield f"F1 of the whole {bound.value(whole.values)!r}, of the parts {bound.value(merged[0].values)!r}"


def real(session: Any, options: argparse.Namespace) -> Iterator[str]:
    """Predict columns of published tables from others."""
    for archive, snapshots, target, inputs in REAL:
        path = _unpacked(options, archive, snapshots)
        frame = session.read.csv(str(path), header=True, multiLine=True, escape='"', inferSchema=True).cache()
        analyzer = Predictability(target=f"`{target}`", inputs=tuple(f"`{each}`" for each in inputs))
        reading = analyzer.bind(schema_of(frame)).read(states_of(frame, analyzer).values)
        usual = max(each["count"] for each in reading.details["values"]) / reading.details["rows"]
        label = f"{snapshots} {path.stem}: {target} from {', '.join(inputs)}"
        result_text = f"F1 {reading.value:.4f} of {reading.details['rows']:6} rows"
        yield f"{label:100} {result_text} (share of the most frequent class {usual:.2f})"


def _unpacked(options: argparse.Namespace, archive: str, snapshots: str) -> Path:
    """Return the newest snapshot in that folder of the archive."""
    folder = options.folder / "history"
    if not (folder / snapshots).exists():
        with tarfile.open(options.data / "history" / f"{archive}.tar.xz") as packed:
            packed.extractall(folder, filter="data")
    return max((folder / snapshots).glob("2*.csv"))


PARTS: Mapping[str, Callable[[Any, argparse.Namespace], Iterator[str]]] = {"sizes": sizes, "parts": parts, "real": real}


def main(argv: Sequence[str] | None = None) -> None:
    """Print the selected parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "treaty-bench")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(argv)
    session = start(memory="4g")
    session.sparkContext.setLogLevel("OFF")
    try:
        for name in options.only:
            for line in PARTS[name](session, options):
                print(line, flush=True)
    finally:
        session.stop()


if __name__ == "__main__":
    main()
