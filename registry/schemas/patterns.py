"""Patterns of texts, as the API tells of them."""

from treaty.registry.schemas.base import ApiModel


class CommonPatternOut(ApiModel):
    """A pattern of so many text columns of the lake. `impurity`: the share of their values that do not match, on
    average (the paper's FPR); `false_alarms`: the estimated share of columns where promising it would alarm falsely;
    `name`: what such values usually mean."""

    pattern: str
    columns: int
    impurity: float
    false_alarms: float
    name: str | None


class PatternColumnOut(ApiModel):
    """A column that carries a pattern. `impurity`: the share of its values that do not match; `means`: what nearly
    all of them mean, check digits included."""

    contract_id: str
    object: str
    column: str
    impurity: float
    means: str | None


class PatternInfoOut(ApiModel):
    """A pattern: its `domain` (None: too few columns have it), the columns that carry it, purest first, and its
    nearest neighbours."""

    domain: CommonPatternOut | None
    columns: tuple[PatternColumnOut, ...]
    narrower: tuple[CommonPatternOut, ...]
    wider: tuple[CommonPatternOut, ...]
