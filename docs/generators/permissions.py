"""List the permission that each route of the API requires."""

from treaty.registry.core.enums import Permission

# Routes that are not listed require `contracts:read`.
REQUIRED: dict[Permission, str] = {
    Permission.LINEAGE: "receive receive_batch retry_event",
    Permission.USERS: "list_users create_user change_user create_team remove_team list_grants give_grant revoke_grant"
    " list_messages retry_message list_locations add_location remove_location"
    " train_key_model use_key_model get_key_model list_catalog_kinds list_catalogs add_catalog get_catalog"
    " change_catalog remove_catalog test_catalog read_catalog list_catalog_tables",
    Permission.TOKENS: "list_tokens issue_token rotate_token revoke_token set_member remove_member list_channels"
    " add_channel remove_channel send_test_message",
    Permission.AUDIT: "list_audit check_audit get_head export_audit",
    Permission.SAMPLES: "list_samples",
    Permission.PROPOSE: "propose edit add_comment decide decide_several submit withdraw_change_request withdraw"
    " import_text request_contract request_replay",
    Permission.DECIDE: "approve reject request_changes assign promote_check save_template remove_template"
    " close_request deprecate retire",
    Permission.SUBSCRIBE: "subscribe change_subscription end_subscription add_check copy_check change_check end_check"
    " answer confirm_inferred_consumer dismiss_inferred_consumer",
    Permission.INCIDENTS: "give_feedback acknowledge_incident assign_incident snooze_incident resolve_incident"
    " reopen_incident",
    Permission.DRAFT: "request_draft retry_task stop_task learn_patterns",
    Permission.STATES: "get_gated_dataset swap_generation get_generation get_bag store_bag recover_publication",
    Permission.ERASE: "erase_states",
}
NO_TOKEN = "get_health get_readiness complete_setup sign_in sign_in_with_oidc contract_facet"
ANY_TOKEN = "sign_out get_me list_teams"
BY_OPERATION = {name: permission for permission, names in REQUIRED.items() for name in names.split()}


def required(operation: str) -> Permission | None:
    """Return the permission that a route requires; None if it requires none."""
    if operation in {*NO_TOKEN.split(), *ANY_TOKEN.split()}:
        return None
    return BY_OPERATION.get(operation, Permission.READ)


def sentence(operation: str) -> str:
    """Return the access that a route requires, as a sentence."""
    if operation in NO_TOKEN.split():
        return "No token is required."
    permission = required(operation)
    return f"Requires the permission `{permission}`." if permission else "Any valid token is sufficient."
