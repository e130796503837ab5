"""Texts of sign-in, sign-out and first set-up."""

INTRO = "Review proposals, approve contracts and check verdicts."
ELSEWHERE = "Sign in with your organization"
PASSWORD = "Password"
PASSWORD_LENGTH = "At least 12 characters."
SIGN_OUT = "Sign out"
DECISIONS_KEPT = "Your decisions are saved."
BACK = "Back to the pages"
GO_ON = "Continue"
SIGNED_IN_AS = "Signed in as"
SIGN_IN_TO_SEE = "Sign in to see this page"
COME_BACK = "You will return to this page."

SET_UP = "Set up Treaty"
ONE_TIME_LINK = "This link works once. It creates the first administrator."
CREATE_ADMINISTRATOR = "Create administrator"
LINK_CUT = "This link is incomplete. Open the full link printed by treaty init."

WRONG = "Invalid name or password."
UNREACHABLE = "The registry is not responding. Check that the API is running, then try again."
FOREIGN_TITLE = "Request rejected"
FOREIGN = "This form was sent from another site. Open the page here and try again."
STRAY = "This sign-in was not started here, or it has expired. Start again."
DECLINED = "The identity provider did not sign you in."
TOO_LONG_TITLE = "Form too long"
TOO_LONG = "Shorten what you entered and try again."
UNUSABLE = "Some fields are invalid."
SIGNED_OUT_HERE = "Signed out in this browser"
SESSION_ENDS = "The registry is not responding, so the session itself ends when it expires."
NOT_FOUND = "Not found"

NO_PROVIDER = "No identity provider is configured. Sign in with a password."
CODE_REFUSED = "The identity provider rejected the code. Start again."
NOBODY_NAMED = "The identity provider did not return an identity. Its client needs the scope openid."
PROVIDER_SILENT = "The identity provider is not responding. Try again, or sign in with a password."
OTHER_ISSUER = "The issuer name of the identity provider differs from TREATY_OIDC_ISSUER."

WAITING_FOR_API = "waiting for the API"


def reference(named: str) -> str:
    return f"reference {named}"
