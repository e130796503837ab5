"""Send mail through the SMTP server of the settings."""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from urllib.parse import unquote, urlsplit

from treaty.registry.core.errors import RegistryError

SECONDS = 10.0
PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
FORM = "use smtp+starttls://USER:PASSWORD@HOST:PORT, smtps://... or smtp://..., with special characters as %XX"
# SMTP replies below this are temporary errors; others are permanent.
FOR_GOOD = 500


class MailRejected(RegistryError):
    """The mail server did not accept the message. `for_good`: a retry would fail too."""

    def __init__(self, message: str, *, for_good: bool = False) -> None:
        self.for_good = for_good
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class MailServer:
    """An SMTP server. `scheme`: `smtp+starttls`, `smtps`, or `smtp` without encryption."""

    scheme: str
    host: str
    port: int
    user: str | None = None
    password: str | None = None


@dataclass(frozen=True, kw_only=True)
class Mail:
    """A text mail to one address. `key`: identity, which is the same if the mail is sent again."""

    to: str
    subject: str
    text: str
    key: str
    sent_at: datetime


def server(url: str) -> MailServer:
    """Parse the URL of a mail server. Raises MailRejected, without quoting the URL, if it is invalid."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise MailRejected(f"TREATY_SMTP_URL is invalid: {FORM}") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise MailRejected(f"TREATY_SMTP_URL is invalid: {FORM}")
    user, password = (unquote(each) if each else None for each in (parts.username, parts.password))
    return MailServer(
        scheme=parts.scheme, host=parts.hostname, port=port or PORTS[parts.scheme], user=user, password=password
    )


def is_address(text: str) -> bool:
    """Return whether the text is a single mail address."""
    name, _, domain = text.rpartition("@")
    plain = text.isascii() and text.isprintable() and not any(each in text for each in ' ,;<>"()\\')
    return bool(name and domain) and plain and parseaddr(text)[1] == text


def send(mail: Mail, *, by: MailServer, sender: str, context: ssl.SSLContext | None = None) -> None:
    """Send the mail. Raises MailRejected.

    `context`: TLS context with trusted certificates; None means those of the system."""
    trusted = context or ssl.create_default_context()
    try:
        with _connected(by, trusted) as connection:
            if by.scheme == "smtp+starttls":
                connection.starttls(context=trusted)
            if by.user is not None:
                connection.login(by.user, by.password or "")
            connection.send_message(_message(mail, sender))
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise MailRejected("the mail server rejected the address", for_good=min(codes) >= FOR_GOOD) from None
    except smtplib.SMTPResponseException as error:
        raise MailRejected(
            f"the mail server responded with status {error.smtp_code}", for_good=_is_refusal(error)
        ) from None
    except (smtplib.SMTPException, OSError) as error:
        raise MailRejected(f"the mail server is unavailable: {type(error).__name__}") from None


def _is_refusal(error: smtplib.SMTPResponseException) -> bool:
    """Return whether the server rejects the message for good. A wrong password is a fault of the settings."""
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= FOR_GOOD


@contextmanager
def _connected(to: MailServer, context: ssl.SSLContext) -> Iterator[smtplib.SMTP]:
    """Open a connection and close it with QUIT. Errors of QUIT are ignored: the mail has been accepted."""
    if to.scheme == "smtps":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(to.host, to.port, timeout=SECONDS, context=context)
    else:
        connection = smtplib.SMTP(to.host, to.port, timeout=SECONDS)
    try:
        yield connection
    finally:
        with suppress(smtplib.SMTPException, OSError):
            connection.quit()
        connection.close()


def _message(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, mail.to, mail.subject
    message["Date"], message["Message-ID"] = format_datetime(mail.sent_at), f"<{mail.key}@treaty>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    return message
