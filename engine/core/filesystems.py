"""Map paths and URLs to pyarrow filesystems."""

import os
from typing import Any
from urllib.parse import unquote

SCHEMES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}


def open_filesystem(location: str) -> tuple[Any, str]:
    """Return the pyarrow filesystem and the path within it.

    `location`: a local path, a `file:` URL, or a URL that pyarrow supports (s3, gs, hdfs, abfs)."""
    import pyarrow.fs

    scheme, separator, rest = location.partition(":")
    if not separator or os.path.isabs(location):
        return pyarrow.fs.LocalFileSystem(), os.path.abspath(location)
    if scheme == "file":
        return pyarrow.fs.LocalFileSystem(), "/" + rest.lstrip("/")
    filesystem, path = pyarrow.fs.FileSystem.from_uri(f"{SCHEMES.get(scheme, scheme)}:{rest}")
    return filesystem, path


def is_path(location: str) -> bool:
    """Return whether a location is a path or URL; otherwise it is a catalog table."""
    return "/" in location or ":" in location or location.startswith(".") or os.path.exists(location)


def plain(url: str) -> str:
    """Return the local path of a Spark file URL; other locations stay as they are."""
    return "/" + unquote(url.removeprefix("file:")).lstrip("/") if url.startswith("file:") else url
