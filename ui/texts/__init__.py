"""All texts of the pages, in one place.

The package itself exports what all pages share: status labels, formatting and common texts. Each other module
contains the texts of one subject: constants for plain texts, functions for sentences with values."""

from treaty.ui.texts.common import *  # noqa: F403
from treaty.ui.texts.formatting import *  # noqa: F403
from treaty.ui.texts.status_labels import *  # noqa: F403
