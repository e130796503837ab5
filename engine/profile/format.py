"""The format of a profile: plain data with a version, which JSON, HTML and the pages all show. Light: pydantic alone.

What is added to the format keeps its version; what means something else than before raises it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT: Literal["treaty-profile"] = "treaty-profile"
VERSION: Literal[1] = 1
Plain = int | float | str | None


class _DocumentModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ValueCount(_DocumentModel):
    """A value or a mask as text, and in how many rows it stands."""

    value: str
    count: int


class HistogramBins(_DocumentModel):
    """How numbers are distributed: `counts` of bins of equal width, each from its edge to below the next."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


class TextTypeDocument(_DocumentModel):
    """What a column's texts read as: the share that does, and of dates and times the formats that fit equally well
    (none: ISO 8601). `padded`: how many are whole numbers that begin with a zero."""

    kind: str
    type: str
    share: float
    formats: tuple[str, ...] = ()
    padded: int = 0


class ColumnDocument(_DocumentModel):
    """What is known of a column. `facts` by name, null where there is no value; one that is not there was not measured.

    `values`: the most frequent ones, none of a classified column. `all_values`: the column has no others.
    `values_error`: by how much a count may be too large. `masks`: what texts look like. `notes`: what a reader must
    know before they trust the figures."""

    name: str
    type: str
    classified: bool
    reads_as: TextTypeDocument | None
    facts: Mapping[str, Plain]
    values: tuple[ValueCount, ...]
    all_values: bool
    values_error: int
    masks: tuple[ValueCount, ...]
    bins: HistogramBins | None
    notes: tuple[str, ...]


class ProfileDocument(_DocumentModel):
    """What is known of a table: rows that were read, the share of all rows that they are, and its columns.

    `partitions` are those that were read, oldest first; [""] for a table without any. `words`: what facts are
    called."""

    format: Literal["treaty-profile"]
    version: Literal[1]
    object: str
    rows: int
    sampled: float
    partitions: tuple[str, ...]
    words: Mapping[str, str]
    notes: tuple[str, ...]
    columns: tuple[ColumnDocument, ...]
