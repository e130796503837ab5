"""Models of the registry's key-name model."""

from typing import Annotated

from pydantic import Field

from treaty.registry.schemas.base import ApiModel, ApiRequest, EtagModel


class KeyComparisonOut(ApiModel):
    """A comparison of the registry's own model with the shipped one on unseen tables.

    - `families`, `columns`, `keys`: numbers of what both were compared on.
    - `area`, `shipped_area`: areas under the ROC curve, from 0 to 1; null if there were too few families or keys.
    - `error`: standard error of their difference.
    - `chance`: probability of such a difference if neither model were better (p-value).
    - `loss`, `shipped_loss`: mean logarithmic loss of the probabilities, in nats."""

    families: int
    columns: int
    keys: int
    area: float | None
    shipped_area: float | None
    error: float | None
    chance: float | None
    loss: float | None
    shipped_loss: float | None


class KeyModelOut(ApiModel):
    """A stored version of the registry's own model.

    - `date`: day of the training. `recipe`: kind of model. `shipped`: the model that it started from.
    - `tables`, `columns`, `keys`, `families`: numbers of what it was trained on.
    - `rejected`: number of columns that are no keys because owners rejected the suggestion.
    - `area`, `shipped_area`: areas under the ROC curve on unseen families, from 0 to 1."""

    version: int
    date: str
    recipe: str
    shipped: str
    tables: int
    columns: int
    keys: int
    families: int
    rejected: int
    area: float
    shipped_area: float


class KeyModelsOut(EtagModel):
    """The key-name model in use, and the stored versions, newest first.

    - `title`: the model in use, as the evidence of suggestions names it.
    - `version`: version in use; null for the shipped model.
    - `pinned`: true if an administrator chose it; trainings then do not replace it.
    - `reason`: why it is in use.
    - `notes`: why the chosen version cannot be used; empty if it can.
    - `comparison`: figures of the last training; null if there was none.
    - `versions`: stored versions, newest first."""

    title: str
    version: int | None
    pinned: bool
    reason: str
    notes: tuple[str, ...]
    comparison: KeyComparisonOut | None
    versions: tuple[KeyModelOut, ...]


class KeyModelChoiceIn(ApiRequest):
    """A choice of the key-name model in use.

    - `version`: null for the shipped model.
    - `pinned`: false lets the next training replace it."""

    version: Annotated[int, Field(ge=1, le=999_999)] | None
    pinned: bool = True
