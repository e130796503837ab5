"""Generate the page of settings, grouped by subject."""

from collections.abc import Iterator
from typing import Any

from annotated_types import Ge, Gt, Le, Lt

from docs.generators.markdown import code, phrase, table
from treaty.registry.core.settings import PREFIX, RegistrySettings

SUBJECTS = {
    "Storage": (
        "home", "database_url", "state_url", "pattern_index_url", "key_model_url", "hash_key_file", "audit_key_file",
        "audit_key_text",
    ),
    "API and pages": (
        "host", "api_port", "api_processes", "ui_port", "api_url", "public_url", "trusted_proxies", "token",
        "max_body_bytes", "max_generation_bytes", "max_state_bytes", "shutdown_timeout_seconds",
    ),
    "Spark and validation": (
        "locations", "spark_remote", "spark_master", "spark_memory", "spark_environment",
        "engine_memory", "engine_timeout_seconds",
        "read_batch_partitions", "spark_merge_threshold", "replay_timeout_seconds", "plugins",
    ),
    "Worker and queue": (
        "lease_seconds", "heartbeat_seconds", "event_timeout_seconds", "task_timeout_seconds", "job_timeout_seconds",
        "poll_seconds", "redraft_hour", "redraft_sample_rows",
    ),
    "Retention and samples": (
        "sample_rows", "sample_retention_days", "state_retention_days", "compaction_delay_days",
        "event_retention_days",
    ),
    "Lineage events": (
        "max_event_bytes", "max_batch_events", "intake_limit_events", "trigger_max_age_days", "openlineage_url",
        "openlineage_key", "openlineage_config", "openlineage_dataset_facets",
    ),
    "Sign-in": (
        "session_lifetime_hours", "setup_link_lifetime_hours",
        "sign_in_attempts_per_name_and_address", "sign_in_attempts_per_address", "sign_in_window_minutes",
    ),
    "Single sign-on": (
        "oidc_issuer", "oidc_audience", "oidc_keys_url", "oidc_algorithms", "oidc_user_claim", "oidc_groups_claim",
        "oidc_teams", "oidc_create_users", "oidc_leeway_seconds", "oidc_keys_cache_minutes",
    ),
    "Notifications": ("smtp_url", "mail_from", "webhook_allowed_hosts"),
    "Metadata catalogs": ("catalog_secrets",),
    "Logs and metrics": ("log_format", "worker_metrics_port", "metrics_public"),
}  # fmt: skip
# The process of the pages reads these itself.
OF_THE_PAGES = {
    "API and pages": {"UI_HOSTS": "Additional host names of the pages, comma-separated"},
    "Single sign-on": {
        "OIDC_CLIENT_ID": "Client id of the pages at the identity provider; empty disables single sign-on in the pages",
        "OIDC_CLIENT_SECRET": "Client secret of the pages at the identity provider",
    },
}
UNITS = ("seconds", "minutes", "hours", "days", "bytes", "rows", "partitions", "events")
HOUR_OF_DAY = "redraft_hour"
MIB, THOUSAND = 1024 * 1024, 10_000
INTRODUCTION = """
Set these environment variables to configure Treaty. Each process reads them once, when it starts. If a value is
invalid, the process stops and names the variable.

`treaty` commands with an option for the same purpose use the variable as the option's default. Secrets are never
printed or logged. See [Deploy Treaty](../how-to/deploy.md) for the settings that a deployment needs.
"""


def page() -> Iterator[str]:
    """Generate the page."""
    yield "# Settings"
    yield INTRODUCTION
    if missing := set(RegistrySettings.model_fields) - {name for names in SUBJECTS.values() for name in names}:
        raise ValueError(f"add these settings to a subject in docs/generators/settings.py: {sorted(missing)}")
    for subject, names in SUBJECTS.items():
        yield f"## {subject}\n"
        rows = [_row(name) for name in names]
        rows += [(code(PREFIX + name), text, "", "", "") for name, text in OF_THE_PAGES.get(subject, {}).items()]
        yield from table(("Variable", "Meaning", "Default", "Unit", "Permitted"), rows)


def _row(name: str) -> tuple[str, ...]:
    field = RegistrySettings.model_fields[name]
    return (
        code(PREFIX + name.upper()),
        phrase(field.description or ""),
        _default(field.default),
        _unit(name),
        _range(field),
    )


def _default(value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, int) and value % MIB == 0 and value:
        return f"`{value}` ({value // MIB} MiB)"
    return f"`{value}` ({value:,})" if isinstance(value, int) and value >= THOUSAND else code(value)


def _unit(name: str) -> str:
    return next((unit for unit in UNITS if name.endswith(f"_{unit}")), "")


def _range(field: Any) -> str:
    """Return the permitted values: a range, a list of values, or "" for any."""
    bounds = {type(each): each for each in field.metadata}
    words = []
    if Ge in bounds and Le in bounds:
        words.append(f"{bounds[Ge].ge} to {bounds[Le].le}")
    elif Ge in bounds:
        words.append(f"at least {bounds[Ge].ge}")
    elif Gt in bounds:
        words.append(f"more than {bounds[Gt].gt}")
    if Lt in bounds:
        words.append(f"less than {bounds[Lt].lt}")
    if values := getattr(field.annotation, "__args__", None):
        words += [", ".join(code(each) for each in values if isinstance(each, str))]
    if field.annotation is bool:
        words.append("`true`, `false`")
    return " ".join(filter(None, words))
