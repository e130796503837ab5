"""Texts of sign-in, sign-out and first set-up."""

INTRO = "Review drafts, approve contracts and read verdicts."
ELSEWHERE = "Sign in with your organisation"
PASSWORD = "Password"
PASSWORD_LENGTH = "At least 12 characters."
SIGN_OUT = "Sign out"
DECISIONS_KEPT = "Your decisions are kept."
BACK = "Back to the pages"
GO_ON = "Go to the pages"
SIGNED_IN_AS = "Signed in as"
SIGN_IN_TO_SEE = "Sign in to see this page"
COME_BACK = "You come back to exactly here."

SET_UP = "Set up Treaty"
ONE_TIME_LINK = "This link works once. It makes the first administrator."
CREATE_ADMINISTRATOR = "Create administrator"
LINK_CUT = "Open the whole link that `treaty init` printed."

WRONG = "The name or the password is not right."
UNREACHABLE = "The registry does not answer. Check that the API runs, then try again."
FOREIGN_TITLE = "Not from here"
FOREIGN = "This form was sent from another site. Open the page here and try again."
STRAY = "This is not the sign-in that was begun here, or it took too long. Begin again."
DECLINED = "The identity provider let nobody in."
TOO_LONG_TITLE = "Too much"
TOO_LONG = "The form was too long."
UNUSABLE = "That cannot be used as it is."
SIGNED_OUT_HERE = "Signed out here"
SESSION_ENDS = "The registry did not answer, so the session itself ends at its own time."
NOT_FOUND = "Not found"

NO_PROVIDER = "No identity provider is set. Sign in with a password."
CODE_REFUSED = "The identity provider did not take the code. Begin again."
NOBODY_NAMED = "The identity provider said nothing of who you are: its client needs the scope openid."
PROVIDER_SILENT = "The identity provider does not answer. Try again, or sign in with a password."
OTHER_ISSUER = "The identity provider calls itself by another name than TREATY_OIDC_ISSUER says."

WAITING_FOR_API = "waiting for the API"


def reference(named: str) -> str:
    return f"reference {named}"
