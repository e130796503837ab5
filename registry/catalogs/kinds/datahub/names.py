"""Convert URNs of DataHub into names. Pure: no requests."""

import re
from collections.abc import Mapping

from treaty.registry.catalogs.model import Identifier
from treaty.registry.datasets.names import LineageName, normalise

DATASET = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:([^,()]+),(.+),([^,()]+)\)", re.DOTALL)
FIELD = re.compile(r"urn:li:schemaField:\((urn:li:dataset:\(.+\)),([^()]*)\)", re.DOTALL)
INSTANCE = re.compile(r"urn:li:dataPlatformInstance:\(urn:li:dataPlatform:[^,()]+,([^()]*)\)")
# Parts of a path that name types, as `[version=2.0].[type=struct].`.
TYPE_PART = re.compile(r"\[[^\]]*\]\.?")
# Platforms whose names begin with a bucket, and the scheme of its URL.
BUCKETS = {"s3": "s3", "gcs": "gs"}
MAIN_ENVIRONMENT = "PROD"
Labels = Mapping[str, str]


def identifier_of(urn: str) -> Identifier | None:
    """Return platform, environment and name of a dataset; None if the URN has another form."""
    match = DATASET.fullmatch(urn)
    return (match[1], match[3], match[2]) if match else None


def dataset_urn(identifier: Identifier) -> str:
    """Return the URN of a dataset with that platform, environment and name."""
    platform, environment, name = identifier
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{environment})"


def lineage_name(identifier: Identifier, instance: str) -> LineageName:
    """Return the name in lineage events. `instance`: of the platform; '' for none.

    A URN has no host: but for buckets, the platform stands for the namespace, with the environment if it is not the
    main one, so that tables of two environments stay apart."""
    platform, environment, name = identifier
    bucket, slash, key = name.partition("/")
    if platform in BUCKETS and slash:
        return normalise(f"{BUCKETS[platform]}://{bucket}", key)
    namespace = platform if environment == MAIN_ENVIRONMENT else f"{platform}:{environment}"
    return LineageName(namespace, name.removeprefix(f"{instance}.") if instance else name)


def instance_of(urn: str) -> str:
    """Return the name of a platform's instance; '' if it is none."""
    match = INSTANCE.fullmatch(urn)
    return match[1] if match else ""


def label(urn: str, labels: Labels) -> str:
    """Return the name of an owner, tag, term, domain or property. `labels`: names by URN, for those that have one."""
    return labels.get(urn) or urn.split(":", 3)[-1]


def plain_path(path: str) -> str:
    """Return the path of a field without types."""
    return TYPE_PART.sub("", path).rstrip(".")


def field_of(urn: str) -> tuple[Identifier, str] | None:
    """Return the dataset and the path of a field; None if the URN has another form."""
    match = FIELD.fullmatch(urn)
    identifier = identifier_of(match[1]) if match else None
    return (identifier, plain_path(match[2])) if match and identifier else None
