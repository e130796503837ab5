"""Draw the status badge of a contract as SVG, for a page or a README.

It contains neither data nor the contract's name, and its text conveys the same as its color."""

from collections.abc import Iterable

from treaty.engine.core.results import Verdict

LABEL, NEVER = "data contract", "not validated"
WORDS = {
    Verdict.PASSED: ("passed", "#1f6feb"),
    Verdict.WARNED: ("warned", "#9a6700"),
    Verdict.FAILED: ("failed", "#cf222e"),
    Verdict.NOT_EVALUATED: ("not evaluated", "#59636e"),
    Verdict.UNCERTAIN: ("uncertain", "#59636e"),
}
UNKNOWN = (NEVER, "#59636e")
# Approximate width of a letter, padding of a text, and height, in pixels.
LETTER, PADDING, HEIGHT = 6.6, 14, 20


def word(verdicts: Iterable[Verdict]) -> str:
    """Return the text of the worst verdict; NEVER if there is none."""
    return _worst(verdicts)[0]


def draw_badge(verdicts: Iterable[Verdict]) -> bytes:
    """Draw the badge of the worst verdict as SVG without scripts or external resources."""
    message, colour = _worst(verdicts)
    left, right = (round(len(text) * LETTER + PADDING) for text in (LABEL, message))
    text = '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img"',
            f' aria-label="{LABEL}: {message}"><title>{LABEL}: {message}</title>',
            f'<rect width="{left}" height="{HEIGHT}" fill="#3d444d"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{colour}"/>',
            f'{text}<text x="{left / 2}" y="14">{LABEL}</text>',
            f'<text x="{left + right / 2}" y="14">{message}</text></g></svg>\n',
        ]
    ).encode()


def _worst(verdicts: Iterable[Verdict]) -> tuple[str, str]:
    worst_first = sorted(verdicts, key=list(Verdict).index)
    return WORDS[worst_first[0]] if worst_first else UNKNOWN
