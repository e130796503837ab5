"""Convert the aspects of a dataset in DataHub into facts. Pure: no requests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.registry.catalogs.kinds.answers import distinct, entries, name, own_properties, part, text, texts
from treaty.registry.catalogs.kinds.datahub.columns import DatasetSchema, Tags, tag_names
from treaty.registry.catalogs.kinds.datahub.names import Labels, dataset_urn, instance_of, label, lineage_name
from treaty.registry.catalogs.model import GlossaryTermFacts, Identifier, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest, expect, segment

# Aspects that state something about a dataset. Others exist for names that only lineage mentions.
STATING = (
    "schemaMetadata",
    "editableSchemaMetadata",
    "datasetProperties",
    "editableDatasetProperties",
    "ownership",
    "domains",
    "globalTags",
    "glossaryTerms",
    "structuredProperties",
)
ASPECTS = (*STATING, "dataPlatformInstance", "status")
Content = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class DatasetAspects:
    """The aspects of a dataset. `labels`: names by URN. `pages`: URL of the pages; '' for none."""

    identifier: Identifier
    content: Content
    request: CatalogRequest
    labels: Labels
    pages: str

    @property
    def is_stated(self) -> bool:
        """Return whether the catalog states anything, and the dataset is not removed."""
        is_removed = self._aspect("status").get("removed") is True
        return not is_removed and any(each in self.content for each in STATING)

    def facts(self) -> TableFacts:
        """Return the facts. Raises CatalogAnswerInvalid if an aspect has another form."""
        details, edited = self._aspect("datasetProperties"), self._aspect("editableDatasetProperties")
        schema = DatasetSchema(
            self._aspect("schemaMetadata"), self._aspect("editableSchemaMetadata"), self.labels, self.request
        )
        return TableFacts(
            identifier=self.identifier,
            location=text(details.get("uri")) or None,
            names=(
                lineage_name(self.identifier, instance_of(text(self._aspect("dataPlatformInstance").get("instance")))),
            ),
            columns=schema.columns(),
            primary_key=schema.primary_key(),
            foreign_keys=tuple(schema.foreign_keys()),
            partition_columns=schema.partition_columns(),
            owners=self._owners(),
            tags=tag_names({"globalTags": self._aspect("globalTags")}, self.labels, self.request) | self._properties(),
            domain=next(iter(self._domains()), None),
            glossary_terms=tuple(self._terms()),
            description=text(edited.get("description")) or text(details.get("description")),
            link=self._page("dataset", dataset_urn(self.identifier)),
            properties=own_properties(part(details, "customProperties", self.request)),
        )

    def _aspect(self, aspect: str) -> dict[str, Any]:
        """Return the value of an aspect; {} if the dataset does not have it."""
        return part(part(self.content, aspect, self.request), "value", self.request)

    def _owners(self) -> tuple[str, ...]:
        owners = entries(self._aspect("ownership"), "owners", self.request)
        return distinct(label(name(each, self.request, "owner"), self.labels) for each in owners)

    def _domains(self) -> tuple[str, ...]:
        urns = texts(self._aspect("domains").get("domains"), self.request, "domains")
        return distinct(label(each, self.labels) for each in urns)

    def _terms(self) -> Iterator[GlossaryTermFacts]:
        for each in entries(self._aspect("glossaryTerms"), "terms", self.request):
            urn = name(each, self.request, "urn")
            yield GlossaryTermFacts(label(urn, self.labels), self._page("glossaryTerm", urn))

    def _properties(self) -> Tags:
        """Return the structured properties: tags that have values."""
        properties = entries(self._aspect("structuredProperties"), "properties", self.request)
        return {label(name(each, self.request, "propertyUrn"), self.labels): self._values(each) for each in properties}

    def _values(self, content: Content) -> str:
        """Return the values of a property without their types."""
        values = expect(list, content.get("values") or [], self.request, "values")
        plain = (next(iter(each.values()), "") if isinstance(each, dict) else each for each in values)
        return ", ".join(str(each) for each in plain if isinstance(each, str | int | float))

    def _page(self, kind: str, urn: str) -> str | None:
        return f"{self.pages}/{kind}/{segment(urn)}" if self.pages else None
