"""A badge: how the data of a contract stand, in two words as a picture for a page or a README. It holds nothing of the
data and nothing of the contract, and its words say what its colour does."""

from collections.abc import Iterable

from treaty.engine.core.results import Verdict

LABEL, NEVER = "data contract", "never judged"
# The worst of several counts.
WORST = (Verdict.FAILED, Verdict.NOT_EVALUATED, Verdict.WARNED, Verdict.PASSED)
WORDS = {
    Verdict.PASSED: ("passed", "#1f6feb"),
    Verdict.WARNED: ("warned", "#9a6700"),
    Verdict.FAILED: ("failed", "#cf222e"),
    Verdict.NOT_EVALUATED: ("not evaluated", "#59636e"),
}
UNKNOWN = (NEVER, "#59636e")
# About what a letter of the font takes, and the room beside a word.
LETTER, BESIDE, HEIGHT = 6.6, 14, 20


def word(verdicts: Iterable[Verdict]) -> str:
    """The word of the worst of these verdicts; NEVER for none."""
    return _worst(verdicts)[0]


def draw_badge(verdicts: Iterable[Verdict]) -> bytes:
    """The badge of the worst of these verdicts, as SVG in which nothing runs and nothing is loaded."""
    said, colour = _worst(verdicts)
    left, right = (round(len(text) * LETTER + BESIDE) for text in (LABEL, said))
    text = '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img"',
            f' aria-label="{LABEL}: {said}"><title>{LABEL}: {said}</title>',
            f'<rect width="{left}" height="{HEIGHT}" fill="#3d444d"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{colour}"/>',
            f'{text}<text x="{left / 2}" y="14">{LABEL}</text>',
            f'<text x="{left + right / 2}" y="14">{said}</text></g></svg>\n',
        ]
    ).encode()


def _worst(verdicts: Iterable[Verdict]) -> tuple[str, str]:
    found = sorted(verdicts, key=WORST.index)
    return WORDS[found[0]] if found else UNKNOWN
