"""Large states as files named by their content: written under a new name first, so a crash leaves no half file."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from engine.states import StateError


@dataclass(frozen=True)
class StateFiles:
    """A folder (path or URL of any filesystem that pyarrow knows) of large states."""

    url: str

    def write(self, content: bytes) -> str:
        """The name of the file that holds the content; writing equal content again changes nothing."""
        name = f"{hashlib.sha256(content).hexdigest()}.parquet"
        filesystem, folder = self._opened()
        filesystem.create_dir(folder, recursive=True)
        # Another one may be writing the same.
        part = f"{folder}/{name}.{uuid4().hex}.part"
        with filesystem.open_output_stream(part) as stream:
            stream.write(content)
        filesystem.move(part, f"{folder}/{name}")
        return name

    def read(self, name: str) -> bytes:
        """The content of that name. Raises StateError where it is gone or damaged."""
        filesystem, folder = self._opened()
        try:
            with filesystem.open_input_stream(f"{folder}/{name}") as stream:
                content = bytes(stream.read())
        except FileNotFoundError:
            raise StateError(f"the state file {name} is gone; compute the partition again") from None
        if f"{hashlib.sha256(content).hexdigest()}.parquet" != name:
            raise StateError(f"the state file {name} is damaged: the checksum differs; compute the partition again")
        return content

    def sizes(self, names: Collection[str]) -> dict[str, int]:
        """How many bytes each of these files has; those that are gone are left out."""
        if not names:
            return {}
        filesystem, folder = self._opened()
        found = filesystem.get_file_info([f"{folder}/{name}" for name in names])
        return {each.base_name: int(each.size) for each in found if each.size is not None}

    def _opened(self) -> tuple[Any, str]:
        from engine.filesystems import opened

        return opened(self.url)
