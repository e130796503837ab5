"""Store a registry's models of key names in a folder: a file for each version, and the choice of the one in use.

Every version stays. A file is complete before it gets its name, and a version exists only then; the choice is replaced
atomically. Only one process at a time changes the folder."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treaty.engine.core import private_files
from treaty.engine.core.disk import Disk, file_lock
from treaty.engine.suggestions.keys import model_file
from treaty.engine.suggestions.keys.comparison import KeyComparison
from treaty.engine.suggestions.keys.model import KeyNameModel, shipped
from treaty.engine.suggestions.keys.model_file import KeyModelCard, UnreadableKeyModel
from treaty.engine.suggestions.keys.registry_model import KeyFacts, KeyTraining, card_of

CHOICE, LOCK = "choice.json", "lock"
PATIENCE_SECONDS = 20.0
_VERSION = re.compile(r"model-(\d{1,6})\.json")


class KeyModelChoice(BaseModel):
    """Choice of the model in use.

    - `version`: None means the shipped model. `reason`: why it is in use.
    - `pinned`: True if a user chose it; a training then stores a better model without using it.
    - `facts`: fingerprint of what the last training read.
    - `comparison`: figures of the last training (`KeyComparison`); None if there was none."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    version: Annotated[int, Field(ge=1)] | None = None
    reason: str = "no model of this registry was trained yet"
    pinned: bool = False
    facts: str = ""
    comparison: KeyComparison | None = None


@dataclass(frozen=True)
class SelectedKeyModel:
    """The model in use. `notes`: why the chosen one cannot be used; () if it can."""

    model: KeyNameModel
    notes: tuple[str, ...] = ()


def unreadable(error: UnreadableKeyModel) -> SelectedKeyModel:
    """Return the shipped model, with a note of the error."""
    return SelectedKeyModel(shipped(), (f"{error}. The shipped key-name model was used.",))


def resolve(path: str | None) -> SelectedKeyModel:
    """Return the model of a file, or the model in use of a folder; None means the shipped one.

    A model that cannot be read never prevents a draft: the shipped one is used, with a note."""
    if path is None or not Path(path).is_file():
        return SelectedKeyModel(shipped()) if path is None else KeyModelStore(Path(path)).selected()
    try:
        return SelectedKeyModel(model_file.load(Path(path))[1])
    except UnreadableKeyModel as error:
        return unreadable(error)


def readable(path: Path | None) -> str | None:
    """Return the path of a file or folder if its model can be read; None for None. Raises UnreadableKeyModel."""
    if path is None:
        return None
    if path.is_file():
        model_file.load(path)
    elif not (path / CHOICE).exists():
        reason = "contains no key-name models" if path.is_dir() else "does not exist"
        raise UnreadableKeyModel(f"{path} {reason}: give a model of `treaty keys train --out`, or a registry's folder")
    elif (version := KeyModelStore(path).choice().version) is not None:
        model_file.load(KeyModelStore(path).path(version))
    return str(path)


@dataclass(frozen=True)
class KeyModelStore:
    """Models in a folder. `disk`: durable changes of files."""

    folder: Path
    disk: Disk = field(default_factory=Disk)

    def versions(self) -> list[int]:
        """Return the numbers of all stored versions, ascending."""
        names = (each.name for each in self.folder.glob("model-*.json"))
        return sorted(int(match[1]) for name in names if (match := _VERSION.fullmatch(name)))

    def path(self, version: int) -> Path:
        """Return the path of a version's file."""
        return self.folder / f"model-{version}.json"

    def cards(self) -> Iterator[KeyModelCard]:
        """Yield the cards of all versions that can be read, newest first."""
        for version in reversed(self.versions()):
            try:
                yield model_file.load(self.path(version))[0]
            except UnreadableKeyModel:
                continue

    def choice(self) -> KeyModelChoice:
        """Return the choice of the model in use. Raises UnreadableKeyModel."""
        try:
            return KeyModelChoice.model_validate_json((self.folder / CHOICE).read_bytes())
        except FileNotFoundError:
            return KeyModelChoice()
        except (OSError, ValidationError):
            reason = f"{self.folder / CHOICE} is damaged: choose a key-name model with `treaty keys use`"
            raise UnreadableKeyModel(reason) from None

    def selected(self) -> SelectedKeyModel:
        """Return the model in use; if it is unreadable, the shipped one with a note."""
        try:
            version = self.choice().version
            return SelectedKeyModel(shipped() if version is None else model_file.load(self.path(version))[1])
        except UnreadableKeyModel as error:
            return unreadable(error)

    def use(self, version: int | None, reason: str, *, pinned: bool = True) -> KeyModelChoice:
        """Choose a version, or the shipped model (None). Raises UnreadableKeyModel.

        `pinned`: stays until another choice; otherwise the next training decides."""
        if version is not None:
            model_file.load(self.path(version))
        with self.changing():
            return self._write(KeyModelChoice(version=version, reason=reason, pinned=pinned))

    def add(self, training: KeyTraining, facts: KeyFacts, date: str) -> KeyModelChoice:
        """Store a model that beats the shipped one and choose between them; return the choice.

        A model that does not is not stored: the choice states the reason. The same facts never give two versions."""
        with self.changing():
            version, reason = None, f"no better model could be trained: {training.obstacle}"
            if not training.obstacle:
                card = self._stored(training, facts, date)
                version, reason = card.version, _words(card)
            before = self._choice_or_default()
            decided = before if before.pinned else KeyModelChoice(version=version, reason=reason)
            last = {"facts": facts.fingerprint, "comparison": training.comparison}
            return self._write(decided.model_copy(update=last))

    def _stored(self, training: KeyTraining, facts: KeyFacts, date: str) -> KeyModelCard:
        for card in self.cards():
            if card.facts == facts.fingerprint:
                return card
        card = card_of(training, facts, version=max(self.versions(), default=0) + 1, date=date)
        assert training.model
        self.disk.replace(str(self.path(card.version)), model_file.dump(card, training.model))
        return card

    def _choice_or_default(self) -> KeyModelChoice:
        try:
            return self.choice()
        except UnreadableKeyModel:
            return KeyModelChoice()

    def _write(self, choice: KeyModelChoice) -> KeyModelChoice:
        self.disk.replace(str(self.folder / CHOICE), choice.model_dump_json().encode())
        return choice

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the folder's lock. Raises LockHeld if another process holds it for longer than 20 seconds."""
        private_files.make_folder(self.folder)
        with file_lock(str(self.folder / LOCK), patience=PATIENCE_SECONDS):
            yield


def _words(card: KeyModelCard) -> str:
    areas = f"area {card.area:.4f} on unseen families, shipped {card.shipped_area:.4f}, p = {card.chance:.2g}"
    return f"it beats the shipped model: {areas}"
