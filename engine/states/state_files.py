"""Store large states as files named by their content.

Files are written under a temporary name first, so a crash leaves no incomplete file under a final name."""

import hashlib
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self
from uuid import uuid4

from treaty.engine.core import private_files
from treaty.engine.core.errors import StateError

GONE = "the state file {} is missing; compute the partition again"
DAMAGED = "the state file {} is damaged: the checksum differs; compute the partition again"
PIECE = 2**22
# Files of states and leftovers of interrupted writes; other files in the folder do not belong to Treaty.
_OURS = re.compile(r"[0-9a-f]{64}\.parquet((\.[0-9a-f]{32})?\.part)?")


@dataclass(frozen=True)
class StoredFile:
    """A stored file of states, with the time of its last write."""

    name: str
    written_at: datetime


@dataclass(kw_only=True)
class StateUpload:
    """A file that is being written. Its part is removed on exit unless it was finished."""

    filesystem: Any
    folder: str
    part: str
    stream: Any
    digest: Any = field(default_factory=hashlib.sha256)
    is_finished: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the stream and remove the part."""
        self.stream.close()
        if not self.is_finished:
            self.filesystem.delete_file(self.part)

    def write(self, content: bytes) -> None:
        """Append to the file."""
        self.digest.update(content)
        self.stream.write(content)

    def finish(self) -> str:
        """Move the file to the name of its content and return that name."""
        name = f"{self.digest.hexdigest()}.parquet"
        self.stream.close()
        self.filesystem.move(self.part, f"{self.folder}/{name}")
        self.is_finished = True
        return name


@dataclass(frozen=True)
class StateFiles:
    """A folder of large states: a path or URL of any filesystem that pyarrow supports."""

    url: str

    def write(self, content: bytes) -> str:
        """Write the content and return the name of its file.

        Writing equal content again updates the file's time. This repairs a damaged file and keeps a reused one from
        being collected."""
        with self.begin() as upload:
            upload.write(content)
            return upload.finish()

    def begin(self) -> "StateUpload":
        """Begin a file whose content arrives in parts.

        It is never in memory as a whole."""
        filesystem, folder = self._opened()
        # The name is known at the end. Two processes may write the same content at once.
        part = f"{folder}/{'0' * 64}.parquet.{uuid4().hex}.part"
        _prepare(filesystem, folder, part)
        stream = filesystem.open_output_stream(part)
        return StateUpload(filesystem=filesystem, folder=folder, part=part, stream=stream)

    def probe(self) -> None:
        """Check that files can be written here. Raises OSError if not."""
        filesystem, folder = self._opened()
        # After a crash its remains look like those of an interrupted write and are cleaned up with them.
        part = f"{folder}/{'0' * 64}.parquet.{uuid4().hex}.part"
        _prepare(filesystem, folder, part)
        filesystem.open_output_stream(part).close()
        filesystem.delete_file(part)

    def read(self, name: str) -> bytes:
        """Return the content of that file. Raises StateError if it is missing or damaged."""
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
        """Verify the checksums of these files, reading them in chunks.

        Raises StateError for the first one that is missing or damaged, because later readers do not verify
        checksums."""
        filesystem, folder = self._opened()
        for name in names:
            try:
                with filesystem.open_input_stream(f"{folder}/{name}") as stream:
                    digest = hashlib.sha256()
                    while piece := stream.read(PIECE):
                        digest.update(piece)
            except FileNotFoundError:
                raise StateError(GONE.format(name)) from None
            if f"{digest.hexdigest()}.parquet" != name:
                raise StateError(DAMAGED.format(name))

    def erase(self, names: Collection[str]) -> int:
        """Remove these files regardless of age, and return how many there were."""
        (filesystem, folder), sizes = self._opened(), self.sizes(names)
        for name in sizes:
            filesystem.delete_file(f"{folder}/{name}")
        return len(sizes)

    def sizes(self, names: Collection[str]) -> dict[str, int]:
        """Return the size of each file in bytes; missing files are left out."""
        if not names:
            return {}
        filesystem, folder = self._opened()
        infos = filesystem.get_file_info([f"{folder}/{name}" for name in names])
        return {each.base_name: int(each.size) for each in infos if each.size is not None}

    def rows(self, names: Collection[str]) -> int:
        """Return the total number of rows by the files' footers. Raises StateError if one is missing or damaged."""
        from pyarrow import ArrowInvalid, parquet

        filesystem, folder = self._opened()
        total = 0
        for name in names:
            try:
                total += int(parquet.read_metadata(f"{folder}/{name}", filesystem=filesystem).num_rows)
            except (FileNotFoundError, ArrowInvalid):
                raise StateError(f"the state file {name} is missing or damaged; compute the partition again") from None
        return total

    def list_files(self) -> tuple[StoredFile, ...]:
        """Return all files of states and leftovers of interrupted writes; empty if the folder does not exist."""
        from pyarrow.fs import FileSelector

        filesystem, folder = self._opened()
        infos = filesystem.get_file_info(FileSelector(folder, allow_not_found=True))
        return tuple(StoredFile(each.base_name, each.mtime) for each in infos if _is_ours(each))

    def remove(self, name: str, *, before: datetime) -> int | None:
        """Remove the file unless it was written since `before`; return its size in bytes, None if it was kept."""
        filesystem, folder = self._opened()
        (info,) = filesystem.get_file_info([f"{folder}/{name}"])
        if not _is_ours(info) or info.mtime >= before:
            return None
        with suppress(FileNotFoundError):
            filesystem.delete_file(info.path)
            return int(info.size)
        return None

    def _opened(self) -> tuple[Any, str]:
        from treaty.engine.core.filesystems import open_filesystem

        return open_filesystem(self.url)


def _prepare(filesystem: Any, folder: str, part: str) -> None:
    """Create the folder; on this machine, also an empty file, both for their owner only."""
    if filesystem.type_name == "local":
        private_files.make_folder(folder)
        private_files.make_file(part)
    else:
        filesystem.create_dir(folder, recursive=True)


def _is_ours(document: Any) -> bool:
    return bool(document.is_file and document.mtime and _OURS.fullmatch(document.base_name))
