"""Define the errors of the registry.

The docstring of each class is its message unless the caller supplies a better one."""

from collections.abc import Iterable, Mapping

from treaty.contracts.errors import ContractError, Fault


class RegistryError(Exception):
    """The registry could not complete this request."""

    def __init__(self, message: str = "", *, faults: Iterable[Fault] = ()) -> None:
        self.message = message or (type(self).__doc__ or "")
        self.faults = tuple(faults)
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Return additional HTTP response headers; {} for none."""
        return {}


class Unauthenticated(RegistryError):
    """Authentication failed: check your user name and password, or your session or token."""


class Forbidden(RegistryError):
    """You do not have permission to do this."""


class NotFound(RegistryError):
    """Not found, or you do not have access to it."""


class Conflict(RegistryError):
    """This changed in the meantime. Reload it and try again."""


class RevisionConflict(Conflict):
    """This changed while you were viewing it. Reload it and try again."""


class IllegalTransition(Conflict):
    """This action is not allowed in the current state."""

    def __init__(self, subject: str, *, state: str, step: str, legal: Iterable[str]) -> None:
        possible = ", ".join(sorted(legal)) or "none, the state is final"
        super().__init__(f"Cannot {step} this {subject}: its state is {state}. Allowed actions: {possible}")


class PreconditionFailed(RegistryError):
    """This changed since you read it. Read it again and retry."""


class PreconditionRequired(RegistryError):
    """Send the ETag of the state that you read as `If-Match`, or `If-Match: *` to change any state."""


class RateLimited(RegistryError):
    """Too many attempts. Wait a while before you try again."""

    def __init__(self, message: str = "", *, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(message)

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the Retry-After header, in seconds."""
        return {"Retry-After": str(self.seconds)}


class ServiceBusy(RegistryError):
    """The service is at its limit of concurrent requests of this kind. Try again in a few seconds."""


class ProviderUnavailable(RegistryError):
    """The identity provider is not responding. Try again in a minute."""


class NotReady(RegistryError):
    """The database has no tables yet. Run `treaty init`."""


class InvalidRequest(RegistryError):
    """The request is invalid."""

    @classmethod
    def because(cls, error: ContractError) -> "InvalidRequest":
        """Create the error for an invalid document, with all of its faults."""
        return cls("The contract document has faults", faults=error.faults)
