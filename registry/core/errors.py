"""What the registry refuses, and why: each error's docstring is its message unless a better one is given."""

from collections.abc import Iterable, Mapping

from treaty.contracts.errors import ContractError, Fault


class RegistryError(Exception):
    """The registry could not do this."""

    def __init__(self, message: str = "", *, faults: Iterable[Fault] = ()) -> None:
        self.message = message or (type(self).__doc__ or "")
        self.faults = tuple(faults)
        super().__init__(self.message)

    @property
    def headers(self) -> Mapping[str, str]:
        """What an HTTP answer says of it beside its body; {} for nothing."""
        return {}


class Unauthenticated(RegistryError):
    """Sign in first: the name, password, session or token is not valid."""


class Forbidden(RegistryError):
    """You may not do this."""


class NotFound(RegistryError):
    """There is no such thing, or it is not yours to see."""


class Conflict(RegistryError):
    """Somebody changed this in the meantime."""


class RevisionConflict(Conflict):
    """Somebody changed this while you looked at it."""


class IllegalTransition(Conflict):
    """This step is not possible from here."""

    def __init__(self, subject: str, *, state: str, step: str, legal: Iterable[str]) -> None:
        possible = ", ".join(sorted(legal)) or "nothing: it is final"
        super().__init__(f"cannot {step} a {subject} that is {state}; possible now: {possible}")


class PreconditionFailed(RegistryError):
    """Somebody changed this since you read it: look again."""


class PreconditionRequired(RegistryError):
    """Say which state you saw: send its ETag as `If-Match`, or `If-Match: *` to change whatever is there."""


class RateLimited(RegistryError):
    """This was tried too often: wait a while."""

    def __init__(self, message: str = "", *, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(message)

    @property
    def headers(self) -> Mapping[str, str]:
        """After how many seconds it may be tried again."""
        return {"Retry-After": str(self.seconds)}


class ServiceBusy(RegistryError):
    """As many of these are done at once as can be: try again in a few seconds."""


class ProviderUnavailable(RegistryError):
    """The identity provider does not answer: try again in a minute."""


class NotReady(RegistryError):
    """The database has no tables yet: run `treaty init`."""


class InvalidRequest(RegistryError):
    """The request cannot be used as it is."""

    @classmethod
    def because(cls, error: ContractError) -> "InvalidRequest":
        """The refusal of a document, with all of its faults."""
        return cls("the contract document has faults", faults=error.faults)
