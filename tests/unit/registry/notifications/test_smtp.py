"""Mails: to which server, encrypted as its URL says and never less."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from support.receivers import post_office, unused

from treaty.engine.core import clock
from treaty.registry.notifications.transport import smtp
from treaty.registry.notifications.transport.smtp import Mail, MailRejected, MailServer, server

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAIL = Mail(
    to="ada@shop.example", subject="[Treaty] it broke", text="It broke: ümlaut.\n.\nlast line", key="msg_1", sent_at=NOW
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine that nobody else believes, with its key, in one file."""
    key, now = ec.generate_private_key(ec.SECP256R1()), clock.now()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    built = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    built = built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = built.add_extension(here, critical=False).sign(key, hashes.SHA256())
    form, pem = serialization.PrivateFormat.PKCS8, serialization.Encoding.PEM
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    path.write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()) + made.public_bytes(pem))
    return path


def encrypting(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def to(url: str, scheme: str = "smtp", user: str | None = None) -> MailServer:
    found = server(url)
    return MailServer(scheme=scheme, host=found.host, port=found.port, user=user, password="word" if user else None)


def test_what_is_sent_arrives_with_its_identity() -> None:
    with post_office() as office:
        smtp.send(MAIL, by=to(office.url), sender="treaty@shop.example")
    ((_, _, text),) = office.mails
    assert "Message-ID: <msg_1@treaty>" in text
    assert "Auto-Submitted: auto-generated" in text


def test_with_starttls_neither_password_nor_mail_is_sent_before_encryption(certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    with post_office(encrypting(certificate)) as office:
        smtp.send(MAIL, by=to(office.url, "smtp+starttls", "ada"), sender="t@shop.example", context=trusting)
    assert (office.plain, len(office.mails)) == (["EHLO", "STARTTLS"], 1)


def test_a_server_that_cannot_encrypt_gets_nothing_where_encryption_is_asked_for() -> None:
    with post_office() as office, pytest.raises(MailRejected):
        smtp.send(MAIL, by=to(office.url, "smtp+starttls", "ada"), sender="t@shop.example")
    assert office.mails == []
    assert "AUTH" not in office.plain


def test_a_server_whose_certificate_nobody_believes_gets_nothing(certificate: Path) -> None:
    with post_office(encrypting(certificate)) as office, pytest.raises(MailRejected) as refused:
        smtp.send(MAIL, by=to(office.url, "smtp+starttls", "ada"), sender="t@shop.example")
    assert office.mails == []
    assert not refused.value.for_good


def test_a_server_that_is_away_may_come_back() -> None:
    with pytest.raises(MailRejected) as missed:
        smtp.send(MAIL, by=to(unused().replace("http", "smtp")), sender="t@shop.example")
    assert not missed.value.for_good


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("smtp://mail.example", MailServer(scheme="smtp", host="mail.example", port=25)),
        ("smtps://mail.example", MailServer(scheme="smtps", host="mail.example", port=465)),
        (
            "smtp+starttls://a%40b:p%2Fw@mail.example:99",
            MailServer(scheme="smtp+starttls", host="mail.example", port=99, user="a@b", password="p/w"),
        ),
    ],
)
def test_the_url_says_which_server(url: str, found: MailServer) -> None:
    assert server(url) == found


@pytest.mark.parametrize("url", ["mail.example", "http://mail.example", "smtp://", "smtp://u:s3cret@x:999999"])
def test_a_url_of_no_mail_server_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(MailRejected, match="TREATY_SMTP_URL is invalid") as refused:
        server(url)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("ada@shop.example", True),
        ("ada+x.y@shop.example", True),
        ("", False),
        ("ada", False),
        ("@shop.example", False),
        ("ada@", False),
        ("ada@shop.example,eve@evil.example", False),
        ("ada@shop.example\nBcc: eve@evil.example", False),
        ("Ada <ada@shop.example>", False),
        ("ada @shop.example", False),
        ('"a b"@shop.example', False),
    ],
)
def test_an_address_is_one_plain_address(text: str, *, good: bool) -> None:
    assert smtp.is_address(text) is good
