"""Describe the fields of the API models, from docstrings and a list of common fields."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

# The list in a docstring that describes fields: "- `since`, `until`: ...", or after a sentence of the same line.
FIELD_LIST = re.compile(r"^- `.*", re.MULTILINE | re.DOTALL)
FIELD_NAMES = re.compile(r"(?:^- |(?<=\. ))((?:`[\w.]+`(?:, )?)+): ", re.MULTILINE)
ANY = "..."
# Fields that mean the same in every model.
COMMON: Mapping[str, str] = {
    "acknowledged_by": "User who acknowledged it",
    "activated_at": "Time from which the version is in force",
    "analyzer": "Name of the analyzer",
    "answer": "The gate's answer",
    "approved_at": "Time of the approval",
    "approved_by": "User who approved it",
    "arguments": "Arguments of the analyzer",
    "attempts": "Number of attempts so far",
    "author": "User who created it",
    "channel_id": "Id of the notification channel",
    "check_id": "Id of the check",
    "column": "Name of the column",
    "columns": "Names of the columns",
    "comment": "Comment for other users",
    "contact": "Contact for questions about the subscription",
    "contract_id": "Id of the contract",
    "created_at": "Time of creation",
    "dataset": "Name of the dataset",
    "dataset_fingerprint": "Fingerprint of the data",
    "decided_at": "Time of the decision",
    "decided_by": "User who decided",
    "decision": "Decision on the suggestion",
    "details": "Distribution behind the value; null if there is none or it was omitted",
    "dimension": "Dimension of data quality, as in ODCS",
    "document": "The ODCS document, as YAML text",
    "effective_from": "Time from which the version may be in force; null means from its approval",
    "effective_until": "Time until which the version may be in force; null means no limit",
    "ended_at": "Time at which it ended; null if it has not",
    "error": "The last error",
    "event_time": "Time of the event, as its sender set it",
    "exact": "Value as text, with all digits",
    "expires_at": "Time at which it expires",
    "fingerprint": "Fingerprint of the document's content",
    "finished_at": "Time at which the run ended",
    "first_seen_at": "Time of the first event",
    "format": "Format of the files or of the document",
    "group": "Group of versions of which one is in force",
    "id": "Id",
    "identity": "Identity of the metric or of the suggestion",
    "items": "Items of the page",
    "job_name": "Name of the job",
    "job_namespace": "Namespace of the job",
    "kind": "Kind",
    "last_seen_at": "Time of the last event",
    "last_used_at": "Time of the last use",
    "location": "Location of the table for Spark",
    "measured_at": "Time of the measurement",
    "name": "Name",
    "namespace": "Namespace of the dataset in lineage events",
    "notification_kinds": "Kinds of notifications to send",
    "object": "Name of the object: a table of the contract",
    "open_proposals": "Number of proposals that are not decided",
    "opened_at": "Time at which it was opened",
    "outcome": "Outcome: passed, failed, uncertain or not evaluated",
    "owner": "Owner of the contract",
    "partition": "Name of the partition, such as day=2026-01-01; null means the whole table",
    "partition_by": "Partition columns",
    "partitions": "Names of the partitions",
    "password": "Password",
    "permissions": "Permissions",
    "pin": "Version or group that the subscription is pinned to",
    "producer": "User who sent the event",
    "progress": "Progress in words",
    "proposal_id": "Id of the proposal",
    "purpose": "What the data is used for",
    "reason": "Reason, for other users",
    "received_at": "Time of reception",
    "requested_at": "Time of the request",
    "resolution": "Why it was resolved",
    "resolved_at": "Time at which it was resolved",
    "revision": "Number of the revision; each change increases it",
    "role": "Role",
    "roles": "Roles",
    "row_count": "Number of rows that were measured",
    "run_id": "Id of the run",
    "scope": "Data that the check covers: delta, dataset or a view",
    "scopes": "Permissions that the token may use",
    "sentence": "Description for people",
    "severity": "Severity: error or warning",
    "snoozed_until": "Time until which it is snoozed; null means not snoozed",
    "started_at": "Time of the start",
    "state": "State",
    "subscriber": "User or team that subscribed",
    "subscription_id": "Id of the subscription",
    "successor_version": "Version that replaces it",
    "tags": "Tags",
    "target": "Domain, contract or dataset; null means everything",
    "task_id": "Id of the task",
    "team": "Name of the team",
    "team_id": "Id of the team",
    "text": "Text",
    "title": "Title",
    "unit": "Unit of the value",
    "updated_at": "Time of the last change",
    "user_id": "Id of the user",
    "value": "Value of the metric",
    "verdict": "Verdict of the run",
    "version": "Version number",
    "window": "Period in which the version is in force",
}


def describe_fields(schema: dict[str, Any], *docstrings: str) -> None:
    """Describe the fields of a JSON schema; remove their list from its own description.

    `docstrings`: those of the model and its bases; by default the schema's description. Fields without one have their
    common meaning."""
    fields, own = schema.get("properties", {}), schema.get("description", "")
    described = [each for text in docstrings or (own,) for each in described_fields(text, tuple(fields))]
    for name, description in (*described, *COMMON.items()):
        if name in fields:
            fields[name].setdefault("description", description)
    if own:
        schema["description"] = FIELD_LIST.sub("", own).strip()


def described_fields(docstring: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names and descriptions of the fields that the list in a docstring describes.

    `names`: fields of the model; `may_...` in the list describes all of them that begin with `may_`."""
    _, *parts = FIELD_NAMES.split(inspect.cleandoc(docstring))
    for listed, text in zip(parts[::2], parts[1::2], strict=True):
        description = " ".join(text.split("\n\n")[0].split())
        for name in re.findall(r"`([\w.]+)`", listed):
            matches = [each for each in names if each.startswith(name.removesuffix(ANY))] if ANY in name else [name]
            yield from ((each, description[:1].upper() + description[1:]) for each in matches)
