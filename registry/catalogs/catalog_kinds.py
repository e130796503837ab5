"""Find kinds of catalogs: the built-in ones, and those of the packages in the setting TREATY_PLUGINS.

A package declares a kind in its pyproject.toml:

    [project.entry-points."treaty.catalogs"]
    ledger = "my_package:LEDGER"     # a CatalogKind, under its own name"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution

from treaty.contracts.errors import Fault
from treaty.registry.catalogs.kinds.datahub.reader import DataHubCatalog
from treaty.registry.catalogs.kinds.gravitino.reader import GravitinoCatalog
from treaty.registry.catalogs.kinds.iceberg.reader import IcebergRest
from treaty.registry.catalogs.kinds.openmetadata.reader import OpenMetadataCatalog
from treaty.registry.catalogs.kinds.protocol import CatalogKind, CatalogOption
from treaty.registry.catalogs.kinds.unity.databricks import DatabricksUnityCatalog
from treaty.registry.catalogs.kinds.unity.reader import UnityCatalog
from treaty.registry.core.errors import InvalidRequest

GROUP = "treaty.catalogs"
BUILT_IN: tuple[CatalogKind, ...] = (
    IcebergRest(),
    UnityCatalog(),
    DatabricksUnityCatalog(),
    OpenMetadataCatalog(),
    DataHubCatalog(),
    GravitinoCatalog(),
)
PARTS = ("name", "options", "permissions", "open")


def kinds(plugins: Iterable[str] = ()) -> dict[str, CatalogKind]:
    """Return the kinds by name. `plugins`: packages to search. Raises InvalidRequest for one that cannot be used."""
    found_kinds = {each.name: each for each in BUILT_IN}
    for entry in (entry for package in plugins for entry in _entries(package)):
        found_kinds.setdefault(entry.name, _loaded(entry))
    return found_kinds


def kind_of(name: str, plugins: Iterable[str] = ()) -> CatalogKind:
    """Return the kind with that name. Raises InvalidRequest if there is none."""
    known_kinds = kinds(plugins)
    if name not in known_kinds:
        raise _invalid("kind", f"{name} is not a kind of catalog: use one of {', '.join(sorted(known_kinds))}")
    return known_kinds[name]


def complete_options(kind: CatalogKind, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options with their defaults. Raises InvalidRequest for one that the kind does not have."""
    declared = {each.name: each for each in kind.options}
    for name, value in options.items():
        if name not in declared:
            raise _invalid(f"options.{name}", f"{kind.name} has no option {name}: use {', '.join(sorted(declared))}")
        _refuse_value(declared[name], value)
    return {name: options.get(name, each.default) for name, each in declared.items()}


def _refuse_value(option: CatalogOption, value: str) -> None:
    if option.choices and value not in option.choices:
        raise _invalid(f"options.{option.name}", f"use {' or '.join(option.choices)}")


def _entries(package: str) -> Iterator[EntryPoint]:
    try:
        yield from distribution(package).entry_points.select(group=GROUP)
    except (PackageNotFoundError, ValueError):
        raise _invalid("kind", f"the plug-in {package} is not installed") from None


def _loaded(entry: EntryPoint) -> CatalogKind:
    try:
        kind: CatalogKind = entry.load()
    except Exception as error:
        raise _invalid("kind", f"{entry.value} raised {type(error).__name__}: fix or remove the plug-in") from error
    if not all(hasattr(kind, each) for each in PARTS) or kind.name != entry.name:
        raise _invalid("kind", f"{entry.value} is not a kind of catalog with the name {entry.name}")
    return kind


def _invalid(where: str, message: str) -> InvalidRequest:
    return InvalidRequest(
        "The connection cannot be used", faults=[Fault(code="TR-CATALOG", where=where, message=message)]
    )
