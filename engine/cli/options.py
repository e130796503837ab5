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


Data = Annotated[str, typer.Argument(help="a path, a URL or a catalog table", show_default=False)]
ContractFile = Annotated[Path, typer.Option("--contract", "-c", help="the contract (ODCS YAML)", show_default=False)]
PartitionBy = Annotated[
    list[str] | None,
    typer.Option(
        "--partition-by",
        "-p",
        help="a partition column, or what one is computed from: 'day=to_date(ts)'; repeat for more",
    ),
]
Format = Annotated[str | None, typer.Option(help="parquet, orc, csv, json, delta; found out by default")]
ObjectName = Annotated[str | None, typer.Option("--object", help="which table of the contract; the first by default")]
Columns = Annotated[str | None, typer.Option(help="only these columns, comma-separated")]
ContractId = Annotated[str | None, typer.Option("--id", help="the contract's id; from the path by default")]
ByHistory = Annotated[
    bool, typer.Option("--by-history", help="learn programs from past partitions, too: checks that compare with them")
]
FalseAlarms = Annotated[
    float, typer.Option(min=0.01, max=1000, help="with --by-history: false alarms of the table in a quarter of a year")
]
Refit = Annotated[
    str, typer.Option(help="with --by-history: which later limits judge: pinned (none), tighten_only, 'within: 10%'")
]
ExcludePartition = Annotated[
    list[str] | None,
    typer.Option(help="learn nothing from this partition, such as one of an incident: day=2026-01-01; repeat for more"),
]
Sample = Annotated[
    int | None, typer.Option(min=1, help="read only about so many rows, drawn one by one; by default all")
]
LakeIndex = Annotated[
    Path | None,
    typer.Option("--lake", help="the folder of an index of patterns, to learn from", envvar="TREATY_PATTERN_INDEX_URL"),
]
Out = Annotated[Path | None, typer.Option(help="write the contract to this file")]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
AsJson = Annotated[bool, typer.Option("--json", help="the same as --report json")]
Samples = Annotated[int, typer.Option(min=0, max=100, help="show so many rows that break each failed check")]
Folder = Annotated[str, typer.Option("--out", help="a new folder for outcome=good and outcome=bad", show_default=False)]
OutFormat = Annotated[RowsFormat, typer.Option(help="of the files that are written")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="replace what an earlier quarantine wrote there")]
Warnings = Annotated[bool, typer.Option("--warnings", help="rows that break checks of severity warning are bad, too")]
Output = Annotated[Path | None, typer.Option(help="write the report to this file, and print it as text")]
Remote = Annotated[str | None, typer.Option(help="Spark Connect, sc://host:port", envvar="TREATY_SPARK_REMOTE")]
Memory = Annotated[str, typer.Option(help="memory of the local Spark", envvar="TREATY_SPARK_MEMORY")]
OtherDatasetsOption = Annotated[
    list[str] | None,
    typer.Option("--other", help="another dataset that the contract refers to: titles=PATH; repeat for more"),
]
Plugins = Annotated[
    str,
    typer.Option(help="packages whose analyzers and assertions are used, comma-separated", envvar="TREATY_PLUGINS"),
]
ReportForm = Annotated[Report, typer.Option(help="how the run is told")]
TableFolder = Annotated[
    str, typer.Argument(help="a folder of Parquet, a Delta table, or db.table of the catalog", show_default=False)
]
GateContract = Annotated[Path | None, typer.Option("--contract", "-c", help="the contract (ODCS YAML)")]
GateDataset = Annotated[
    str | None,
    typer.Option("--dataset", help="instead of --contract: the registry's contract in force and its states"),
]
CandidateData = Annotated[str | None, typer.Option("--candidate", help="what shall become part of the table: a path")]
Partition = Annotated[
    list[str] | None, typer.Option("--partition", help="where the candidate belongs: day=2026-01-01; repeat for more")
]
StateUrl = Annotated[str | None, typer.Option(help="the folder of the table's states; beside the table by default")]
Recover = Annotated[bool, typer.Option("--recover", help="end a publication that was cut off")]
Keep = Annotated[bool, typer.Option("--keep-rejected", help="keep a candidate that is rejected, and say where")]
KeyFile = Annotated[
    Path | None,
    typer.Option(help="32 bytes that values of classified columns are hashed with", envvar="TREATY_HASH_KEY_FILE"),
]
