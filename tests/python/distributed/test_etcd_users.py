"""EtcdStore on clusters that ask who somebody is: users with passwords, and TLS."""

import base64
import shutil
import subprocess
import time

import opweave.distributed as dist
import pytest
from support import etcd


@pytest.fixture(name="cluster", scope="module")
def cluster_with_users():
    """The user `trainer` may do everything below /run, and `root` everything."""
    made = etcd.Cluster(1)
    ask = made.members[0].ask
    begin, end = (base64.b64encode(key).decode() for key in (b"/run", b"/ruo"))
    for user in ("root", "trainer"):
        ask("/v3/auth/user/add", {"name": user, "password": f"word of {user}"})
        ask("/v3/auth/role/add", {"name": user})
        ask("/v3/auth/user/grant", {"user": user, "role": user})
    permission = {"permType": "READWRITE", "key": begin, "range_end": end}
    ask("/v3/auth/role/grant", {"name": "trainer", "perm": permission})
    ask("/v3/auth/enable", {})
    yield made
    made.end()


def store(cluster, prefix="/run", user="trainer", password="word of trainer", timeout=20.0):
    return dist.EtcdStore(cluster.endpoints, prefix, timeout, user=user, password=password)


def test_who_knows_the_password_is_served(cluster):
    made = store(cluster)
    made.set("k", "v")
    assert made.get("k") == b"v"
    assert made.add("n", 2) == 2
    with pytest.raises(dist.DistStoreError, match="wait timeout after 10ms"):
        made.wait(["never"], 0.01)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"password": "guess"}, "authentication failed, invalid user ID or password$"),
        ({"password": None}, "authentication failed, invalid user ID or password$|not given"),
        ({"user": "nobody"}, "authentication failed, invalid user ID or password$"),
        ({"user": None, "password": None}, "it asks for a user, and none was given$"),
        ({"prefix": "/other"}, "permission denied$"),
    ],
)
def test_who_does_not_is_told_so(cluster, options, text):
    begun = time.monotonic()
    with pytest.raises(
        dist.DistStoreError, match=rf"'\): connect: http://127.*: .*({text})"
    ) as raised:
        store(cluster, **options)
    assert "word of" not in str(raised.value)
    assert "guess" not in str(raised.value)
    assert time.monotonic() - begun < 5


def test_a_cluster_without_users():
    with pytest.raises(dist.DistStoreError, match=r"authentication is not enabled$"):
        store(etcd.shared(), timeout=5.0)


def test_a_url_takes_the_user_from_the_environment(cluster, monkeypatch):
    url = f"etcd://{cluster.endpoints[0]}/run"
    with pytest.raises(dist.DistStoreError, match="none was given"):
        dist.rendezvous(url, 0, 1, timeout=5)
    monkeypatch.setenv("ETCDCTL_USER", "trainer:word of trainer")
    assert next(dist.rendezvous(url, 0, 1, timeout=5))[0].prefix == "/run"
    monkeypatch.setenv("ETCDCTL_USER", "trainer")
    monkeypatch.setenv("ETCDCTL_PASSWORD", "word of trainer")
    assert next(dist.rendezvous(url, 0, 1, timeout=5))[0].prefix == "/run"


def test_a_token_that_is_forgotten_is_asked_for_again(cluster):
    """Members keep tokens in memory: one that was started anew knows none."""
    made = store(cluster)
    before = made.add("m", 1)
    member = cluster.members[0]
    member.end()
    member.start(f"{member.name}={member.peer}", cluster.folder, {})
    assert made.add("m", 1) == before + 1
    made.set("k", "w")
    assert made.get("k") == b"w"


def certify(folder):
    """A certificate for this host that signs itself, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    return str(cert), str(key)


@pytest.fixture(name="secured", scope="module")
def cluster_with_tls(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    cert, key = certify(tmp_path_factory.mktemp("tls"))
    options = [f"--cert-file={cert}", f"--key-file={key}", f"--trusted-ca-file={cert}"]
    made = etcd.Cluster(1, scheme="https", more=[*options, "--client-cert-auth"])
    yield f"https://{made.endpoints[0]}", cert, key
    made.end()


def test_tls(secured):
    endpoint, cert, key = secured
    made = dist.EtcdStore(endpoint, "/run", 20.0, ca_cert=cert, cert=cert, cert_key=key)
    made.set("k", "v")
    assert made.get("k") == b"v"
    url = f"etcd://{endpoint[8:]}/run?protocol=https&cacert={cert}&cert={cert}&key={key}"
    assert next(dist.rendezvous(url, 0, 1, timeout=5))[0].get("k") == b"v"


def test_tls_errors(secured, tmp_path):
    endpoint, cert, key = secured
    with pytest.raises(
        dist.DistNetworkError, match=r"https://127.*: SSL certificate problem: self"
    ):
        dist.EtcdStore(endpoint, "/run", 5.0, cert=cert, cert_key=key)
    with pytest.raises(dist.DistNetworkError, match=r"https://127.*: .*certificate"):
        dist.EtcdStore(endpoint, "/run", 1.0, ca_cert=cert)
    missing = str(tmp_path / "none.pem")
    with pytest.raises(dist.DistNetworkError, match=r"https://127.*: .*none.pem"):
        dist.EtcdStore(endpoint, "/run", 5.0, ca_cert=missing, cert=cert, cert_key=key)
    with pytest.raises(dist.DistNetworkError, match=r"127.*: Empty reply from server"):
        dist.EtcdStore(endpoint.replace("https", "http"), "/run", 2.0)
