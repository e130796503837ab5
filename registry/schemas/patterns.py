"""Models of text patterns."""

from treaty.registry.schemas.base import ApiModel


class CommonPatternOut(ApiModel):
    """A pattern that several text columns share.

    - `columns`: number of columns with the pattern.
    - `impurity`: average share of values that do not match (FPR in the paper), from 0 to 1.
    - `false_alarms`: estimated share of columns on which a check of the pattern would alarm falsely, from 0 to 1.
    - `name`: usual meaning of such values; null if unknown.
    - `pattern`: the pattern, as a regular expression."""

    pattern: str
    columns: int
    impurity: float
    false_alarms: float
    name: str | None


class PatternColumnOut(ApiModel):
    """A column with a pattern.

    - `impurity`: share of values that do not match, from 0 to 1.
    - `means`: meaning of nearly all values, including valid check digits; null if unknown."""

    contract_id: str
    object: str
    column: str
    impurity: float
    means: str | None


class PatternInfoOut(ApiModel):
    """A pattern with its columns and neighbors.

    - `domain`: statistics of the pattern; null if too few columns have it.
    - `columns`: columns with the pattern, lowest impurity first.
    - `narrower`, `wider`: the nearest more specific and more general patterns."""

    domain: CommonPatternOut | None
    columns: tuple[PatternColumnOut, ...]
    narrower: tuple[CommonPatternOut, ...]
    wider: tuple[CommonPatternOut, ...]
