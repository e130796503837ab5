"""Transports of the OpenLineage client, for verdicts that go where HTTP does not lead: Kafka, files, clouds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, Run, RunEvent, RunState


def emit(path: str, document: Mapping[str, Any]) -> None:
    """Hands an event to the transport that the client's configuration file names. Raises whatever that raises."""
    client = OpenLineageClient(config=yaml.safe_load(Path(path).read_text(encoding="utf-8")))
    # Not by the client itself: it would add facets of its environment.
    client.transport.emit(_event(document))
    client.close(timeout=10)


def _event(document: Mapping[str, Any]) -> RunEvent:
    """The event as the client's transports take it; its facets stay plain data."""
    run, job = document["run"], document["job"]
    return RunEvent(
        eventType=RunState[document["eventType"]],
        eventTime=document["eventTime"],
        producer=document["producer"],
        run=Run(run["runId"], facets=run["facets"]),
        job=Job(job["namespace"], job["name"], facets=job["facets"]),
        inputs=[_input(each) for each in document["inputs"]],
        outputs=[],
    )


def _input(dataset: Mapping[str, Any]) -> InputDataset:
    return InputDataset(
        dataset["namespace"], dataset["name"], facets=dataset["facets"], inputFacets=dataset["inputFacets"]
    )
