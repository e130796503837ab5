"""Normalize dataset names of lineage producers and derive the location that Spark reads."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

SCHEMES = {"s3a": "s3", "s3n": "s3"}
DEFAULT_PORTS = {"hdfs": ":8020", "hive": ":9083", "postgres": ":5432"}
KEYED = frozenset({"s3", "gs"})
PATHED = KEYED | {"file", "hdfs", "abfs", "abfss", "wasb", "wasbs", "dbfs", "viewfs", "adl", "oss", "cosn"}
_PARTITION = re.compile(r"([A-Za-z_][\w.-]*)=([^/]*)")


@dataclass(frozen=True, order=True)
class LineageName:
    """A dataset's namespace and name, as in OpenLineage."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace} {self.name}"


@dataclass(frozen=True)
class TrimmedName:
    """A dataset name without its trailing partition directories.

    `partition`: the values of these directories, e.g. `(('ds', '2026-11-20'),)`."""

    dataset: LineageName
    partition: tuple[tuple[str, str], ...] = ()


def normalise(namespace: str, name: str) -> LineageName:
    """Return the canonical spelling of a dataset name.

    Scheme and host become lower-case, s3a and s3n become s3; default ports and redundant slashes are removed. Names
    of tables keep their case. Normalizing twice changes nothing."""
    space = _namespace(namespace.strip())
    return LineageName(space, _path(space, name.strip()) if _holds_paths(space) else name.strip())


def table_name(dataset: LineageName) -> TrimmedName:
    """Split a partition path into its table and partition: `/t/ds=1/hour=2` is table `/t`.

    Other names are returned unchanged."""
    if not _holds_paths(dataset.namespace):
        return TrimmedName(dataset)
    steps = dataset.name.split("/")
    length = len(steps)
    while length > 1 and _PARTITION.fullmatch(steps[length - 1]):
        length -= 1
    root = "/".join(steps[:length])
    return TrimmedName(LineageName(dataset.namespace, root), _values(steps[length:])) if root else TrimmedName(dataset)


def location(namespace: str, name: str) -> str:
    """Return the location that Spark reads: a path, a URL, or a name in a catalog."""
    dataset = normalise(namespace, name)
    if dataset.namespace == "file":
        return dataset.name
    if _holds_paths(dataset.namespace):
        # Hadoop's own S3 client supports only the s3a scheme.
        space = re.sub(r"^s3:", "s3a:", dataset.namespace)
        return f"{space}/{dataset.name.lstrip('/')}"
    glue = re.fullmatch(r"table/([^/]+)/([^/]+)", dataset.name)
    return ".".join(glue.groups()) if glue else dataset.name


def _namespace(text: str) -> str:
    scheme, colon, rest = text.partition(":")
    scheme = SCHEMES.get(scheme.lower(), scheme.lower()) if colon or scheme.lower() == "file" else scheme
    if not colon:
        return scheme
    if scheme == "file":
        return _file(rest)
    if not rest.startswith("//"):
        return f"{scheme}:{rest}"
    host, slash, path = rest[2:].partition("/")
    host = host.lower().removesuffix(DEFAULT_PORTS.get(scheme, "//"))
    return f"{scheme}://{host}{slash}{path}".rstrip("/")


def _file(rest: str) -> str:
    host, _, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest.lstrip("/"))
    host, path = host.lower(), re.sub("/+", "/", path).strip("/")
    start = f"file://{host}" if host not in {"", "localhost"} else "file:" if path else "file"
    return f"{start}/{path}" if path else start


def _holds_paths(namespace: str) -> bool:
    """Return whether names in the namespace are paths.

    Within the location of a warehouse (`file:/warehouse`), names are tables."""
    try:
        parts = urlsplit(namespace if ":" in namespace else f"{namespace}:")
    except ValueError:
        return False
    return parts.scheme in PATHED and not parts.path.strip("/")


def _path(namespace: str, name: str) -> str:
    steps = [each for each in name.split("/") if each]
    if namespace.partition(":")[0] in KEYED:
        return "/".join(steps)
    # A job may write "./orders"; in an object store, "." may be part of a key.
    return "/" + "/".join(each for each in steps if each != ".")


def _values(steps: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = (step.split("=", 1) for step in steps)
    return tuple((unquote(column), unquote(value)) for column, value in pairs)
