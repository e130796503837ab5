"""Client methods for exports and templates."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ExchangeApi(ApiTransport):
    """Client methods for exports and templates."""

    def export(
        self, contract_id: str, version: str | None = None, *, format: str = "odcs", record: bool = False
    ) -> bytes:
        """Export a version in another format.

        `version`: None means the version in force. `record`: includes the approval record."""
        query = {"contract_id": contract_id, "version": version, "format": format, "record": record}
        return self._send("GET", "/contract/export", query=query).content

    def templates(self) -> list[schemas.TemplateOut]:
        """List templates by name, those shipped with Treaty first."""
        return self._get(list[schemas.TemplateOut], "/templates")

    def save_template(self, name: str, about: str, document: str) -> schemas.TemplateOut:
        """Save a document as a template, with placeholders such as ${id}."""
        body = schemas.TemplateIn(name=name, description=about, document=document)
        return self._post(schemas.TemplateOut, "/templates", body)

    def remove_template(self, name: str) -> None:
        """Delete one of the caller's templates."""
        self._send("DELETE", f"/templates/{name}")
