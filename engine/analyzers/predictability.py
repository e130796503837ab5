"""How well one column is predicted from others: whether values are right, as far as the other columns tell."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from treaty.engine.analyzers.arguments import ArgumentRole, ColumnName, InputColumns
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.components.base import Component, CountComponent
from treaty.engine.components.naive_bayes import NaiveBayes
from treaty.engine.components.prediction_quality import ConfusionMatrix, Measure, confusion_matrix
from treaty.engine.components.separate_statement import ConfusionCounts

ClassifierName = Literal["naive_bayes", "logistic_regression"]


class Predictability(Analyzer):
    """How well the target is predicted from the inputs: F1, precision or recall, weighted by how frequent classes are.

    After Deequ (VLDB 2018, sections 3.2 and 5.1). The inputs' string forms are cut into tokens and hashed into 2^20
    features; missing inputs are a feature of their own, numbers are themselves and a bin, dates and times their parts.
    Multinomial naive Bayes learns of all rows with a target and is judged on 4,096 distinct ones, each with all its
    copies, chosen by the hash of their content; every one is left out of what judges it (a split by content would put
    all copies of a value on one side, and nothing would be learned of it). With `split_by` a fifth of the rows is held
    out by the hash of these columns instead. Learned counts are added up over partitions: the same value however rows
    are cut. `details` has the measures of the 100 most frequent classes, and how many rows were judged; nothing where
    the target is classified.

    `logistic_regression` learns by Spark's own on four fifths of the rows and needs `split_by`; nothing of it can be
    added up, so all rows are read at each run.

    1 means that every value follows from the inputs, 1 too where there is but one value. Tokens that no other row has
    are left out; a row without others is taken for the most frequent class. No value for an empty table or one row, for
    nothing but null targets, where no row is held out, for a filter that admits no row. More than 4 million pairs of
    class and feature are refused."""

    name = "predictability"
    unit = "share"
    scope = "dataset"
    value_template = "the weighted {measure} of telling {target} from {inputs} is {value}"
    target: ColumnName = Field(description="the column that is predicted; its values are the classes")
    inputs: InputColumns
    measure: Measure = Field(default="f1", description="f1, precision or recall, each weighted by class")
    split_by: Annotated[
        InputColumns | None,
        ArgumentRole.COLUMN,
        Field(description="columns by whose hash a fifth of the rows is held out"),
    ] = None
    classifier: ClassifierName = Field(default="naive_bayes", description="what learns: naive_bayes can be added up")
    features = NaiveBayes("{target}", "{inputs}")
    confusion = ConfusionCounts("{target}", "{inputs}")
    present = CountComponent("{target}")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.target in self.inputs:
            raise ValueError("the target is not one of its inputs")
        if self.classifier != "naive_bayes" and not self.split_by:
            raise ValueError(f"{self.classifier} needs split_by: columns by whose hash rows are held out")
        return self

    @property
    def phrase(self) -> str:
        """The metric in words: 'predictability of brand from name, size'."""
        words = [f"predictability of {self.target} from {', '.join(self.inputs)}", f"as {self.measure}"]
        words += [f"split by {', '.join(self.split_by)}"] if self.split_by else []
        words += [f"by {self.classifier}"] if self.classifier != "naive_bayes" else []
        return " ".join(words) + (f" where {self.where}" if self.where else "")

    def parts(self) -> Mapping[str, Component]:
        templates = ("{target}", "{inputs}", *(("{split_by}",) if self.split_by else ()))
        held = len(self.split_by or ())
        if self.classifier == "naive_bayes":
            return {"features": NaiveBayes(*templates, held_out_count=held), "present": self.components["present"]}
        confusion = ConfusionCounts(*templates, held_out_count=held, classifier=self.classifier)
        return {"confusion": confusion, "present": self.components["present"]}

    def _confusion_matrix(self, state: Any) -> ConfusionMatrix | None:
        if self.classifier != "naive_bayes":
            return confusion_matrix(state.confusion)
        if state.features is None:
            return None
        return state.features.held_out if self.split_by else state.features.left_out  # type: ignore[no-any-return]

    def value(self, state: Any) -> float | None:
        found = self._confusion_matrix(state)
        return found.quality(self.measure) if found else None

    def counted(self, state: Any) -> int:
        return int(state.present)

    def details(self, state: Any) -> Mapping[str, Any] | None:
        found = self._confusion_matrix(state)
        hidden = state.schema.names_along(self.target) in state.schema.classified
        return found.details() if found and not hidden else None
