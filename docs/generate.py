"""Write docs/reference from the code: `make docs`. A test checks that the committed pages are up to date."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from docs.generators import (  # noqa: E402 - after the path is complete
    analyzers,
    api,
    catalogs,
    cli,
    compatibility,
    detectors,
    distances,
    glossary,
    metrics,
    odcs,
    predicates,
    python,
    settings,
    suggestions,
)

REFERENCE = Path(__file__).parent / "reference"
OPENAPI = REFERENCE / "openapi.json"
NOTE = "<!-- written by `make docs`; change the code instead -->"
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "cli": cli.page,
    "exit-codes": cli.exit_codes,
    "python": python.page,
    "api": api.overview,
    **api.pages(),
    "settings": settings.page,
    "analyzers": analyzers.page,
    "detectors": detectors.page,
    "suggestions": suggestions.page,
    "distances": distances.page,
    "compatibility": compatibility.page,
    "odcs": odcs.page,
    "predicates": predicates.page,
    "metrics": metrics.page,
    "catalogs": catalogs.page,
    "glossary": glossary.page,
}


def page(name: str) -> str:
    """Return the text of a reference page."""
    return "\n".join([NOTE, *PAGES[name]()]).rstrip() + "\n"


def openapi() -> str:
    """Return the text of the OpenAPI document."""
    return api.openapi()


def main() -> None:
    """Write every page and the OpenAPI document."""
    for name in PAGES:
        path = REFERENCE / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(name), encoding="utf-8")
    OPENAPI.write_text(openapi(), encoding="utf-8")


if __name__ == "__main__":
    main()
