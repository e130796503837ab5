"""What whoever starts the pages is told: how to call them, and what is wrong with their settings."""

PROGRAM = "python -m ui"
PURPOSE = "Serve the pages of the registry."
HOST = "the address to listen on (default: %(default)s)"
PORT = "the port to listen on (default: %(default)s)"

ISSUER_MISSING = "TREATY_OIDC_CLIENT_ID needs TREATY_OIDC_ISSUER, the provider that knows the client"
API_URL = "TREATY_API_URL must begin with http:// or https://"
HOSTS = "TREATY_UI_HOSTS is a comma-separated list of host names, without scheme, port or '*'"
