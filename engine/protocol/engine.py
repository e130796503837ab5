"""Define the engine that the registry needs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from treaty.engine.protocol.progress import ReportProgress, no_progress
from treaty.engine.protocol.requests import (
    DraftRequest,
    DraftResult,
    LakeRequest,
    MeasureRequest,
    MeasureResult,
    SpectraRequest,
)
from treaty.engine.protocol.row_requests import ExactRequest, SampleRequest

if TYPE_CHECKING:
    from treaty.engine.components.frequencies import FrequencySpectrum
    from treaty.engine.core.results import ExactValue, MetricKey, ViolationSample


class Engine(Protocol):
    """The engine as used by the worker; implemented by `treaty.engine.spark.process.child` and by fakes in tests."""

    def measure(self, request: MeasureRequest) -> MeasureResult: ...

    def draft(self, request: DraftRequest, report_progress: ReportProgress = no_progress) -> DraftResult: ...

    def learn(self, request: LakeRequest, report_progress: ReportProgress = no_progress) -> Mapping[str, Any]: ...

    def cancel(self) -> None: ...

    def sample(self, request: SampleRequest) -> "tuple[ViolationSample, ...]": ...

    def exact_values(self, request: ExactRequest) -> "Mapping[MetricKey, ExactValue]": ...

    def spectra(self, request: SpectraRequest) -> "dict[str, FrequencySpectrum]": ...

    def close(self) -> None: ...
