"""Divide a table's false-alarm budget among its columns and the guards of the whole table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING
from enum import Enum

from treaty.engine.programs.clause_selection import LEAST_PAID
from treaty.engine.programs.injected_issues import variation_count
from treaty.engine.programs.learner import Learner
from treaty.engine.programs.limits import outward
from treaty.engine.programs.program import ColumnProgram
from treaty.engine.programs.recipe import GUARDS

QUARTERS = 4
# Upper bound of the false-alarm rate, even for rare batches: chosen by hand.
MOST_RATE = 0.01
# Shares of the table's budget that a column may use, each twice the one before.
MENU = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
# Factor between the budgets that are tried: chosen by hand.
MORE = 1.3


class TableGuard(Enum):
    """A guard of the whole table, with its name in sentences."""

    ROWS = "the table"
    COMPLETENESS = "all columns"


# A column's name or a guard of the table.
Target = str | TableGuard
Learners = Mapping[Target, Learner]
Programs = Mapping[Target, ColumnProgram]


def label(target: Target) -> str:
    """Return the column's name, or the guard's name in sentences."""
    return target.value if isinstance(target, TableGuard) else target


@dataclass(frozen=True, kw_only=True)
class Unpaid:
    """Columns that a budget does not pay for.

    - `columns`: those without a clause, and guards of the table.
    - `guards`: whether guards are meant instead of other clauses.
    - `nothing`: whether no column has one.
    - `alarms`: false alarms per quarter that pay for one of each column, or for the first if no column has one; None
      means more than the largest budget."""

    columns: tuple[Target, ...]
    guards: bool
    nothing: bool
    alarms: float | None


def allowance(alarms: float, yearly: float) -> float:
    """Return the rate of false alarms per batch, at most one of a hundred.

    `alarms`: false alarms per quarter. `yearly`: number of batches per year."""
    return min(MOST_RATE, alarms * QUARTERS / yearly)


def divided(learners: Learners, budget: float) -> dict[Target, ColumnProgram]:
    """Return the program of each learner within the table's budget."""
    menus = {name: _menu(each, budget) for name, each in learners.items()}
    return divide_budget(menus, budget, {name: _weight(name, learners) for name in TableGuard if name in learners})


def _weight(guard: TableGuard, learners: Learners) -> float:
    """Return for how many columns the guard's recall counts, at least 1.

    What it catches affects every column: there it counts as these issues among all that are injected."""
    issues, columns = len(learners[guard].issues), [each for name, each in learners.items() if isinstance(name, str)]
    return max(1.0, sum(issues / (issues + variation_count(is_text=each.is_text)) for each in columns))


def _menu(learner: Learner, budget: float) -> list[ColumnProgram]:
    """Return programs of the column, from an empty one to one that spends the budget."""
    widest = sum(each[0].rate for each in learner.guards if each)
    shares = sorted({0.0, min(widest, budget), *(share * budget for share in MENU)})
    return [learner.program(each) for each in shares]


def divide_budget(
    menus: Mapping[Target, Sequence[ColumnProgram]], budget: float, weights: Mapping[Target, float]
) -> dict[Target, ColumnProgram]:
    """Choose one program per menu within the total budget.

    Each step takes the program with the most additional catches for its additional rate, the first of equal ones. The
    first program of each menu has no clauses and costs nothing. `weights`: factors of catches; by default 1."""
    chosen = {name: menu[0] for name, menu in menus.items()}
    while True:
        remaining = budget - sum(each.rate for each in chosen.values())
        steps = [(weights.get(name, 1.0) * _worth(chosen[name], each), name, each)
                 for name, menu in menus.items() for each in menu
                 if each.rate - chosen[name].rate <= remaining]  # fmt: skip
        worth, name, best = max(steps, default=(0.0, None, None), key=lambda step: step[0])
        if worth <= 0 or name is None or best is None:
            return chosen
        chosen[name] = best


def _worth(now: ColumnProgram, then: ColumnProgram) -> float:
    """Return the gain in recall per additional false alarm; 0 without a gain."""
    gain = (then.recall or 0.0) - (now.recall or 0.0)
    return gain / max(then.rate - now.rate, LEAST_PAID) if gain > 0 else 0.0


def unpaid(learners: Learners, chosen: Programs, yearly: float) -> Iterator[Unpaid]:
    """Yield the columns without a useful clause, then those without a guard."""
    yield from _of_kind(learners, chosen, yearly, guards=False)
    yield from _of_kind(learners, chosen, yearly, guards=True)


def _of_kind(learners: Learners, chosen: Programs, yearly: float, *, guards: bool) -> Iterator[Unpaid]:
    has, cheapest = (_has_guard, _widest_guard) if guards else (_has_clause, _cheapest_clause)
    rates = {name: rate for name, each in learners.items() if not has(chosen[name]) and (rate := cheapest(each))}
    if not rates:
        return
    nothing = not any(map(has, chosen.values()))
    enough = any if nothing else all
    spent = sum(each.rate for each in chosen.values())
    least = spent + (min(rates.values()) if nothing else sum(rates.values()))
    alarms = _sufficient(learners, yearly, least, lambda then: enough(has(then[name]) for name in rates))
    yield Unpaid(columns=tuple(rates), guards=guards, nothing=nothing, alarms=alarms)


def _sufficient(
    learners: Learners, yearly: float, rate: float, is_enough: Callable[[Programs], bool]
) -> float | None:  # fmt: skip
    """Return the first budget from that rate on that is enough; other clauses may take what a larger one adds."""
    alarms = _upwards(rate * yearly / QUARTERS)
    while alarms * QUARTERS / yearly <= MOST_RATE:
        if is_enough(divided(learners, allowance(alarms, yearly))):
            return alarms
        alarms = _upwards(MORE * alarms)
    return None


def _upwards(number: float) -> float:
    return outward(number, ROUND_CEILING, 2) or number


def _has_clause(program: ColumnProgram) -> bool:
    return any(not each.guard for each in program.clauses)


def _cheapest_clause(learner: Learner) -> float | None:
    return learner.cheapest_useful


def _has_guard(program: ColumnProgram) -> bool:
    return any(each.statistic in GUARDS for each in program.clauses)


def _widest_guard(learner: Learner) -> float | None:
    return next((each[0].rate for each in learner.guards if each), None)
