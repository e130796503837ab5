"""Send verdict events through OpenLineage transports other than HTTP: Kafka, files, cloud services."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, Run, RunEvent, RunState


def emit(path: str, document: Mapping[str, Any]) -> None:
    """Send an event through the transport in the client's configuration file.

    Raises any error of the transport."""
    client = OpenLineageClient(config=yaml.safe_load(Path(path).read_text(encoding="utf-8")))
    # Use the transport directly: the client would add facets of its environment.
    client.transport.emit(_event(document))
    client.close(timeout=10)


def _event(document: Mapping[str, Any]) -> RunEvent:
    """Return the event in the client's classes. Facets stay plain JSON."""
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
