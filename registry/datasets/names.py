"""Names of datasets as lineage producers write them: one spelling each, and where the data can be read."""

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
    """A dataset as OpenLineage names it."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace} {self.name}"


@dataclass(frozen=True)
class TrimmedName:
    """A dataset name without its trailing partition directories, and what they said: (('ds', '2026-11-20'),)."""

    dataset: LineageName
    partition: tuple[tuple[str, str], ...] = ()


def normalise(namespace: str, name: str) -> LineageName:
    """The one spelling of a dataset name: lower-case scheme and host, s3a and s3n as s3, no default port, no stray "/".

    Names of tables keep their case. Normalising twice changes nothing."""
    space = _namespace(namespace.strip())
    return LineageName(space, _path(space, name.strip()) if _holds_paths(space) else name.strip())


def table_name(dataset: LineageName) -> TrimmedName:
    """The table behind the path of a partition: `/t/ds=1/hour=2` is table `/t`. Other names come back as they are."""
    if not _holds_paths(dataset.namespace):
        return TrimmedName(dataset)
    steps = dataset.name.split("/")
    kept = len(steps)
    while kept > 1 and _PARTITION.fullmatch(steps[kept - 1]):
        kept -= 1
    root = "/".join(steps[:kept])
    return TrimmedName(LineageName(dataset.namespace, root), _values(steps[kept:])) if root else TrimmedName(dataset)


def location(namespace: str, name: str) -> str:
    """Where Spark can read the dataset: a path, a URL, or else a name in a catalog."""
    dataset = normalise(namespace, name)
    if dataset.namespace == "file":
        return dataset.name
    if _holds_paths(dataset.namespace):
        # Hadoop's own client for S3 answers to s3a only.
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
    """Whether names in the namespace are paths. Below a warehouse's location (`file:/warehouse`) they are tables."""
    try:
        parts = urlsplit(namespace if ":" in namespace else f"{namespace}:")
    except ValueError:
        return False
    return parts.scheme in PATHED and not parts.path.strip("/")


def _path(namespace: str, name: str) -> str:
    steps = [each for each in name.split("/") if each]
    if namespace.partition(":")[0] in KEYED:
        return "/".join(steps)
    # A job may say "./orders"; a key of an object store may well have such a step.
    return "/" + "/".join(each for each in steps if each != ".")


def _values(steps: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = (step.split("=", 1) for step in steps)
    return tuple((unquote(column), unquote(value)) for column, value in pairs)
