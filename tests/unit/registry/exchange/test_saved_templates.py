"""Documents to start from."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.linting import lint

from treaty.contracts.document.reader import read
from treaty.contracts.document.yaml_syntax import parse
from treaty.contracts.errors import ContractError
from treaty.engine.checks.executors import checks_with_runners
from treaty.registry.cli.main import main
from treaty.registry.exchange.builtin_templates import DocumentTemplate, template, templates

WORDS = {
    "id": "shop-orders",
    "name": "Orders",
    "domain": "shop",
    "table": "orders",
    "location": "s3://lake/shop/orders",
}
NAMES = [each.name for each in templates()]


@pytest.fixture(autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("templates"))
    Path("taken.yaml").write_text("")


@pytest.mark.parametrize("each", templates(), ids=lambda each: each.name)
def test_a_filled_template_is_a_sound_contract(each: DocumentTemplate) -> None:
    source = each.filled(WORDS).encode()
    assert set(each.places) == WORDS.keys()
    assert lint(source) == []
    (table,) = read(source).objects
    assert table.physical_name == WORDS["location"]
    assert [check.reason for check in checks_with_runners(table) if check.reason and check.check.kind != "text"] == []
    assert each.about.endswith(".")


@pytest.mark.parametrize("each", templates(), ids=lambda each: each.name)
def test_a_template_that_is_not_filled_can_be_read_too(each: DocumentTemplate) -> None:
    assert read(each.text.encode()).id == "${id}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="ab1 ./:-@_#,'\"{}[]&*!|>%$\n\x85é", max_size=12), st.sampled_from(NAMES))
def test_no_word_changes_anything_but_its_place(word: str, name: str) -> None:
    each = template(name)
    before = parse(each.text.encode()).data
    with suppress(ContractError):
        after = parse(each.filled({"name": word}).encode()).data
        assert {**after, "name": before["name"]} == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("template list", 0, "events: Append-only events: one row per event"),
        ("template show events", 0, "id: ${id}"),
        ("template show events --set id=orders", 0, "id: orders"),
        ("template show event", 3, "did you mean 'events'?"),
        ("template show events --set idd=orders", 3, "did you mean 'id'?"),
        ("template show events --set id", 3, "Use --set id=VALUE"),
        ("template show events --set id={a}", 3, "template-word"),
        ("template show events -o taken.yaml", 3, "Cannot write taken.yaml: File exists"),
        ("template show events -o new.yaml", 0, ""),
    ],
)
def test_the_commands_end_with_their_code_and_words(
    arguments: str,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken.yaml").write_text("")
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    told = capsys.readouterr()
    assert (ended.value.code, said in (told.err if code else told.out)) == (code, True), told
