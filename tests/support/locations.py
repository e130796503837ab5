"""Locations that the tests' services may read."""

from treaty.engine.core.locations.rules import AllowedLocation, LocationRules

# Everything that tests write contracts about; tests of the rules themselves name less.
EVERYWHERE = "/,s3://,gs://,hdfs://,abfs://,wasb://,dbfs://,viewfs://,adl://,oss://,cosn://"
ALL = LocationRules(tuple(map(AllowedLocation, EVERYWHERE.split(","))))


def everywhere(**settings: object) -> dict[str, object]:
    """The settings, with every location allowed unless they name some."""
    return {"locations": EVERYWHERE, **settings}
