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
    """A value or mask as text, with its number of rows.

    - `value`: the value or mask, as text.
    - `count`: number of rows with it."""

    value: str
    count: int


class HistogramBins(_DocumentModel):
    """A histogram: `counts` of bins of equal width, each from its edge up to the next, exclusive.

    - `edges`: edges of the bins, in ascending order.
    - `counts`: number of rows in each bin."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


class TextTypeDocument(_DocumentModel):
    """The type that a column's texts parse as.

    `share`: share of the texts that parse. `formats`: date and time formats that fit equally well; empty for ISO
    8601. `padded`: number of numeric texts with a leading zero.

    - `kind`: kind of type: number, date, time or boolean.
    - `type`: Spark type.
    - `share`: share of the texts that parse, from 0 to 1.
    - `formats`: date and time formats that fit equally well; empty for ISO 8601.
    - `padded`: number of numeric texts with a leading zero."""

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
    - `notes`: caveats about the figures.
    - `name`: name of the column.
    - `type`: Spark type of the column.
    - `classified`: whether the contract classifies the column, so that no values are shown.
    - `reads_as`: type that the texts parse as; null for other columns and plain texts.
    - `bins`: histogram of a numeric column; null if there is none."""

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
    an unpartitioned table. `words`: display names of the facts.

    - `format`: name of the format.
    - `version`: version of the format.
    - `object`: name of the table.
    - `rows`: number of rows that were read.
    - `sampled`: share of the table's rows that was read, from 0 to 1.
    - `partitions`: names of the read partitions, oldest first; one empty name for an unpartitioned table.
    - `words`: display names of the facts.
    - `notes`: caveats about the profile.
    - `columns`: profiles of the columns, in the order of the table."""

    format: Literal["treaty-profile"]
    version: Literal[1]
    object: str
    rows: int
    sampled: float
    partitions: tuple[str, ...]
    words: Mapping[str, str]
    notes: tuple[str, ...]
    columns: tuple[ColumnDocument, ...]
