"""Render a profile as a self-contained HTML file, without external scripts, fonts or images."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from treaty.engine.core import number_format
from treaty.engine.core.number_format import percentage, visible
from treaty.engine.profile.format import ColumnDocument, HistogramBins, ProfileDocument, TextTypeDocument, ValueCount

WIDTH, HEIGHT = 240, 48
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: #1f2933; }
section { border-top: 1px solid #d2d6dc; padding: .75rem 0; }
h2 { margin: 0 0 .25rem; font-size: 1.1rem; overflow-wrap: anywhere; }
h2 small { font-weight: normal; color: #52606d; }
.parts { display: flex; flex-wrap: wrap; gap: 1.5rem; }
table { border-collapse: collapse; }
td, th { padding: .1rem .75rem .1rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #52606d; }
.note { color: #8a4b08; margin: .2rem 0; }
rect { fill: #3b6ea5; }
@media (prefers-color-scheme: dark) {
  body { background: #15191e; color: #e4e7eb; } h2 small, caption { color: #9aa5b1; } .note { color: #f0b429; }
  rect { fill: #7fb1e3; } section { border-color: #3e4c59; }
}
"""


def page(of: ProfileDocument) -> str:
    """Render the document as HTML; values of the data are always escaped."""
    title = f"Profile of {of.object}" if of.object else "Profile"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{_text(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{_text(title)}</h1><p>{_text(coverage_sentence(of))}</p>",
            *_notes(of.notes),
            *(line for column in of.columns for line in _column(column, of.words)),
            "</body></html>",
        ]
    )


def coverage_sentence(of: ProfileDocument) -> str:
    """Describe how much of the table was read."""
    sample = f", a sample of {percentage(of.sampled)} of all" if of.sampled < 1 else ""
    named = [name for name in of.partitions if name]
    span = f" in {len(named):,} partitions, {named[0]} to {named[-1]}" if len(named) > 1 else ""
    single = f" in {named[0]}" if len(named) == 1 else ""
    return f"{of.rows:,} rows{sample}{span}{single}, {len(of.columns):,} columns."


def read_as(reads: TextTypeDocument | None) -> str:
    """Describe the type that texts parse as; '' for plain text."""
    if reads is None:
        return ""
    form = f" ({' or '.join(reads.formats)})" if reads.formats else ""
    return f"parses as {reads.kind}{form}"


def figure(value: float | str | None) -> str:
    """Format the value of a fact."""
    if isinstance(value, float):
        return number_format.figure(value)
    return "no value" if value is None else f"{value:,}" if isinstance(value, int) else value


def fact_text(name: str, value: float | str | None) -> str:
    """Format the value of the named fact; completeness is a percentage that is 0 % or 100 % only if exact."""
    if name != "completeness" or not isinstance(value, int | float):
        return figure(value)
    return f"{100 * value:.0f} %" if value in (0, 1) else percentage(value)


def _column(of: ColumnDocument, named: Mapping[str, str]) -> Iterator[str]:
    words = ", ".join(filter(None, (of.type, read_as(of.reads_as), "classified" if of.classified else "")))
    yield f"<section><h2>{_text(of.name)} <small>{_text(words)}</small></h2>"
    yield from _notes(of.notes)
    yield '<div class="parts">'
    yield _table("", ((named.get(name, name), fact_text(name, value)) for name, value in of.facts.items()))
    if of.bins:
        yield _chart(of.bins)
    yield _counts("all values" if of.all_values else "frequent values", of.values)
    yield _counts("text patterns", of.masks)
    yield "</div></section>"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    return (f'<p class="note">{_text(each)}</p>' for each in notes)


def _counts(caption: str, counted: Sequence[ValueCount]) -> str:
    return _table(caption, ((each.value, f"{each.count:,}") for each in counted)) if counted else ""


def _table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = (f'<tr><td>{_text(name)}</td><td class="n">{_text(value)}</td></tr>' for name, value in rows)
    caption_row = f"<caption>{_text(caption)}</caption>" if caption else ""
    return f"<table>{caption_row}{''.join(lines)}</table>"


def _chart(bins: HistogramBins) -> str:
    most, width = max(bins.counts) or 1, WIDTH / len(bins.counts)
    heights = [HEIGHT * count / most for count in bins.counts]
    bars = (
        f'<rect x="{index * width:.1f}" y="{HEIGHT - height:.1f}" width="{width - 1:.1f}" height="{height:.1f}"/>'
        for index, height in enumerate(heights)
    )
    label = f"histogram from {bins.edges[0]:,.6g} to {bins.edges[-1]:,.6g}, {len(bins.counts)} bins"
    return f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{_text(label)}">{"".join(bars)}</svg>'


def _text(text: str) -> str:
    return escape(visible(text))
