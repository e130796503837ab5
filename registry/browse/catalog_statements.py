"""Look up what catalogs state about a dataset, for principals who may read the dataset."""

from sqlmodel import Session

from treaty.registry.access.authentication import Principal
from treaty.registry.catalogs import table_store
from treaty.registry.catalogs.table_store import CatalogStatement
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.measurements.states import state_queries
from treaty.registry.measurements.states.state_queries import StateQuery


def of_dataset(session: Session, query: StateQuery, by: Principal) -> list[CatalogStatement]:
    """Return what catalogs state about the dataset, by connection and table.

    Raises NotFound if no contract covers the dataset, or the principal may read none of them."""
    resolved = state_queries.visible_dataset(session, query, by)
    name = LineageName(resolved.dataset.namespace, resolved.dataset.name)
    return table_store.statements(session, aliases.groups(session, [name])[name].names)
