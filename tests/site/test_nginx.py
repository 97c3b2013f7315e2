"""A real nginx with TLS in front of a site below a path, as deploy/nginx describes it: people, files and programs."""

import datetime
import ipaddress
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from evaluations.access import api_keys
from evaluations.models import Scope
from tests import processes
from tests.site.test_below_path import ADDRESS, PASSWORD, Site

CONFIGURATION = processes.ROOT / "deploy" / "nginx" / "evalsite.conf"
ROWS = 20_000
AROUND = """
{user} daemon off; pid {folder}/nginx.pid; error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {server}
}}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed"),
]


def make_certificate(folder: Path) -> Path:
    """Write a certificate of 127.0.0.1 that signs itself, and its key; returns the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    lasting = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    certificate = lasting.add_extension(address, critical=False).sign(key, hashes.SHA256())
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return folder / "fullchain.pem"


@pytest.fixture
def site(alice, tmp_path) -> Iterator[Site]:
    # the site does not know the cheap hashes of tests
    alice.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1_000)
    alice.save()
    port, behind = processes.unused_port(), processes.unused_port()
    certificate = make_certificate(tmp_path)
    server = (
        CONFIGURATION.read_text().replace("443", str(port)).replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    )
    server = server.replace("/etc/letsencrypt/live/example.com", str(tmp_path))
    user = "user root;" if os.geteuid() == 0 else ""  # else another user, who cannot write here
    (tmp_path / "nginx.conf").write_text(AROUND.format(user=user, folder=tmp_path, server=server))
    variables = {
        "EVALSITE_DATA": str(tmp_path / "data"),
        "EVALSITE_URL": f"https://127.0.0.1:{port}/evals",
        "EVALSITE_TRUSTED_PROXIES": "1",
    }
    collect = [sys.executable, "-m", "evalsite", "collectstatic", "--noinput", "--verbosity", "0"]
    assert processes.Process(collect, tmp_path / "collect.log", **variables).wait(120) == 0
    web = processes.web(tmp_path / "web.log", behind, **variables)
    proxy = processes.Process(
        ["nginx", "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")],
        tmp_path / "nginx.log",
    )
    site = Site(port, key="")  # each test makes its own
    site.host = f"https://127.0.0.1:{port}"
    site.root = f"{site.host}/evals"
    site.browser.trust_env = False  # a bundle of this machine would count before the certificate
    site.browser.verify = str(certificate)
    processes.wait_until(lambda: answers(site), "nginx answers", 120)
    yield site
    proxy.end()
    web.end()


def answers(site: Site) -> bool:
    try:
        return site.get("/evals/healthz").status_code == 200
    except requests.ConnectionError:
        return False


def test_people_sign_in_and_stay_below_the_path_and_behind_tls(site):
    home = site.sign_in()

    assert (home.status_code, home.url.startswith(f"{site.root}/")) == (200, True)
    assert "max-age" in home.headers["Strict-Transport-Security"]
    cookies = list(site.browser.cookies)
    assert {cookie.path for cookie in cookies} <= {"/evals/", "/evals/signin/"}
    assert all(cookie.secure for cookie in cookies)
    addresses = [address for address in ADDRESS.findall(home.text) if address.startswith("/")]
    assert [address for address in addresses if not address.startswith("/evals/")] == []
    assert site.get("/evals").url == f"{site.root}/"


def test_a_file_goes_in_and_an_export_comes_out(site, project, alice):
    _, key = api_keys.create_key(project, alice, "ci", Scope.WRITE)
    site.browser.headers["Authorization"] = f"Bearer {key}"
    lines = "".join(f"{n},{'question ' * 20}{n},{n}\n" for n in range(ROWS))
    fields = {
        "name": "through nginx",
        "mapping": '{"key": "id", "inputs": ["question"], "reference": ["answer"]}',
    }

    sent = site.browser.post(
        f"{site.root}/api/v1/datasets/",
        fields,
        files={"file": ("rows.csv", "id,question,answer\n" + lines)},
        timeout=120,
    )

    assert sent.status_code == 202, sent.text
    assert sent.json()["status"] == "importing"
    listed = site.get("/evals/api/v1/datasets/?status=any&page_size=1").json()
    assert re.match(rf"{site.root}/|None", str(listed["next"]))
