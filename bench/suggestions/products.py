"""Generate products of ten brands with the columns of Deequ's evaluation, the same every time.

See VLDB 2018, section 5.1. Eight names in ten contain the brand. Nine in ten contain words of its product lines, and
neighboring brands share a third of these words; all other words are shared by all brands. One description in four
contains the brand, one in twenty also another brand. Nine manufacturers in ten are the brand's own."""

from pathlib import Path
from typing import Any

ROWS, BRANDS, LINES, SHARED, WORDS = 845_000, 10, 60, 20, 4000


def _share(salt: int) -> str:
    return f"((xxhash64(id, {salt}) & 9007199254740991) / 9007199254740992D)"


def _word(prefix: str, salt: int, many: int, skew: float = 2.0) -> str:
    """Return SQL of one of `many` words, the first ones far more often."""
    return f"concat('{prefix}', cast(floor(pow({_share(salt)}, {skew}) * {many}) as int))"


def _text(prefix: str, salt: int, words: int) -> str:
    return f"concat_ws(' ', {', '.join(_word(prefix, salt + at, WORDS) for at in range(words))})"


def _line(salt: int) -> str:
    """Return SQL of a line's word: of the brand's own in nine names in ten, else of any brand's.

    Neighboring brands share some words."""
    brand = f"if({_share(salt)} < 0.9, b, cast(floor({_share(salt + 1)} * {BRANDS}) as int))"
    return f"concat('line', {brand} * {LINES - SHARED} + cast(floor(pow({_share(salt + 2)}, 1.5) * {LINES}) as int))"


_OWN, _OTHER = "concat('brand', b)", f"concat('brand', cast({_share(52)} * {BRANDS} as int))"
COLUMNS = {
    "id": "id",
    "brand": "concat('Brand ', b)",
    "name": f"concat_ws(' ', if({_share(1)} < 0.8, {_OWN}, null), initcap({_line(2)}), {_text('w', 10, 4)})",
    "size": f"element_at(array('S', 'M', 'L', 'XL', '38', '40', '42', '44'), cast({_share(20)} * 8 as int) + 1)",
    "bulletpoints": f"concat_ws(', ', {_line(30)}, {_text('w', 40, 8)})",
    "description": f"concat_ws(' ', if({_share(50)} < 0.25, {_OWN}, null), if({_share(51)} < 0.05, {_OTHER}, null), "
    f"{_line(53)}, {_text('w', 60, 30)})",
    "manufacturer": f"if({_share(90)} < 0.9, concat('Maker ', b), concat('Trader ', cast({_share(91)} * 30 as int)))",
    "price": f"if({_share(92)} < 0.05, null, cast((b + 1) * 10 * exp({_share(93)}) as decimal(9,2)))",
}


def write_products(session: Any, folder: Path, rows: int = ROWS) -> Path:
    """Return the folder of the table's Parquet files, writing it if missing."""
    path = folder / f"products-{rows}"
    if not (path / "_SUCCESS").exists():
        branded = session.range(rows).selectExpr("id", f"cast(floor(pow({_share(0)}, 1.3) * {BRANDS}) as int) as b")
        table = branded.selectExpr(*(f"{sql} as {name}" for name, sql in COLUMNS.items()))
        table.repartition(8).write.mode("overwrite").parquet(str(path))
    return path
