"""The Open Data Contract Standard: its versions, its elements and the keys of each."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest

if TYPE_CHECKING:
    from pydantic import BaseModel

VERSIONS = ("v3.1.0", "v3.2.0")
# The bundled schema is that of 3.2.0; these are the keys that 3.1.0 does not have.
NEW_IN_3_2 = {
    "OpenDataContractStandard": {"context"},
    "SchemaObject": {"deprecated", "synonyms", "context"},
    "SchemaProperty": {"deprecated", "synonyms", "enum", "semanticType", "map"},
    "CustomProperty": {"vendor"},
    "Relationship": {"id"},
    "ServiceLevelAgreementProperty": {"customProperties", "authoritativeDefinitions"},
}


def inspect_version(document: Mapping[str, Any], faults: Faults) -> None:
    """Add a fault unless the document declares a version of the standard that Treaty supports."""
    remedy = f"use one of {', '.join(VERSIONS)}"
    if "apiVersion" not in document:
        faults.add("odcs-missing-key", "", "is missing 'apiVersion'", remedy)
    elif document["apiVersion"] not in VERSIONS:
        faults.add("odcs-version", "apiVersion", "is not a supported version", remedy)


def inspect_keys(document: Mapping[str, Any], faults: Faults) -> None:
    """Add a fault for each key, however deep, that the declared version lacks."""
    old = document.get("apiVersion") == "v3.1.0"
    for path, element, model in elements(document, root_model()):
        allowed = key_order(model).keys() - (NEW_IN_3_2.get(model.__name__, set()) if old else set())
        for key in (each for each in element if each not in allowed):
            if faults.full:
                return
            message = "is not allowed before v3.2.0" if key in key_order(model) else "is not a key of the standard"
            remedy = suggest_nearest(key, allowed) or "move it to customProperties"
            faults.add("odcs-unknown-key", join(path, key), message, remedy)


@cache
def key_order(model: "type[BaseModel]") -> Mapping[str, Any]:
    """Return the keys of an element in the standard's order, with their types."""
    return {each.alias or name: each.annotation for name, each in model.model_fields.items()}


def root_model() -> "type[BaseModel]":
    """Return the standard's model of a whole document."""
    from open_data_contract_standard.model import OpenDataContractStandard

    return OpenDataContractStandard


def element_model(annotation: Any, value: Any) -> "type[BaseModel] | None":
    """Return the standard's model of a mapping, or of the members of a list.

    None if the standard leaves the content open, as in `arguments` and in the value of a custom property."""
    from pydantic import BaseModel

    if not isinstance(value, list | Mapping):
        return None
    for each in (annotation, *get_args(annotation)):
        if isinstance(value, list) and get_origin(each) is list:
            return element_model(get_args(each)[0], {})
        if isinstance(value, Mapping) and isinstance(each, type) and issubclass(each, BaseModel):
            return each
    return None


def elements(value: Any, annotation: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any], "type[BaseModel]"]]:
    """Yield each mapping that the standard defines with its path and model, outermost first."""
    model = element_model(annotation, value)
    if model is None:
        return
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from elements(member, model, join(path, index))
        return
    yield path, value, model
    for key, member in value.items():
        yield from elements(member, key_order(model).get(key), join(path, key))
