"""Report progress as text from a working process to a waiting one."""

from collections.abc import Callable
from dataclasses import dataclass

ReportProgress = Callable[[str], None]


@dataclass(frozen=True)
class ProgressMessage:
    """A progress message from one process to another, sent before the answer."""

    words: str


def no_progress(_: str) -> None:
    """Discard the progress message."""
