"""Compare the options of learned programs: each option is changed alone, the others stay as chosen."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from treaty.engine.core.learning_options import LEAST_BATCHES, BoundName, ProgramOptions
from treaty.engine.programs.program import ColumnProgram
from treaty.engine.programs.suggestions import TableHistory, programs
from treaty.engine.programs.table_programs import TableProgram
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.suggestions.choices.outcomes import ChoiceOutcome

# Budgets to compare, in multiples of the chosen one; numbers of clauses.
BUDGETS, CLAUSES = (0.25, 4.0), (1, 3, 5)


def program_choices(
    history: TableHistory, chosen: ProgramOptions, learned: TableProgram, report_progress: ReportProgress
) -> Iterator[ChoiceOutcome]:
    """Yield the outcome of each option, the chosen value of each first.

    `learned`: the programs of the chosen options."""
    times = len(set(history.times))
    for option, values in _alternatives(chosen, times).items():
        current = getattr(chosen, option)
        yield _outcome(option, times if option == "history" else current, learned, chosen=True)
        for value in values:
            report_progress(f"comparing {option.replace('_', ' ')} {value}")
            part = newest_times(history, value) if option == "history" else history
            other = programs(part, chosen.model_copy(update={option: value}))
            yield _outcome(option, value, other, chosen=False)


def _alternatives(chosen: ProgramOptions, times: int) -> dict[str, tuple[Any, ...]]:
    values: dict[str, tuple[Any, ...]] = {
        "false_alarms": tuple(each * chosen.false_alarms for each in BUDGETS),
        "bound": tuple(BoundName),
        "clauses": CLAUSES,
        "history": (times // 2,) if times // 2 >= LEAST_BATCHES else (),
    }
    return {
        option: tuple(each for each in some if each != getattr(chosen, option))
        for option, some in values.items()
        if some
    }


def newest_times(history: TableHistory, times: int) -> TableHistory:
    """Return the history of that many newest times."""
    since = sorted(set(history.times))[-times]
    places = [at for at, time in enumerate(history.times) if time >= since]

    def part(some: Any) -> Any:
        return [some[at] for at in places]

    return replace(
        history,
        names=tuple(part(history.names)),
        times=tuple(part(history.times)),
        rows=tuple(part(history.rows)),
        values={
            column: {name: part(each) for name, each in by_name.items()} for column, by_name in history.values.items()
        },
        distance_parts={column: part(each) for column, each in history.distance_parts.items()},
    )


def _outcome(option: str, value: Any, learned: TableProgram, *, chosen: bool) -> ChoiceOutcome:
    fitted = [each for each in learned.columns.values() if isinstance(each, ColumnProgram)]
    backtests = learned.tested.values()
    evaluated = dict.fromkeys(name for each in backtests for name in each.evaluated)
    alarms = {name for each in backtests for name in each.alarms}
    issues = [counts for each in fitted for counts in each.caught.values()]
    injected = sum(of for _, of in issues)
    return ChoiceOutcome(
        option=option,
        value=value,
        chosen=chosen,
        checks=sum(len(each.clauses) for each in fitted) + len(learned.guards),
        evaluated=len(evaluated),
        alarmed_on=tuple(name for name in evaluated if name in alarms),
        catches=round(sum(hits for hits, _ in issues) / injected, 4) if injected else None,
    )
