"""Profile a Spark frame and draft a contract for it, in the caller's own session.

print(profile(orders, name="orders", partition_by=["day"]).rows)
Path("orders.yaml").write_bytes(draft(orders, "orders", partition_by=["day"]).document)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document.model import Contract
from treaty.engine.core.learning_options import PATTERNS, PatternOptions, ProgramOptions
from treaty.engine.profile.format import ProfileDocument
from treaty.engine.protocol.requests import DraftRequest, ProfileRequest, TableSource

__all__ = ["Draft", "draft", "profile", "with_suggestions"]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A drafted contract: the document with the suggestions that are not optional, all suggestions, and the profile."""

    document: bytes
    suggestions: tuple[Mapping[str, Any], ...]
    profile: ProfileDocument

    def contract(self) -> Contract:
        """Return the drafted document as a contract."""
        from treaty.contracts.document.reader import read

        return read(self.document)


def profile(
    frame: Any,
    *,
    name: str = "table",
    partition_by: Sequence[str] = (),
    columns: Sequence[str] = (),
    sample: int | None = None,
    contract: Contract | None = None,
) -> ProfileDocument:
    """Profile a Spark frame in two scans, without changing any setting of the session.

    - `name`: name of the table in the profile.
    - `partition_by`: columns of the frame to partition by.
    - `columns`: empty means all.
    - `sample`: approximate number of rows to read; None means all.
    - `contract`: values of columns that it classifies are not shown, if its object has that name.

    Raises EngineError for columns that the frame lacks."""
    from treaty.engine.profile.document import document
    from treaty.engine.protocol.progress import no_progress
    from treaty.engine.spark.profile.profiler import history, opened_frame

    request = ProfileRequest(
        source=TableSource(name, partition_by=tuple(partition_by)),
        object=name,
        columns=tuple(columns),
        sample=sample,
        in_force=contract.source if contract else None,
    )
    return document(history(opened_frame(frame, request), request, no_progress), name)


def draft(  # noqa: PLR0913
    frame: Any,
    name: str,
    *,
    partition_by: Sequence[str] = (),
    columns: Sequence[str] = (),
    sample: int | None = None,
    contract_id: str | None = None,
    location: str | None = None,
    lake: str | None = None,
    programs: ProgramOptions | None = None,
    patterns: PatternOptions = PATTERNS,
) -> Draft:
    """Draft a contract for a Spark frame: its schema and the checks that its partitions suggest.

    - `name`: name of the object in the contract.
    - `partition_by`: columns of the frame to partition by; without any, suggestions are tested on parts of the rows.
    - `columns`: empty means all.
    - `sample`: approximate number of rows to read; None means all.
    - `contract_id`: None means `name`.
    - `location`: physical name in the contract; None means `name`.
    - `lake`: folder of a pattern index; None suggests no patterns.
    - `programs`: how to learn programs from the history of the partitions; None learns none.
    - `patterns`: how to learn patterns of texts.

    Raises EngineError."""
    from treaty.engine.protocol.progress import no_progress
    from treaty.engine.spark.handlers.draft import draft_opened
    from treaty.engine.spark.profile.profiler import opened_frame

    request = DraftRequest(
        source=TableSource(location or name, partition_by=tuple(partition_by)),
        contract_id=contract_id or name,
        object=name,
        columns=tuple(columns),
        sample=sample,
        lake=lake,
        programs=programs,
        patterns=patterns,
    )
    result = draft_opened(frame.sparkSession, opened_frame(frame, request.profile), request, no_progress)
    return Draft(
        document=with_suggestions(result.document, result.suggestions),
        suggestions=result.suggestions,
        profile=ProfileDocument.model_validate(result.profile),
    )


def with_suggestions(document: bytes, suggestions: Sequence[Mapping[str, Any]], *, optional: bool = False) -> bytes:
    """Write the suggestions of a draft into its document. `optional`: also the optional ones."""
    from treaty.contracts.document.reader import read
    from treaty.contracts.document.writer import write
    from treaty.contracts.editing.patches import Patch, apply

    proposed = [each for each in suggestions if optional or not each.get("optional")]
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in proposed]
    return write(apply(read(document).document, patches))
