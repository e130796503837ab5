"""Every text that people read on the pages, in one place.

What all pages have in common is told as `words.X`: marks, how values are written, and common texts. What one subject
says stands in the module of its name: a constant for a plain text, a function for a sentence with values in it."""

from treaty.ui.texts.common import *  # noqa: F403
from treaty.ui.texts.formatting import *  # noqa: F403
from treaty.ui.texts.status_labels import *  # noqa: F403
