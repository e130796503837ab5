"""What `datacontract lint` says about a document."""

import warnings


def lint(source: bytes) -> list[str]:
    """The reasons of every check of the lint that did not pass. Needs no network."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datacontract.data_contract import DataContract

        run = DataContract(data_contract_str=source.decode()).lint()
    found = [f"{check.result.value}: {check.reason}" for check in run.checks if check.result.value != "passed"]
    return found or ([] if run.result.value == "passed" else [run.result.value])
