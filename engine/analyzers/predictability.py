"""Metric of how well one column can be predicted from others."""

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
    """Weighted F1, precision or recall of predicting the target from the inputs.

    Each class is weighted by its frequency. After Deequ (VLDB 2018, sections 3.2 and 5.1). The string forms of the
    inputs are split into tokens and hashed into 2^20 features; a missing input is a feature of its own, a number
    gives itself and a bin, a date or time gives its parts. Multinomial naive Bayes learns from all rows with a
    target and is evaluated on 4,096 distinct rows, each with all its copies, chosen by the hash of their content.
    Each of them is left out of the model that predicts it (a split by content would put all copies of a value on one
    side, and nothing would be learned about it). With `split_by`, a fifth of the rows is held out by the hash of
    these columns instead. Learned counts add up over partitions: the value does not depend on how rows are
    partitioned. The details have the measures of the 100 most frequent classes and the number of evaluated rows;
    there are no details if the target is classified.

    `logistic_regression` is trained by Spark on four fifths of the rows and needs `split_by`; its states cannot be
    merged, so every run reads all rows.

    1 means that every value follows from the inputs, or that there is only one value. Tokens that occur in no other
    row are ignored; a row without other tokens is assigned the most frequent class. No value for an empty table or a
    single row, if all targets are null, if no row is held out, or if no row matches `where`. More than 4 million
    pairs of class and feature are an error."""

    name = "predictability"
    unit = "share"
    scope = "dataset"
    value_template = "the weighted {measure} of predicting {target} from {inputs} is {value}"
    target: ColumnName = Field(description="the column to predict; its values are the classes")
    inputs: InputColumns
    measure: Measure = Field(default="f1", description="`f1`, `precision` or `recall`, weighted by class")
    split_by: Annotated[
        InputColumns | None,
        ArgumentRole.COLUMN,
        Field(description="columns whose hash decides which fifth of the rows is held out"),
    ] = None
    classifier: ClassifierName = Field(
        default="naive_bayes", description="the classifier; only `naive_bayes` has states that can be merged"
    )
    features = NaiveBayes("{target}", "{inputs}")
    confusion = ConfusionCounts("{target}", "{inputs}")
    present = CountComponent("{target}")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.target in self.inputs:
            raise ValueError("the target must not be one of the inputs")
        if self.classifier != "naive_bayes" and not self.split_by:
            raise ValueError(
                f"{self.classifier} needs split_by: the columns whose hash decides which rows are held out"
            )
        return self

    @property
    def phrase(self) -> str:
        """Return the metric in words: "predictability of brand from name, size as f1"."""
        words = [f"predictability of {self.target} from {', '.join(self.inputs)}", f"as {self.measure}"]
        words += [f"split by {', '.join(self.split_by)}"] if self.split_by else []
        words += [f"by {self.classifier}"] if self.classifier != "naive_bayes" else []
        return " ".join(words) + (f" where {self.where}" if self.where else "")

    def parts(self) -> Mapping[str, Component]:
        templates = ("{target}", "{inputs}", *(("{split_by}",) if self.split_by else ()))
        held_out_count = len(self.split_by or ())
        if self.classifier == "naive_bayes":
            return {
                "features": NaiveBayes(*templates, held_out_count=held_out_count),
                "present": self.components["present"],
            }
        confusion = ConfusionCounts(*templates, held_out_count=held_out_count, classifier=self.classifier)
        return {"confusion": confusion, "present": self.components["present"]}

    def _confusion_matrix(self, state: Any) -> ConfusionMatrix | None:
        if self.classifier != "naive_bayes":
            return confusion_matrix(state.confusion)
        if state.features is None:
            return None
        return state.features.held_out if self.split_by else state.features.left_out  # type: ignore[no-any-return]

    def value(self, state: Any) -> float | None:
        matrix = self._confusion_matrix(state)
        return matrix.quality(self.measure) if matrix else None

    def counted(self, state: Any) -> int:
        return int(state.present)

    def details(self, state: Any) -> Mapping[str, Any] | None:
        matrix = self._confusion_matrix(state)
        hidden = state.schema.names_along(self.target) in state.schema.classified
        return matrix.details() if matrix and not hidden else None
