"""Quote names and texts for Spark SQL."""

import re

# Characters that are invisible or can disguise a text: controls, direction marks, lone surrogates.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(name: str) -> str:
    """Return the name as a quoted Spark identifier."""
    return "`" + name.replace("`", "``") + "`"


def quote_path(path: str) -> str:
    """Return a dotted column path with each part quoted; a part in backticks may contain dots."""
    parts = re.findall(r"`((?:[^`]|``)*)`|([^.`]+)", path)
    return ".".join(quote(quoted.replace("``", "`") or plain) for quoted, plain in parts)


def literal(value: str) -> str:
    """Return the text as a Spark SQL string literal; `${` is escaped against variable substitution."""
    text = "".join(_ESCAPED.get(each, each) for each in value).replace("${", "$\\{")
    return "'" + UNSEEN.sub(_numbered, text) + "'"


def _numbered(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"
