"""Define the errors of reading a catalog. A message names the request and a remedy, and never a secret or a value."""

from treaty.registry.core.errors import RegistryError


class CatalogError(RegistryError):
    """A catalog cannot be read."""

    default_message = "The catalog cannot be read."


class CatalogUnavailable(CatalogError):
    """The catalog does not respond, or not in time. `seconds`: the pause that it asks for."""

    def __init__(self, message: str, *, seconds: float = 0.0) -> None:
        super().__init__(message)
        self.seconds = seconds


class CatalogRefused(CatalogError):
    """The catalog refuses the secret or the address."""


class CatalogPermissionMissing(CatalogError):
    """The catalog denies access to one of its objects; others may be readable."""


class CatalogAnswerInvalid(CatalogError):
    """The response is not what the kind of catalog specifies."""


class CatalogSecretMissing(CatalogError):
    """The secret of a connection does not exist on this machine, or cannot be used."""


class CatalogBudgetSpent(CatalogUnavailable):
    """Reading has used all requests or seconds that it may use at a time."""
