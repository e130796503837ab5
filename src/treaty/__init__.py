"""Data contracts for Apache Spark: draft, approve, validate on lineage events, learn from history.

The public API is the names in `__all__`. Each is loaded on first use, so that `import treaty` loads no library.
Everything below `treaty.contracts`, `treaty.engine`, `treaty.registry` and `treaty.ui` may change."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treaty.contracts.document.model import Contract
    from treaty.contracts.errors import ContractError
    from treaty.engine import patterns
    from treaty.engine.checks import plugins
    from treaty.engine.checks.plugins import PluginError
    from treaty.engine.core.disk import LockHeld
    from treaty.engine.core.errors import EngineError, EngineKilled, StateError, UnreadableTable
    from treaty.engine.core.learning_options import PatternOptions, ProgramOptions
    from treaty.engine.core.results import RunResult
    from treaty.engine.dsl.check import Check
    from treaty.engine.dsl.limits import (
        at_least,
        at_most,
        between,
        equal_to,
        less_than,
        more_than,
        no_anomalies,
        outside,
        satisfying,
        unlike,
    )
    from treaty.engine.gate.candidate import CandidateRejected
    from treaty.engine.gate.gate import gate
    from treaty.engine.gate.publication import answer, recover
    from treaty.engine.gate.publication_steps import PublicationOpen
    from treaty.engine.programs import avh
    from treaty.engine.protocol.row_requests import QuarantineTarget
    from treaty.engine.session.contract_file import read_contract
    from treaty.engine.session.drafts import Draft, draft, profile
    from treaty.engine.session.streaming import watch_stream
    from treaty.engine.session.verify import measure, verify
    from treaty.engine.session.violating_rows import flag_rows, quarantine
    from treaty.engine.states.generations import GenerationConflict, StateFolder
    from treaty.extras import MissingExtra
    from treaty.registry import schemas
    from treaty.registry.client import Client, ClientError
    from treaty.registry.sdk.remote_states import registered_contract

__all__ = [
    "CandidateRejected",
    "Check",
    "Client",
    "ClientError",
    "Contract",
    "ContractError",
    "Draft",
    "EngineError",
    "EngineKilled",
    "GenerationConflict",
    "LockHeld",
    "MissingExtra",
    "PatternOptions",
    "PluginError",
    "ProgramOptions",
    "PublicationOpen",
    "QuarantineTarget",
    "RunResult",
    "StateError",
    "StateFolder",
    "UnreadableTable",
    "answer",
    "at_least",
    "at_most",
    "avh",
    "between",
    "draft",
    "equal_to",
    "flag_rows",
    "gate",
    "less_than",
    "measure",
    "more_than",
    "no_anomalies",
    "outside",
    "patterns",
    "plugins",
    "profile",
    "quarantine",
    "read_contract",
    "recover",
    "registered_contract",
    "satisfying",
    "schemas",
    "unlike",
    "verify",
    "watch_stream",
]  # fmt: skip

# The module of each name, below treaty. Type checkers use the imports above; a test compares the two.
_HOMES = {
    "contracts.document.model": ("Contract",),
    "contracts.errors": ("ContractError",),
    "engine": ("patterns",),
    "engine.checks": ("plugins",),
    "engine.checks.plugins": ("PluginError",),
    "engine.core.disk": ("LockHeld",),
    "engine.core.errors": ("EngineError", "EngineKilled", "StateError", "UnreadableTable"),
    "engine.core.learning_options": ("PatternOptions", "ProgramOptions"),
    "engine.core.results": ("RunResult",),
    "engine.dsl.check": ("Check",),
    "engine.dsl.limits": (
        "at_least", "at_most", "between", "equal_to", "less_than", "more_than", "no_anomalies", "outside",
        "satisfying", "unlike",
    ),
    "engine.gate.candidate": ("CandidateRejected",),
    "engine.gate.gate": ("gate",),
    "engine.gate.publication": ("answer", "recover"),
    "engine.gate.publication_steps": ("PublicationOpen",),
    "engine.programs": ("avh",),
    "engine.protocol.row_requests": ("QuarantineTarget",),
    "engine.session.contract_file": ("read_contract",),
    "engine.session.drafts": ("Draft", "draft", "profile"),
    "engine.session.violating_rows": ("flag_rows", "quarantine"),
    "engine.session.streaming": ("watch_stream",),
    "engine.session.verify": ("measure", "verify"),
    "engine.states.generations": ("GenerationConflict", "StateFolder"),
    "extras": ("MissingExtra",),
    "registry": ("schemas",),
    "registry.client": ("Client", "ClientError"),
    "registry.sdk.remote_states": ("registered_contract",),
}  # fmt: skip
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name on first use. Raises MissingExtra if it needs an extra that is not installed."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(_HOME_OF[name])
    except ModuleNotFoundError as error:
        from treaty.extras import missing_extra

        raise missing_extra(error) or error from None
    # The name may be a submodule of the package that is not loaded yet.
    value = getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
