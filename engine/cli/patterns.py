"""Define the command `patterns`: text patterns learned from a lake of tables, without a registry."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from treaty.engine.cli.commands import VIOLATED, CliError, in_spark
from treaty.engine.cli.learning_options import (
    MaxDiscarded,
    MaxImpurity,
    MaxTokens,
    MinColumns,
    PatternMethodOption,
)
from treaty.engine.cli.options import Columns, Format, Json, Memory, Remote
from treaty.engine.core.learning_options import PATTERNS, PatternOptions
from treaty.engine.core.number_format import percentage
from treaty.engine.protocol.requests import TableSource, TextsRequest

ABOUT = "Learn text patterns from a lake of tables, and infer patterns of columns."
patterns = typer.Typer(add_completion=False, no_args_is_help=True, help=ABOUT)

LakeFolder = Annotated[
    Path,
    typer.Option(
        "--lake", help="Folder of the pattern index.", envvar="TREATY_PATTERN_INDEX_URL", show_default="patterns"
    ),
]
Tables = Annotated[list[str], typer.Argument(help="Paths, URLs or catalog tables.", show_default=False)]
Text = Annotated[
    str, typer.Argument(help="Table, or - to read values from standard input, one per line.", show_default=False)
]
Old = Annotated[str, typer.Argument(help="Older version of the table.", show_default=False)]
New = Annotated[str, typer.Argument(help="Newer version of the table.", show_default=False)]
Rows = Annotated[int, typer.Option(min=5, max=100_000, help="Number of rows to draw from each table.")]
Few = Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Maximum number of results.")]
PatternArgument = Annotated[
    str, typer.Argument(help="Pattern in the notation of `top` and `infer`.", show_default=False)
]
Remove = Annotated[bool, typer.Option("--remove", help="Remove these tables from the index instead.")]
HERE = Path("patterns")


def index(
    tables: Tables, lake: LakeFolder = HERE, remove: Remove = False, rows: Rows = 1000,
    format: Format = None, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Add tables to the pattern index of a lake, or replace those already in it."""
    from treaty.engine.patterns.lake_index import PatternLake

    store = PatternLake(lake)
    with _cli_errors():
        if remove:
            store.forget(tables)
        else:
            store.add(_sample_texts(tables, rows, format, remote, memory))
        contents = store.index()
    print(f"{len(store.tables())} tables, {contents.sums.size} text columns, {len(contents.sums):,} patterns in {lake}")


@patterns.command()
def infer(
    data: Text, lake: LakeFolder = HERE, method: PatternMethodOption = PATTERNS.method,
    max_impurity: MaxImpurity = None, min_columns: MinColumns = None, max_tokens: MaxTokens = None,
    max_discarded: MaxDiscarded = None, columns: Columns = None, rows: Rows = 1000, as_json: Json = False,
    format: Format = None, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Show which patterns the text columns of a table support, with the evidence."""
    from treaty.engine.patterns.evidence import evidence
    from treaty.engine.patterns.inference import infer as inferred
    from treaty.engine.patterns.lake_index import PatternLake

    only = tuple(each.strip() for each in columns.split(",")) if columns else ()
    options = PatternOptions(
        method=method, max_impurity=max_impurity, min_columns=min_columns, max_tokens=max_tokens,
        max_discarded=max_discarded,
    )  # fmt: skip
    with _cli_errors():
        patterns_index = PatternLake(lake).index()
        texts = _lines() if data == "-" else _texts(TextsRequest(TableSource(data, format), only, rows), remote, memory)
    results = {
        name: evidence(values, inferred(values, patterns_index, options=options), patterns_index, secret=False)
        for name, values in texts.items()
    }
    if as_json:
        print(json.dumps(results, indent=2, ensure_ascii=False))
    else:
        _print(results)


@patterns.command()
def compare(
    old: Old, new: New, lake: LakeFolder = HERE, rows: Rows = 1000, as_json: Json = False,
    format: Format = None, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Find text columns of a newer table that no longer match their old pattern.

    For each one the columns that it resembles are shown; columns that were swapped resemble each other. Exits with 1
    if there are any."""
    from treaty.engine.patterns.lake_index import PatternLake
    from treaty.engine.patterns.swapped_columns import swapped_columns

    with _cli_errors():
        patterns_index = PatternLake(lake).index()
    with in_spark(remote, memory) as spark:
        before, after = (spark.texts(TextsRequest(TableSource(table, format), (), rows)) for table in (old, new))
    swaps = swapped_columns(before, after, patterns_index)
    print_items([asdict(each) for each in swaps], _swap_line, as_json=as_json)
    if swaps:
        raise typer.Exit(VIOLATED)


def top(lake: LakeFolder = HERE, limit: Few = 20, as_json: Json = False) -> None:
    """Show the common domains of the lake: patterns that cover nearly all values of many columns."""
    from treaty.engine.patterns.analysis import common_domains as domains
    from treaty.engine.patterns.lake_index import PatternLake

    with _cli_errors():
        common_patterns = domains(PatternLake(lake), limit)
    print_items([asdict(each) for each in common_patterns], _common, as_json=as_json)


def find(pattern: PatternArgument, lake: LakeFolder = HERE, as_json: Json = False) -> None:
    """Find the columns of the lake that contain a pattern."""
    from treaty.engine.patterns.analysis import pattern_carriers
    from treaty.engine.patterns.lake_index import PatternLake

    with _cli_errors():
        carriers = pattern_carriers(PatternLake(lake), pattern).carriers
    print_items([asdict(each) for each in carriers], _carrier, as_json=as_json)


def print_items(items: Sequence[Mapping[str, Any]], line: Callable[[Mapping[str, Any]], str], *, as_json: bool) -> None:
    """Print items as JSON, or one line each."""
    if as_json:
        print(json.dumps(items, indent=2, ensure_ascii=False))
        return
    for each in items:
        print(line(each))


def common(columns: int, impurity: float, text: str, name: str | None) -> str:
    """Format a common domain as one line."""
    suffix = f"  ({name})" if name else ""
    return f"{columns:6} columns  impurity {impurity:6.1%}  {text}{suffix}"


def _swap_line(each: Mapping[str, Any]) -> str:
    newer = each["comparison"]["newer"]
    like = f"resembles {', '.join(each['like'])}" if each["like"] else "resembles no other column"
    return f"{each['column']}: {newer['bad']} of {newer['of']} values do not match {each['pattern']}; {like}"


def _common(each: Mapping[str, Any]) -> str:
    return common(each["columns"], each["fpr"], each["text"], each["name"])


def _carrier(each: Mapping[str, Any]) -> str:
    return f"{each['table']}  {each['column']}  {percentage(1 - each['impurity'])}"


@contextmanager
def _cli_errors() -> Iterator[None]:
    """Turn read errors into messages."""
    from treaty.engine.core.disk import LockHeld
    from treaty.engine.patterns.index_file import UnreadableIndex
    from treaty.engine.patterns.language.pattern import PatternError

    try:
        yield
    except (LockHeld, UnreadableIndex, PatternError) as error:
        raise CliError(str(error)) from None
    except OSError as error:
        raise CliError(f"{error.filename or 'a file'}: {error.strerror}. Check the path and its permissions.") from None


def _sample_texts(
    tables: Sequence[str], rows: int, format: str | None, remote: str | None, memory: str
) -> Mapping[str, Mapping[str, list[str]]]:
    with in_spark(remote, memory) as spark:
        texts_by_table = {table: spark.texts(TextsRequest(TableSource(table, format), (), rows)) for table in tables}
    return {
        table: {name: _present(values) for name, values in texts.items()} for table, texts in texts_by_table.items()
    }


def _texts(request: TextsRequest, remote: str | None, memory: str) -> Mapping[str, Sequence[str | None]]:
    with in_spark(remote, memory) as spark:
        texts: Mapping[str, Sequence[str | None]] = spark.texts(request)
    return texts


def _present(values: Sequence[str | None]) -> list[str]:
    return [value for value in values if value is not None]


def _lines() -> Mapping[str, Sequence[str | None]]:
    read = TextIOWrapper(sys.stdin.buffer, "utf-8", errors="replace", newline="\n")
    return {"standard input": [line.removesuffix("\n") for line in read]}


def _print(patterns: Mapping[str, Mapping[str, Any]]) -> None:
    for name, result in patterns.items():
        print(f"{name}: {result['pattern'] or 'no pattern'}{_named(result)}")
        print(f"  {result['reason']}")
        print(f"  {_lake_line(result['lake'])}")
        if result["pattern"]:
            _print_figures(result)


def _lake_line(lake: Mapping[str, Any]) -> str:
    share, least = percentage(lake["familiar_share"]), lake["least_columns"]
    return f"{lake['columns']:,} columns in the lake; {share} of the values have a shape that {least} of them have"


def _named(pattern: Mapping[str, Any]) -> str:
    return f"  ({pattern['domain']})" if pattern["domain"] else ""


def _print_figures(pattern: Mapping[str, Any]) -> None:
    detectable = "none" if pattern["detectable_share"] is None else percentage(pattern["detectable_share"])
    false_alarms, others, floor = (percentage(pattern[each]) for each in ("false_alarms", "passes", "floor"))
    print(f"  false alarms {false_alarms}, other columns that match {others}")
    print(f"  smallest detectable share of bad values among 1,000: {detectable}; error above {floor}")
    for each in pattern["values"].get("others", [])[:10]:
        print(f"  does not match: {each!r}")
