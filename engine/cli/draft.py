"""Define the command `draft`, which needs no registry."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treaty.contracts.document import computed_partitions
from treaty.engine.cli.commands import CliError, console, in_spark, progress, write
from treaty.engine.cli.learning_options import (
    Bound,
    Clauses,
    FalseAlarms,
    HistoryLength,
    MaxDiscarded,
    MaxImpurity,
    MaxTokens,
    MinColumns,
    PatternMethodOption,
    Refit,
)
from treaty.engine.cli.options import (
    AllSuggestions,
    ByHistory,
    Columns,
    Compare,
    ContractId,
    Data,
    ExcludePartition,
    Format,
    Json,
    KeyModelPath,
    LakeIndex,
    Memory,
    ObjectName,
    Out,
    PartitionBy,
    Remote,
    Sample,
)
from treaty.engine.core.learning_options import (
    PATTERNS,
    PINNED,
    PROGRAMS,
    REFITS,
    TIGHTEN,
    PatternOptions,
    ProgramOptions,
)
from treaty.engine.protocol.requests import DraftRequest, TableSource

# Options whose flag differs from the field.
PATTERN_FLAGS = {"method": "pattern_method"}


def draft(
    data: Data, partition_by: PartitionBy = None, columns: Columns = None, contract_id: ContractId = None,
    sample: Sample = None, exclude_partition: ExcludePartition = None, object_name: ObjectName = None,
    lake: LakeIndex = None, key_model: KeyModelPath = None, pattern_method: PatternMethodOption = PATTERNS.method,
    max_impurity: MaxImpurity = None, min_columns: MinColumns = None, max_tokens: MaxTokens = None,
    max_discarded: MaxDiscarded = None, by_history: ByHistory = False,
    false_alarms: FalseAlarms = PROGRAMS.false_alarms, bound: Bound = PROGRAMS.bound,
    clauses: Clauses = PROGRAMS.clauses, history: HistoryLength = None, refit: Refit = PROGRAMS.refit,
    compare: Compare = False, all_suggestions: AllSuggestions = False, out: Out = None, format: Format = None,
    as_json: Json = False, remote: Remote = None, memory: Memory = "2g",
) -> None:  # fmt: skip
    """Draft a contract for a table: its schema and the checks suggested by its history, with their evidence."""
    from treaty.engine.suggestions.keys.model_store import readable

    name = object_name or _name_of(data)
    if REFITS.fullmatch(refit) is None:
        raise CliError(f"--refit {refit} is not valid: use {PINNED}, {TIGHTEN} or 'within: 10%'")
    programs = ProgramOptions(false_alarms=false_alarms, bound=bound, clauses=clauses, history=history, refit=refit)
    patterns = PatternOptions(
        method=pattern_method, max_impurity=max_impurity, min_columns=min_columns, max_tokens=max_tokens,
        max_discarded=max_discarded,
    )  # fmt: skip
    _refuse_unused(programs if not by_history else None, patterns if not lake else None)
    request = DraftRequest(
        source=TableSource(data, format, tuple(partition_by or ())), contract_id=contract_id or name, object=name,
        columns=tuple(each.strip() for each in columns.split(",")) if columns else (), sample=sample,
        lake=str(lake) if lake else None, programs=programs if by_history else None, patterns=patterns, compare=compare,
        key_model=readable(key_model),
        excluded_partitions=_named(exclude_partition or (), partition_by or ()), refuse_unknown_exclusions=True,
    )  # fmt: skip
    with in_spark(remote, memory) as spark:
        drafted = spark.draft(request, progress)
    _print_draft(drafted, out, as_json=as_json, optional=all_suggestions)


def _refuse_unused(programs: ProgramOptions | None, patterns: PatternOptions | None) -> None:
    """Raise CliError for options that have no effect. None: the options are used."""
    unused = [
        f"--{PATTERN_FLAGS.get(option, option).replace('_', '-')} needs {switch}"
        for switch, options in (("--by-history", programs), ("--lake", patterns))
        for option in (options.model_dump(exclude_defaults=True) if options else ())
    ]
    if unused:
        raise CliError(f"{'; '.join(unused)}: add it, or leave the option out")


def _named(names: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Validate partition names. Raises CliError unless each has one value per partition column, in order."""
    columns = computed_partitions.names(by)
    for name in names:
        if [pair.partition("=")[0] for pair in name.split("/")] != list(columns):
            shape = "/".join(f"{column}=..." for column in columns)
            remedy = f"use --exclude-partition '{shape}'" if shape else "set the partition columns with --partition-by"
            raise CliError(f"--exclude-partition {name} is not a partition of the table: {remedy}")
    return tuple(names)


def _print_draft(drafted: Any, out: Path | None, *, as_json: bool, optional: bool = False) -> None:
    from treaty.engine.report import print_choices, print_draft
    from treaty.engine.session.drafts import with_suggestions

    document = with_suggestions(drafted.document, drafted.suggestions, optional=optional)
    if out:
        write(out, document)
    if as_json:
        names = ("suggestions", "profile", "choices")
        output = {"document": document.decode(), **{name: getattr(drafted, name) for name in names}}
        print(json.dumps(output, indent=2))
        return
    for note in drafted.profile.get("notes", ()):
        print(note, file=sys.stderr)  # stdout may be the document
    if drafted.choices:
        print_choices(drafted.choices, console(stderr=not out))
    if out:
        print_draft(drafted.suggestions, console(), optional=optional)
    else:
        print(document.decode(), end="")


def _name_of(data: str) -> str:
    return data.rstrip("/").rsplit("/", 1)[-1].split(".")[0] or "table"
