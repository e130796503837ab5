"""Define the errors of the registry, each with its default message."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from treaty.contracts.errors import ContractError, Fault


class RegistryError(Exception):
    """Base class of the errors of the registry."""

    default_message: ClassVar[str] = "The registry could not complete this request."

    def __init__(self, message: str = "", *, faults: Iterable[Fault] = ()) -> None:
        self.message = message or self.default_message
        self.faults = tuple(faults)
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Return additional HTTP response headers; {} for none."""
        return {}


class Unauthenticated(RegistryError):
    """The request has no valid credentials."""

    default_message = "Authentication failed: check your user name and password, or your session or token."


class Forbidden(RegistryError):
    """The caller lacks a permission."""

    default_message = "You do not have permission to do this."


class NotFound(RegistryError):
    """The object does not exist, or the caller may not read it."""

    default_message = "Not found, or you do not have access to it."


class Conflict(RegistryError):
    """The request conflicts with the current state of an object."""

    default_message = "This changed in the meantime. Reload it and try again."


class RevisionConflict(Conflict):
    """The request names an outdated revision."""

    default_message = "This changed while you were viewing it. Reload it and try again."


class IllegalTransition(Conflict):
    """The state of the object does not allow the action."""

    default_message = "This action is not allowed in the current state."

    def __init__(self, subject: str, *, state: str, step: str, legal: Iterable[str]) -> None:
        possible = ", ".join(sorted(legal)) or "none, the state is final"
        super().__init__(f"Cannot {step} this {subject}: its state is {state}. Allowed actions: {possible}")


class PreconditionFailed(RegistryError):
    """The object no longer matches If-Match."""

    default_message = "This changed since you read it. Read it again and retry."


class PreconditionRequired(RegistryError):
    """The request has no If-Match header, which this route requires."""

    default_message = "Send the ETag of the state that you read as `If-Match`, or `If-Match: *` to change any state."


class RateLimited(RegistryError):
    """The caller failed to sign in too often."""

    default_message = "Too many attempts. Wait a while before you try again."

    def __init__(self, message: str = "", *, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the Retry-After header, in seconds."""
        return {"Retry-After": str(self.seconds)}


class ServiceBusy(RegistryError):
    """The service runs as many requests of this kind as it allows."""

    default_message = "The service is at its limit of concurrent requests of this kind. Try again in a few seconds."


class ProviderUnavailable(RegistryError):
    """The identity provider does not respond."""

    default_message = "The identity provider is not responding. Try again in a minute."


class NotReady(RegistryError):
    """The service cannot process requests yet."""

    default_message = "The database has no tables yet. Run `treaty init`."


class InvalidRequest(RegistryError):
    """The request or a document in it has faults."""

    default_message = "The request is invalid."

    @classmethod
    def because(cls, error: ContractError) -> "InvalidRequest":
        """Create the error for an invalid document, with all of its faults."""
        return cls("The contract document has faults", faults=error.faults)
