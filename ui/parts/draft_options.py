"""Draw the options for learning checks, one input per field, and their comparison."""

from collections.abc import Mapping, Sequence
from enum import EnumType
from typing import Any, TypeVar

import streamlit as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from treaty.ui import texts as ui_texts
from treaty.ui.texts import draft as texts
from treaty.ui.widgets import panels

Options = TypeVar("Options", bound=BaseModel)


def draw(model: type[BaseModel]) -> None:
    """Draw an input for each option; lists for named values, texts for numbers."""
    for name, field in model.model_fields.items():
        label, words = texts.OPTIONS[name]
        if names := _names(name, field):
            st.selectbox(label, list(names), key=name, format_func=names.get, help=words)
        else:
            default = texts.DEFAULT if field.default is None else f"{field.default:g}"
            st.text_input(label, key=name, placeholder=default, help=words)


def _names(name: str, field: FieldInfo) -> Mapping[str, str]:
    """Return the labels of an option's values; empty for numbers."""
    if name == "refit":
        return ui_texts.REFITS
    values = field.annotation if isinstance(field.annotation, EnumType) else ()
    return {str(each): texts.OPTION_VALUES[str(each)] for each in values}


def chosen(model: type[Options]) -> Options:
    """Return the options as typed; empty inputs mean the default. Raises ValidationError for invalid ones."""
    typed = {name: str(st.session_state.get(name) or "").strip() for name in model.model_fields}
    return model.model_validate({name: text.replace(",", "") for name, text in typed.items() if text})


def draw_choices(choices: Sequence[Mapping[str, Any]]) -> None:
    """Draw what each option would have learned, and where that would have alarmed."""
    st.subheader(texts.OTHER_OPTIONS)
    st.caption(texts.OTHER_OPTIONS_HELP)
    panels.table(
        [_row(each) for each in choices],
        key="choices",
        alt=texts.OTHER_OPTIONS,
        **{
            texts.VALUE: st.column_config.TextColumn(width=200),
            texts.CHOSEN: st.column_config.TextColumn(width=60),
            texts.CHECKS: st.column_config.TextColumn(width=60),
            texts.CATCHES: st.column_config.TextColumn(help=texts.CATCHES_HELP, width=70),
        },
    )


def _row(choice: Mapping[str, Any]) -> dict[str, str]:
    catches = choice["catches"]
    return {
        texts.OPTION: texts.OPTIONS[choice["option"]][0],
        texts.VALUE: _value(choice["value"]),
        texts.CHOSEN: "✓" if choice["chosen"] else "",
        texts.CHECKS: ui_texts.count(choice["checks"]),
        texts.CATCHES: "" if catches is None else ui_texts.percent(catches),
        texts.WOULD_ALARM: texts.alarms([*choice["alarmed_on"]], choice["evaluated"]),
    }


def _value(value: Any) -> str:
    if value is None:
        return texts.DEFAULT
    return texts.OPTION_VALUES.get(value, value) if isinstance(value, str) else f"{value:g}"
