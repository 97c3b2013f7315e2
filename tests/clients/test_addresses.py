"""Addresses that may be saved or connected to; a listener would notice a forbidden connection."""

import ipaddress
import re
import socket

import pytest

from evaluations.clients import Guard, OpenAIClient, ServiceError, check_url, outbound

METADATA = [
    "http://169.254.169.254/",
    "http://169.254.170.2/v2/credentials",
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://168.63.129.16/",
    "http://[fd00:ec2::254]/",
    "http://[fd20:ce::254]/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
]
LOCAL = [
    "http://127.0.0.1:6379/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://[::1]/",
    "http://[::]/",
    "http://0.0.0.0/",
    "http://0/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://10.1.2.3/",
    "http://172.31.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://192.0.0.8/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[::127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001:db8::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
]


def resolver(*addresses):
    """A scripted name server; counts the queries."""

    def resolve(host, port, **_):
        resolve.calls += 1
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    resolve.calls = 0
    return resolve


def refusal(url, guard=None):
    with pytest.raises(ServiceError) as refused_with:
        check_url(url, guard or Guard())
    assert refused_with.value.permanent
    return refused_with.value.code


@pytest.mark.parametrize("url", METADATA)
def test_metadata_addresses_are_refused_even_where_everything_is_listed(url):
    any_address = Guard(["0.0.0.0/0", "::/0", "metadata.google.internal"], resolver("8.8.8.8"))

    assert refusal(url, any_address) == "address_not_allowed"


@pytest.mark.parametrize("url", LOCAL)
def test_addresses_that_are_not_public_are_refused(url):
    assert refusal(url) == "address_not_allowed"


@pytest.mark.parametrize(
    "url", ["http://0177.0.0.1/", "http://①②⑦.0.0.1/", "http://127。0。0。1/", "http://1.2.3.4.5/"]
)
def test_spellings_of_addresses_that_nobody_needs_are_refused(url):
    assert refusal(url, Guard(resolver=resolver("127.0.0.1"))) in ("invalid_url", "address_not_allowed")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://x/",
        "ftp://x/",
        "javascript:alert(1)",
        "api.openai.com/v1",
        "",
        "//x",
        "https:x",
    ],
)
def test_other_schemes_are_refused(url):
    assert refusal(url) == "scheme"


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass@8.8.8.8/",
        "http://8.8.8.8#@evil/",
        "http://8.8.8.8/?@evil",
        "http://8.8.8.8\\@evil/",
        "http://8.8.8.8 /",
        "http://8.8.8.8/\r\nX-Evil: 1",
        "http://8.8.8.8/" + "a" * 10_000,
        "http:///v1",
        "http://8.8.8.8:99999/",
        "http://[::1/",
        "http://8.8.8%2e8/",
        "http://8.8.8.8:-1/",
        "http://8.8.8.8:0/",
        "http://8.8.8.8:/",
        "http://8.8.8.8:１２３/",
        "http://8.8.8.8:+80/",
        "http://.com/v1",
        "http://exa_mple..com/v1",
        "http://-example.com/v1",
        "http://a b.com/v1",
        "http://" + "a" * 64 + ".com/",
    ],
)
def test_urls_with_tricks_are_refused(url):
    assert refusal(url) == "invalid_url"


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://127.0.0.1:11434/v1", ["127.0.0.1"]),
        ("http://127.1:11434/v1", ["127.0.0.0/8"]),
        ("http://localhost:11434/v1", ["localhost"]),
        ("http://my_ollama:11434/v1", ["my_ollama"]),
        ("https://münchen.example./v1", ["xn--mnchen-3ya.example"]),
        ("http://localhost:11434/v1", ["LocalHost:11434"]),
        ("http://[::1]:11434/v1", ["[::1]:11434"]),
        ("http://10.1.2.3/v1", ["10.1.0.0/16"]),
        ("http://[::ffff:10.1.2.3]/v1", ["10.1.0.0/16"]),
        ("http://[64:ff9b::808:808]/v1", ["64:ff9b::/96"]),
        ("https://8.8.8.8/v1", []),
        ("https://[2606:4700::1111]/v1", []),
    ],
)
def test_public_addresses_and_those_the_operator_lists_may_be_saved(url, allowed):
    check_url(url, Guard(allowed, resolver("127.0.0.1")))


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://localhost:6379/", ["localhost:11434"]),
        ("http://127.0.0.1:6379/", ["localhost"]),
        ("http://10.2.0.1/", ["10.1.0.0/16"]),
        ("http://[64:ff9b::7f00:1]/", ["64:ff9b::/96"]),
    ],
)
def test_the_list_allows_only_its_entries(url, allowed):
    assert refusal(url, Guard(allowed, resolver("127.0.0.1"))) == "address_not_allowed"


@pytest.mark.parametrize("entry", ["10.0.0.0/99", "http://localhost", "a b", "localhost:port"])
def test_a_list_that_cannot_be_read_is_an_error_at_start(entry):
    with pytest.raises(ValueError, match="not a host"):
        Guard([entry])


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("http://localhost:11434/v1", "localhost:11434"),
        ("http://10.1.2.3/v1", "10.1.2.3:80"),
        ("https://[::1]/v1", "[::1]:443"),
    ],
)
def test_the_value_that_a_refusal_names_allows_the_address(url, entry):
    names = resolver("127.0.0.1")
    with pytest.raises(ServiceError, match=re.escape(f"adds {entry} to EVALSITE_PROVIDER_ALLOWED_HOSTS")):
        check_url(url, Guard(resolver=names))

    check_url(url, Guard([entry], names))


def test_no_setting_is_named_for_an_address_of_cloud_metadata():
    with pytest.raises(ServiceError) as refused_with:
        check_url("http://169.254.169.254/", Guard())

    assert "EVALSITE" not in refused_with.value.message


def test_every_address_of_a_name_must_be_allowed():
    assert (
        refusal("http://two.example/", Guard(resolver=resolver("8.8.8.8", "127.0.0.1")))
        == "address_not_allowed"
    )


def test_a_name_that_cannot_be_resolved_now_may_be_saved():
    def nowhere(*_, **__):
        raise socket.gaierror("not known")

    check_url("https://api.example/v1", Guard(resolver=nowhere))


def test_a_resolver_that_hangs_ends_in_time(serve):
    stub = serve()

    def hangs(*_, **__):
        stub.closing.wait(30)
        return []

    with pytest.raises(ServiceError) as refused_with:
        Guard(resolver=hangs).addresses("slow.example", 80, seconds=0.05)

    assert refused_with.value.code == "unreachable"


def test_the_address_that_was_checked_is_the_one_connected_to(serve):
    """A name that rebinds: the second answer, which would lead elsewhere, is never asked for."""
    stub, names = serve(), resolver("127.0.0.1")
    http = outbound.client(Guard(["rebinds.example"], names))

    answer = http.get(f"http://rebinds.example:{stub.port}/v1/models", timeout=5)

    assert answer.status_code == 200
    assert names.calls == 1
    http.close()


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda client: client.embed("m", ["text"]).errors[0].code, "address_not_allowed"),
        (lambda client: client.probe("m").code, "no_answer"),
    ],
    ids=["embed", "probe"],
)
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "two.example",
    ],
)
def test_a_listener_at_a_forbidden_address_sees_no_connection(host, ask, code):
    names = resolver("8.8.8.8", "127.0.0.1") if host == "two.example" else socket.getaddrinfo
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        client = OpenAIClient(f"http://{host}:{listener.getsockname()[1]}/v1", "k", Guard(resolver=names))

        assert ask(client) == code

        client.close()
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_allowing_follows_the_host_of_the_url():
    guard = Guard(["ollama"])

    assert guard.allows(ipaddress.ip_address("172.18.0.5"), "ollama", 11434)
    assert not guard.allows(ipaddress.ip_address("172.18.0.5"), "other", 11434)
