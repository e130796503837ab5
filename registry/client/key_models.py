"""Client methods for the registry's key-name model."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.schemas.key_models import KeyModelChoiceIn, KeyModelsOut


class KeyModelsApi(ApiTransport):
    """Client methods for the registry's key-name model."""

    def key_models(self) -> KeyModelsOut:
        """Fetch the model in use, why it is in use, and all stored versions."""
        return self._get(KeyModelsOut, "/key-models")

    def train_key_model(self) -> schemas.TaskOut:
        """Start a task that trains a model on the keys that owners approved. Requires an administrator."""
        return self._post(schemas.TaskOut, "/key-models")

    def use_key_model(self, choice: KeyModelChoiceIn, *, etag: str = "*") -> KeyModelsOut:
        """Choose the model in use. Requires an administrator.

        `etag`: `etag` of the models as read; "*" chooses in any state."""
        return self._changed(KeyModelsOut, "PUT", "/key-models", etag, body=choice)

    def key_model(self, version: int) -> bytes:
        """Download the file of a version. Requires an administrator."""
        return self._send("GET", f"/key-models/{version}").content
