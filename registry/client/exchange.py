"""Calls about exchange: versions in other forms, and documents made of texts of other tools."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ExchangeApi(ApiTransport):
    """Exchange: versions in other forms, and documents made of texts of other tools."""

    def export(
        self, contract_id: str, version: str | None = None, *, format: str = "odcs", record: bool = False
    ) -> bytes:
        """A version in another form, the active one where none is named; `record`: with that of its approval."""
        query = {"contract_id": contract_id, "version": version, "format": format, "record": record}
        return self._send("GET", "/contract/export", query=query).content

    def templates(self) -> list[schemas.TemplateOut]:
        """Documents to start a contract from: those that come with Treaty, then those of owners, by name."""
        return self._get(list[schemas.TemplateOut], "/templates")

    def save_template(self, name: str, about: str, document: str) -> schemas.TemplateOut:
        """Keeps a document for others to start from, with places such as ${id}."""
        body = schemas.TemplateIn(name=name, description=about, document=document)
        return self._post(schemas.TemplateOut, "/templates", body)

    def remove_template(self, name: str) -> None:
        """Removes a template of one's own."""
        self._send("DELETE", f"/templates/{name}")
