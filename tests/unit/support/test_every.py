"""One test of many cases fails where one case does, and names all that fail."""

import pytest
from support.every import every


def test_all_cases_that_fail_are_named_and_those_that_hold_are_not() -> None:
    @every("number", range(5), ids=lambda each: f"case {each}")
    def even(number: int) -> None:
        assert number % 2 == 0, "it is odd"

    with pytest.raises(AssertionError) as caught:
        even()
    first, *others = [line for line in str(caught.value).splitlines() if "case" in line]
    assert first == "2 of 5 cases fail"
    assert [each.split(":")[0] for each in others] == ["case 1", "case 3"]
    assert "it is odd" in str(caught.value.__cause__)


def test_a_case_that_raises_nothing_where_it_should_fails() -> None:
    @every(("text", "number"), [("1", 1), ("x", 2)])
    def refused(text: str, number: int) -> None:
        with pytest.raises(ValueError, match=text):
            int(text)

    with pytest.raises(AssertionError, match=r"1 of 2 cases fail(?s:.)*\('1', 1\): Failed: DID NOT RAISE"):
        refused()


def test_a_list_without_cases_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="there is no case"):
        every("case", [])(lambda case: None)()


@every("number", [1, 2])
def test_the_other_arguments_are_fixtures(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert tmp_path_factory.getbasetemp().is_dir() is bool(number)
