"""Calls to AWS are signed as its documents say, by credentials that stay here."""

import hashlib
import hmac

import httpx
import pytest

import facetwise as fw
from facetwise.endpoints.aws import signer
from facetwise.endpoints.credentials import Credentials
from facetwise.endpoints.messages import Call
from facetwise.endpoints.transport import Http

HOST = "runtime.sagemaker.eu-west-1.amazonaws.com"
PATH = "/endpoints/m/invocations"
KEY, SECRET, SESSION = "AKIDEXAMPLE", "wJalrXUtnFEMI", "session/token+1="


@pytest.fixture
def aws(monkeypatch, tmp_path):
    """Credentials in the environment, and none elsewhere."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", SESSION)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def signature(request):
    """Signature Version 4 of a request, step by step as documented."""

    def keyed(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    headers = request.headers
    signed = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
    canonical = [request.method, request.url.path, ""]
    canonical += [f"{name}:{headers[name]}" for name in signed.split(";")]
    canonical += ["", signed, hashlib.sha256(request.content).hexdigest()]
    stamp = headers["x-amz-date"]
    scope = f"{stamp[:8]}/eu-west-1/sagemaker/aws4_request"
    digest = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = keyed(key, part)
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
    return scope, signed, keyed(key, text).hex()


def test_calls_are_signed(aws):
    """The signature is the one that an independent reading of the rules gives."""
    seen = []

    def answer(request):
        request.read()
        seen.append(request)
        return httpx.Response(200, content=b"0.5\n")

    http = Http(
        f"https://{HOST}",
        Credentials(),
        sign=signer(HOST),
        below=httpx.MockTransport(answer),
    )
    http.send(Call(PATH, b"1.0,2.0\n", "text/csv"))
    (request,) = seen
    scope, signed, expected = signature(request)
    assert {"host", "x-amz-date", "x-amz-security-token"} <= set(signed.split(";"))
    assert request.headers["authorization"] == (
        f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, "
        f"SignedHeaders={signed}, Signature={expected}"
    )
    assert request.headers["content-type"] == "text/csv"
    assert http.mask(f"it said {SESSION}") == "it said ***"


def test_which_hosts(aws):
    """Only the runtime's own hosts get a signature."""
    assert signer(HOST) is not None
    assert signer("runtime.sagemaker-fips.us-east-1.amazonaws.com") is not None
    for host in ["127.0.0.1", f"{HOST}.evil.example", "s3.amazonaws.com", f"x{HOST}"]:
        assert signer(host) is None


def test_connecting(aws):
    """An address of the runtime is known for what it is, and not asked."""
    endpoint = fw.connect(f"https://{HOST}{PATH}")
    assert endpoint.name == f"sagemaker https://{HOST}{PATH}"


def test_without_credentials(aws, monkeypatch):
    """When AWS's own tools would find none, that is told."""
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]:
        monkeypatch.delenv(name)
    with pytest.raises(fw.InputError, match="AWS_PROFILE"):
        fw.connect(f"https://{HOST}{PATH}")
