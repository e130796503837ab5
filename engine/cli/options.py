"""Define the arguments and options of the commands, with their help."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class RowsFormat(StrEnum):
    """File formats for written rows."""

    PARQUET = "parquet"
    ORC = "orc"
    JSON = "json"
    CSV = "csv"


class FailOn(StrEnum):
    """The lowest severity at which a violation gives a nonzero exit code."""

    ERROR = "error"
    WARNING = "warning"


class Report(StrEnum):
    """Formats of a verification report; `datacontract` is the result file of datacontract-cli."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    JUNIT = "junit"
    DATACONTRACT = "datacontract"


Data = Annotated[str, typer.Argument(help="Path, URL or catalog table.", show_default=False)]
ContractFile = Annotated[
    Path, typer.Option("--contract", "-c", help="Contract document (ODCS YAML).", show_default=False)
]
PartitionBy = Annotated[
    list[str] | None,
    typer.Option(
        "--partition-by",
        "-p",
        help="Partition column, or an expression that computes it: 'day=to_date(ts)'. Repeatable.",
    ),
]
Format = Annotated[str | None, typer.Option(help="Format: parquet, orc, csv, json or delta. Detected by default.")]
ObjectName = Annotated[str | None, typer.Option("--object", help="Table of the contract; by default the first.")]
Columns = Annotated[str | None, typer.Option(help="Only these columns, comma-separated.")]
ContractId = Annotated[str | None, typer.Option("--id", help="Id of the contract; by default derived from the path.")]
ByHistory = Annotated[
    bool, typer.Option("--by-history", help="Also learn programs from past partitions: checks that compare with them.")
]
Compare = Annotated[
    bool,
    typer.Option(help="Show what other options would have learned, and on which partitions they would alarm."),
]
AllSuggestions = Annotated[
    bool, typer.Option("--all", help="Include suggestions that add little to the others of their column.")
]
ExcludePartition = Annotated[
    list[str] | None,
    typer.Option(help="Partition to learn nothing from, such as one of an incident: day=2026-01-01. Repeatable."),
]
Sample = Annotated[
    int | None, typer.Option(min=1, help="Approximate number of rows to read, drawn at random; by default all.")
]
LakeIndex = Annotated[
    Path | None,
    typer.Option("--lake", help="Folder of a pattern index to learn from.", envvar="TREATY_PATTERN_INDEX_URL"),
]
KeyModelPath = Annotated[
    Path | None,
    typer.Option(
        "--key-model",
        help="Key-name model of `treaty keys`, or a folder of models; by default the shipped model.",
    ),
]
Out = Annotated[Path | None, typer.Option(help="Write the contract to this file.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsJson = Annotated[bool, typer.Option("--json", help="Same as --report json.")]
Samples = Annotated[int, typer.Option(min=0, max=100, help="Number of violating rows to show per failed check.")]
Folder = Annotated[
    str, typer.Option("--out", help="New folder for the subfolders outcome=good and outcome=bad.", show_default=False)
]
OutFormat = Annotated[RowsFormat, typer.Option(help="Format of the written files.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output of an earlier quarantine.")]
Warnings = Annotated[
    bool, typer.Option("--warnings", help="Also treat rows that violate checks of severity warning as bad.")
]
Output = Annotated[Path | None, typer.Option(help="Write the report to this file and print it as text.")]
Remote = Annotated[str | None, typer.Option(help="Spark Connect server, sc://host:port.", envvar="TREATY_SPARK_REMOTE")]
Memory = Annotated[str, typer.Option(help="Memory of the local Spark.", envvar="TREATY_SPARK_MEMORY")]
OtherDatasetsOption = Annotated[
    list[str] | None,
    typer.Option("--other", help="Location of another dataset that the contract refers to: titles=PATH. Repeatable."),
]
Plugins = Annotated[
    str,
    typer.Option(help="Plug-in packages with analyzers and assertions, comma-separated.", envvar="TREATY_PLUGINS"),
]
FailOnOption = Annotated[
    FailOn, typer.Option("--fail-on", help="Lowest severity of a violation that gives a nonzero exit code.")
]
ReportForm = Annotated[Report, typer.Option(help="Format of the report.")]
TableFolder = Annotated[
    str, typer.Argument(help="Folder of Parquet files, Delta table, or db.table of the catalog.", show_default=False)
]
GateContract = Annotated[Path | None, typer.Option("--contract", "-c", help="Contract document (ODCS YAML).")]
GateDataset = Annotated[
    str | None,
    typer.Option("--dataset", help="Use the registry's contract in force and its states instead of --contract."),
]
CandidateData = Annotated[str | None, typer.Option("--candidate", help="Path of the data to publish to the table.")]
Partition = Annotated[
    list[str] | None, typer.Option("--partition", help="Partition of the candidate: day=2026-01-01. Repeatable.")
]
StateUrl = Annotated[str | None, typer.Option(help="Folder of the table's states; by default next to the table.")]
Recover = Annotated[bool, typer.Option("--recover", help="Complete or roll back an interrupted publication.")]
Keep = Annotated[bool, typer.Option("--keep-rejected", help="Keep a rejected candidate and print its folder.")]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the 32-byte key for hashing values of classified columns.", envvar="TREATY_HASH_KEY_FILE"
    ),
]
