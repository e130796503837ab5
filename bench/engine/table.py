"""Generate the benchmark table: orders, 22 columns and the partition column `day`, with the same rows every time."""

from pathlib import Path
from typing import Any

DAYS = 14
FILES_A_DAY = 2
PRODUCTS, CUSTOMERS = 50_000, 250_000
# Drawn from 4.5 million pairs, 5 million rows have about 3 million distinct ones.
PAIRS_A_ROW = 0.9
WORDS = [
    "blue", "red", "green", "old", "new", "small", "large", "light", "heavy", "round", "square", "warm", "cold",
    "quiet", "bright", "plain", "fine", "rough", "soft", "dry", "table", "chair", "lamp", "desk", "shelf", "bottle",
    "jacket", "shirt", "shoe", "bag", "clock", "radio", "phone", "cable", "paper", "pencil", "brush", "mirror",
    "carpet",
]  # fmt: skip
COUNTRIES = [
    "DE", "FR", "IT", "ES", "PT", "NL", "BE", "LU", "AT", "CH", "DK", "SE", "NO", "FI", "PL", "CZ", "SK", "HU", "RO",
    "BG", "GR", "IE", "GB", "IS", "EE", "LV", "LT", "SI", "HR", "MT", "CY",
]  # fmt: skip


def _share(salt: int, of: str = "id") -> str:
    """Return SQL of a pseudo-random number in [0, 1).

    It is a function of `of` and the salt."""
    return f"((xxhash64({of}, {salt}) & 9007199254740991) / 9007199254740992D)"


def _whole(salt: int, below: int, of: str = "id") -> str:
    return f"cast({_share(salt, of)} * {below} as bigint)"


def _one_of(salt: int, values: list[str]) -> str:
    choices = ", ".join(f"'{each}'" for each in values)
    return f"element_at(array({choices}), cast({_whole(salt, len(values))} + 1 as int))"


def _text(salt: int, words: int) -> str:
    return f"concat_ws(' ', {', '.join(_one_of(salt + at, WORDS) for at in range(words))})"


def _absent(share: float, salt: int, sql: str) -> str:
    return f"if({_share(salt)} < {share}, null, {sql})"


def columns(rows: int, days: int = DAYS) -> dict[str, str]:
    """Return the SQL of each column over `id` (0 to rows - 1), by name; `day` is last."""
    pair = _whole(1, max(1, int(rows * PAIRS_A_ROW)))
    created = f"timestamp_micros(1789948800000000 + id * 86400000000 * {DAYS} div {rows})"
    return {
        "order_id": "id",
        "customer_id": f"cast(pow({_share(2)}, 3) * {CUSTOMERS} as bigint)",
        "product": f"concat('SKU-', lpad(conv({_whole(3, PRODUCTS, pair)}, 10, 36), 5, '0'))",
        "customer": f"concat('customer-', lpad(cast({_whole(4, CUSTOMERS, pair)} as string), 7, '0'))",
        "status": _one_of(5, ["new", "paid", "sent", "lost"]),
        "country": _absent(0.02, 6, _one_of(7, COUNTRIES)),
        "city": _absent(0.05, 8, f"concat('city of ', cast({_whole(9, 3000)} as string))"),
        "email": _absent(0.10, 10, "concat('user', cast(id as string), '@example.org')"),
        "phone": _absent(0.30, 11, f"concat('+49 30 ', lpad(cast({_whole(12, 9999999)} as string), 7, '0'))"),
        "title": _absent(0.01, 13, _text(20, 4)),
        "review": _absent(0.60, 14, _text(30, 12)),
        "coupon": _absent(0.97, 15, f"concat('SAVE', cast({_whole(16, 500)} as string))"),
        "note": _absent(0.995, 17, _text(50, 6)),
        "quantity_text": _absent(0.03, 18, f"cast({_whole(60, 1000)} as string)"),
        "price_text": _absent(0.03, 19, f"cast(cast({_share(61)} * 1000 as decimal(10,2)) as string)"),
        "shipped_text": _absent(0.20, 62, f"string(date_add(date'2026-01-01', int({_whole(63, 300)})))"),
        "price": f"cast({_share(64)} * 1000 as decimal(10,2))",
        "amount": _absent(0.01, 65, f"{_share(66)} * 5000 - 5"),
        "quantity": f"cast({_whole(67, 1000)} as int)",
        "score": _absent(0.50, 68, f"{_share(69)} * 5"),
        "created": created,
        "delivered": _absent(0.15, 70, f"{created} + make_interval(0, 0, 0, {_whole(71, 9)})"),
        "day": f"date_format(date_add(date'2026-09-21', cast(id * {days} div {rows} as int)), 'yyyy-MM-dd')",
    }  # fmt: skip


def write_table(session: Any, folder: Path, rows: int, days: int = DAYS) -> Path:
    """Return the path of the table with that many rows, writing it if missing."""
    path = folder / (f"orders-{rows}" if days == DAYS else f"orders-{rows}-{days}")
    if not (path / "_SUCCESS").exists():
        selected = [f"{sql} as {name}" for name, sql in columns(rows, days).items()]
        frame = session.range(0, rows, 1, DAYS * FILES_A_DAY).selectExpr(*selected)
        frame.write.mode("overwrite").partitionBy("day").parquet(str(path))
    return path
