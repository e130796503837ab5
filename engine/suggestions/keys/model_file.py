"""Store a trained model of key names as one file: its checksum, its card and its weights, all as text.

Reading executes nothing. Damaged files, other files and other formats raise an error."""

import base64
import zlib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from treaty.engine.core.disk import dump_checked, load_checked
from treaty.engine.core.errors import EngineError, StateError
from treaty.engine.suggestions.keys.model import KeyNameModel, of_card
from treaty.engine.suggestions.keys.name_features import BUCKETS

FORMAT = 1
MOST_BYTES = 4 * BUCKETS
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Parameter = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]


class UnreadableKeyModel(EngineError):
    """The file is no key-name model that this version can read."""


class KeyModelCard(BaseModel):
    """Description of a registry's key-name model.

    - `version`: number among the models of the registry. `date`: day of the training.
    - `recipe`: kind of model. `shipped`: the model that it started from and was compared with.
    - `facts`: fingerprint of what it was trained on.
    - `tables`, `columns`, `keys`, `families`: numbers of what it was trained on. `rejected`: columns that are no keys
      because owners rejected the suggestion.
    - `area`, `shipped_area`: areas under the ROC curve on families that were not trained on, from 0 to 1.
    - `error`: standard error of their difference. `chance`: probability of such a difference without one (p-value).
    - `loss`, `shipped_loss`: mean logarithmic loss of the probabilities, in nats.
    - `step`, `slope`, `intercept`, `threshold`: parameters of the model."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: Annotated[int, Field(ge=1)]
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    recipe: str
    shipped: str
    facts: str
    tables: Count
    columns: Count
    keys: Count
    families: Count
    rejected: Count
    area: Share
    shipped_area: Share
    error: Annotated[float, Field(ge=0)]
    chance: Share
    loss: Annotated[float, Field(ge=0)]
    shipped_loss: Annotated[float, Field(ge=0)]
    step: Parameter
    slope: Parameter
    intercept: Parameter
    threshold: Share

    @property
    def title(self) -> str:
        """Return the model in words, for evidence."""
        return f"model of {self.date} trained on {self.tables} tables"


class _Stored(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    kind: Literal["treaty key-name model"] = "treaty key-name model"
    format: int = FORMAT
    card: dict[str, Any]
    weights: str


def dump(card: KeyModelCard, model: KeyNameModel) -> bytes:
    """Return the content of the file; the same card and model give the same bytes."""
    weights = base64.b85encode(zlib.compress(model.weights.tobytes(), 9)).decode()
    return dump_checked(_Stored(card=card.model_dump(), weights=weights).model_dump())


def load(path: Path) -> tuple[KeyModelCard, KeyNameModel]:
    """Read a file. Raises UnreadableKeyModel with the reason."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableKeyModel(f"{path} cannot be read: {error.strerror}") from None
    return parse(content, str(path))


def parse(content: bytes, what: str) -> tuple[KeyModelCard, KeyNameModel]:
    """Read the content of a file. `what`: its name for errors. Raises UnreadableKeyModel with the reason."""
    try:
        document = load_checked(content, what)
        stored = _Stored.model_validate(document)
        if stored.format != FORMAT:
            raise UnreadableKeyModel(f"{what} has format {stored.format}; this version of Treaty reads format {FORMAT}")
        card = KeyModelCard.model_validate(stored.card)
        return card, of_card(card.model_dump(), _weights(stored.weights), card.title)
    except (StateError, ValueError, TypeError, zlib.error):
        raise UnreadableKeyModel(f"{what} is not a key-name model, or is damaged; train it again") from None


def _weights(text: str) -> Any:
    import numpy

    # A few bytes could expand to any size.
    unpacked = zlib.decompressobj().decompress(base64.b85decode(text), BUCKETS + 1)
    return numpy.frombuffer(unpacked, dtype="int8")
