"""Define the format of profiles: versioned plain data, shown as JSON, HTML and in the pages.

It depends on pydantic alone. Additions keep the version; a changed meaning raises it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

FORMAT: Literal["treaty-profile"] = "treaty-profile"
VERSION: Literal[1] = 1
Plain = int | float | str | None


class _DocumentModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ValueCount(_DocumentModel):
    """A value or mask as text, with its number of rows."""

    value: str
    count: int


class HistogramBins(_DocumentModel):
    """A histogram: `counts` of bins of equal width, each from its edge up to the next, exclusive."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


class TextTypeDocument(_DocumentModel):
    """The type that a column's texts parse as.

    `share`: share of the texts that parse. `formats`: date and time formats that fit equally well; empty for ISO
    8601. `padded`: number of whole numbers with a leading zero."""

    kind: str
    type: str
    share: float
    formats: tuple[str, ...] = ()
    padded: int = 0


class ColumnDocument(_DocumentModel):
    """The profile of a column.

    - `facts`: values by name; null means no value, a missing name was not measured.
    - `values`: the most frequent ones; empty for a classified column.
    - `all_values`: whether these are all values.
    - `values_error`: largest overcount of a value.
    - `masks`: shapes of the texts.
    - `notes`: caveats about the figures."""

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
    """The profile of a table.

    `rows`: number of rows read; `sampled`: their share of all rows. `partitions`: those read, oldest first; [""] for
    an unpartitioned table. `words`: display names of the facts."""

    format: Literal["treaty-profile"]
    version: Literal[1]
    object: str
    rows: int
    sampled: float
    partitions: tuple[str, ...]
    words: Mapping[str, str]
    notes: tuple[str, ...]
    columns: tuple[ColumnDocument, ...]
