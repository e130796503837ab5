"""Run the demo's pipeline: a Spark job that writes partitions and emits OpenLineage events."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treaty.engine.core import private_files
from treaty.engine.core.clock import now
from treaty.registry.demo.deliveries import DemoDelivery

JOB_NAMESPACE = "shop"


@contextmanager
def spark(log: Path) -> Iterator[Any]:
    """Yield a Spark session that logs to a file, and stop it at the end."""
    from treaty.engine.spark.process.session import start

    with _quiet(log):
        session = start(memory="1g", extra={"spark.sql.parquet.compression.codec": "zstd"})
        session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        with _quiet(log):
            session.stop()


@contextmanager
def _quiet(log: Path) -> Iterator[None]:
    """Redirect this process's output to the log, including that of a JVM started meanwhile."""
    saved = [os.dup(1), os.dup(2)]
    try:
        with private_files.open_log(log) as target:
            os.dup2(target.fileno(), 1)
            os.dup2(target.fileno(), 2)
        yield
    finally:
        for stream, descriptor in enumerate(saved, start=1):
            os.dup2(descriptor, stream)
            os.close(descriptor)


@dataclass(frozen=True, kw_only=True)
class DemoProducer:
    """Write partitions and send events.

    `root`: folder of the tables.
    `column`: partition column.
    `url`, `token`: address of the API and its token."""

    session: Any
    root: Path
    column: str
    url: str
    token: str

    def location(self, table: str) -> str:
        return str(self.root / table)

    def write(self, delivery: DemoDelivery) -> None:
        """Write a partition, replacing existing files."""
        from treaty.engine.core.partitions.partition_names import escape_name

        folder = f"{self.location(delivery.table)}/{escape_name(self.column)}={escape_name(delivery.partition)}"
        delivery.make(self.session).coalesce(1).write.mode("overwrite").parquet(folder)

    def deliver(self, delivery: DemoDelivery) -> None:
        """Run the pipeline once: START event, write, COMPLETE event."""
        from openlineage.client.event_v2 import RunState
        from openlineage.client.uuid import generate_new_uuid

        run_id = str(generate_new_uuid())
        self._emit(RunState.START, delivery, run_id)
        self.write(delivery)
        self._emit(RunState.COMPLETE, delivery, run_id)

    def _emit(self, state: Any, delivery: DemoDelivery, run_id: str) -> None:
        from openlineage.client.event_v2 import Job, OutputDataset, Run, RunEvent

        output = OutputDataset(
            namespace="file", name=self.location(delivery.table), outputFacets=_subset(self, delivery)
        )
        job = Job(namespace=JOB_NAMESPACE, name=f"load_{delivery.table}")
        self._client().emit(
            RunEvent(
                eventType=state,
                eventTime=now().isoformat(),
                run=Run(runId=run_id),
                job=job,
                producer=PRODUCER,
                outputs=[output],
            )
        )

    def _client(self) -> Any:
        from openlineage.client import OpenLineageClient
        from openlineage.client.transport.http import ApiKeyTokenProvider, HttpConfig, HttpTransport

        config = HttpConfig(url=self.url, endpoint="api/v1/lineage", auth=ApiKeyTokenProvider({"apiKey": self.token}))
        return OpenLineageClient(transport=HttpTransport(config))


PRODUCER = "https://github.com/OpenLineage/OpenLineage/blob/main/client/python"


def _subset(producer: DemoProducer, delivery: DemoDelivery) -> dict[str, Any]:
    from openlineage.client.facet_v2 import base_subset_dataset

    partition = base_subset_dataset.Partition(dimensions={producer.column: delivery.partition})
    condition = base_subset_dataset.PartitionSubsetCondition(partitions=[partition])
    return {"subset": base_subset_dataset.OutputSubsetOutputDatasetFacet(outputCondition=condition)}
