"""What axe-core finds on a page: what keeps somebody from reading or using it."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

BARRING = ["serious", "critical"]
# What Streamlit draws so, and no setting changes: the sections of its menu are boxes between the list and its items.
GIVEN = {"list": "[data-testid=stSidebarNavItems]", "listitem": "[data-testid=stSidebarNavItems]"}
RUN = """async ([barring, given]) => (await axe.run(document, {resultTypes: ['violations']})).violations
    .filter(rule => barring.includes(rule.impact))
    .flatMap(rule => rule.nodes
        .filter(node => !(rule.id in given && document.querySelector(node.target[0])?.closest(given[rule.id])))
        .map(node => `${rule.impact} ${rule.id} at ${node.target.join(' ')}: ${node.failureSummary}`))"""


def barriers(page: Page) -> list[str]:
    """The serious and critical findings, each with its rule, place and reason."""
    # Evaluated, not added as a script: the pages' policy lets no other script in.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(RUN, [BARRING, GIVEN])
    return found
