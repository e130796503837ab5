"""Options for learning checks from history and from other tables: commands, API and pages derive theirs from these."""

import re
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# With fewer batches a rate of 1 % cannot be kept: with 7 batches 3 % of clean ones alarmed, with 14 1 % (measured).
LEAST_BATCHES = 14
PINNED, TIGHTEN = "pinned", "tighten_only"
REFITS = re.compile(rf"{PINNED}|{TIGHTEN}|within: ?(\d{{1,3}}(?:\.\d+)?) ?%")


class BoundName(StrEnum):
    """Bounds on how often a clause of a program alarms on clean partitions."""

    MEASURED = "measured"
    PAPER = "paper"
    PROVEN = "proven"


class PatternMethod(StrEnum):
    """Methods that choose the pattern of a text column."""

    TREATY = "treaty"
    FMDV = "fmdv"
    FMDV_V = "fmdv-v"
    FMDV_H = "fmdv-h"
    FMDV_VH = "fmdv-vh"
    CMDV = "cmdv"


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProgramOptions(_Options):
    """Options for learning programs from the history of a table's partitions."""

    false_alarms: Annotated[
        float,
        Field(ge=0.01, le=1000, allow_inf_nan=False, description="accepted false alarms of the table per quarter"),
    ] = 1.0
    bound: Annotated[
        BoundName,
        Field(
            description="how the false alarms of a clause are bounded: `measured` on real tables, with changes that no "
            "past shows; or, if nothing changes, `proven` or by the rules of the `paper`"
        ),
    ] = BoundName.MEASURED
    clauses: Annotated[int, Field(ge=0, le=10, description="largest number of clauses of a column, besides guards")] = 3
    history: Annotated[
        int | None,
        Field(
            ge=LEAST_BATCHES, le=3000, description="number of newest partition times to learn from; by default "
            "it follows the cadence"
        ),
    ] = None  # fmt: skip
    refit: Annotated[
        str,
        Field(
            max_length=40, pattern=f"^({REFITS.pattern})$", description="which limits that are learned later "
            "apply: `pinned` (none), `tighten_only`, or such as `within: 10%`"
        ),
    ] = PINNED  # fmt: skip


class PatternOptions(_Options):
    """Options for learning the patterns of text columns from the pattern index; None means the method's default."""

    method: Annotated[
        PatternMethod,
        Field(
            description="how a pattern is chosen: by `treaty`, or by one method of the paper alone: `fmdv`, with cuts "
            "into segments (`fmdv-v`), of rows (`fmdv-h`) or both (`fmdv-vh`), or `cmdv`"
        ),
    ] = PatternMethod.TREATY
    max_impurity: Annotated[
        float | None,
        Field(
            ge=0.001, le=1, allow_inf_nan=False, description="largest share of false alarms that a pattern may have in "
            "the lake (r in the paper)"
        ),
    ] = None  # fmt: skip
    min_columns: Annotated[
        int | None,
        Field(
            ge=1, le=100_000, description="smallest number of columns in the lake that must have a pattern (m in the "
            "paper); by default it grows with the lake"
        ),
    ] = None  # fmt: skip
    max_tokens: Annotated[
        int | None,
        Field(ge=1, le=8, description="largest number of tokens of a pattern or segment (tau in the paper)"),
    ] = None
    max_discarded: Annotated[
        float | None,
        Field(
            ge=0, le=0.5, allow_inf_nan=False, description="largest share of the rows that a pattern may leave out "
            "(theta in the paper)"
        ),
    ] = None  # fmt: skip


PROGRAMS, PATTERNS = ProgramOptions(), PatternOptions()
