"""Large states as files named by their content: written under a new name first, so a crash leaves no half file."""

import hashlib
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from treaty.engine.core.errors import StateError

GONE = "the state file {} is gone; compute the partition again"
DAMAGED = "the state file {} is damaged: the checksum differs; compute the partition again"
PIECE = 2**22
# A state, or what a crash left of one that was being written: nothing else in the folder is Treaty's.
_OURS = re.compile(r"[0-9a-f]{64}\.parquet((\.[0-9a-f]{32})?\.part)?")


@dataclass(frozen=True)
class StoredFile:
    """A file of states as it lies there, and when it was written last."""

    name: str
    written_at: datetime


@dataclass(frozen=True)
class StateFiles:
    """A folder (path or URL of any filesystem that pyarrow knows) of large states."""

    url: str

    def write(self, content: bytes) -> str:
        """The name of the file that holds the content. Writing equal content again changes its time alone: so a
        damaged file is mended, and one that is used again is not taken for left over."""
        name = f"{hashlib.sha256(content).hexdigest()}.parquet"
        filesystem, folder = self._opened()
        filesystem.create_dir(folder, recursive=True)
        # Two may write the same content at once.
        part = f"{folder}/{name}.{uuid4().hex}.part"
        with filesystem.open_output_stream(part) as stream:
            stream.write(content)
        filesystem.move(part, f"{folder}/{name}")
        return name

    def probe(self) -> None:
        """Returns where files can be written here. Raises OSError where not."""
        filesystem, folder = self._opened()
        filesystem.create_dir(folder, recursive=True)
        # What a crash leaves of it is taken for what it leaves of a file that was being written.
        part = f"{folder}/{'0' * 64}.parquet.{uuid4().hex}.part"
        filesystem.open_output_stream(part).close()
        filesystem.delete_file(part)

    def read(self, name: str) -> bytes:
        """The content of that name. Raises StateError where it is gone or damaged."""
        filesystem, folder = self._opened()
        try:
            with filesystem.open_input_stream(f"{folder}/{name}") as stream:
                content = bytes(stream.read())
        except FileNotFoundError:
            raise StateError(GONE.format(name)) from None
        if f"{hashlib.sha256(content).hexdigest()}.parquet" != name:
            raise StateError(DAMAGED.format(name))
        return content

    def check(self, names: Collection[str]) -> None:
        """Reads these files through, a piece at a time. Raises StateError for the first that is gone or damaged: who
        reads them next, without looking at their checksums, is told before."""
        filesystem, folder = self._opened()
        for name in names:
            try:
                with filesystem.open_input_stream(f"{folder}/{name}") as stream:
                    found = hashlib.sha256()
                    while piece := stream.read(PIECE):
                        found.update(piece)
            except FileNotFoundError:
                raise StateError(GONE.format(name)) from None
            if f"{found.hexdigest()}.parquet" != name:
                raise StateError(DAMAGED.format(name))

    def erase(self, names: Collection[str]) -> int:
        """Removes these files whenever they were written, and says how many there were."""
        (filesystem, folder), there = self._opened(), self.sizes(names)
        for name in there:
            filesystem.delete_file(f"{folder}/{name}")
        return len(there)

    def sizes(self, names: Collection[str]) -> dict[str, int]:
        """How many bytes each of these files has; those that are gone are left out."""
        if not names:
            return {}
        filesystem, folder = self._opened()
        found = filesystem.get_file_info([f"{folder}/{name}" for name in names])
        return {each.base_name: int(each.size) for each in found if each.size is not None}

    def rows(self, names: Collection[str]) -> int:
        """How many rows these files have together, told by their footers. Raises StateError for one that is no use."""
        from pyarrow import ArrowInvalid, parquet

        filesystem, folder = self._opened()
        found = 0
        for name in names:
            try:
                found += int(parquet.read_metadata(f"{folder}/{name}", filesystem=filesystem).num_rows)
            except (FileNotFoundError, ArrowInvalid):
                raise StateError(f"the state file {name} is gone or damaged; compute the partition again") from None
        return found

    def list_files(self) -> tuple[StoredFile, ...]:
        """All files of states, and what crashes left of others; none where the folder is not there yet."""
        from pyarrow.fs import FileSelector

        filesystem, folder = self._opened()
        found = filesystem.get_file_info(FileSelector(folder, allow_not_found=True))
        return tuple(StoredFile(each.base_name, each.mtime) for each in found if _is_ours(each))

    def remove(self, name: str, *, before: datetime) -> int | None:
        """Removes the file unless it was written again since that moment. Returns its bytes; None: nothing was done."""
        filesystem, folder = self._opened()
        (found,) = filesystem.get_file_info([f"{folder}/{name}"])
        if not _is_ours(found) or found.mtime >= before:
            return None
        with suppress(FileNotFoundError):
            filesystem.delete_file(found.path)
            return int(found.size)
        return None

    def _opened(self) -> tuple[Any, str]:
        from treaty.engine.core.filesystems import open_filesystem

        return open_filesystem(self.url)


def _is_ours(found: Any) -> bool:
    return bool(found.is_file and found.mtime and _OURS.fullmatch(found.base_name))
