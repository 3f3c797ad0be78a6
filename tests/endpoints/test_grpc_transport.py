"""Over gRPC a model is asked as over REST, and what fails is told in the same way."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy as np
import pytest

import facetwise as fw
from facetwise.endpoints.faults import (
    Busy,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from facetwise.endpoints.protocols.v2_schema import message
from facetwise.endpoints.retry import Patience

QUICK = Patience(attempts=3, first_wait=0.001)
X = np.random.default_rng(0).normal(size=(6, 3))
Code = grpc.StatusCode


def model(X):
    """Two scores."""
    return np.column_stack([X.sum(axis=1), 1 / X[:, 0]])


class Service(grpc.GenericRpcHandler):
    """Answers by bytes or by typed contents, or fails by plan."""

    def __init__(self, raw=True, datatype="FP64", slots=()):
        self.raw, self.datatype, self.slots = raw, datatype, slots
        self.plan, self.asked, self.metadata = [], [], []

    def service(self, details):
        """The handler of a method."""
        self.metadata.append(dict(details.invocation_metadata))
        name = details.method.rpartition("/")[2]
        methods = {"ModelMetadata": self.described, "ModelInfer": self.inferred}
        return grpc.unary_unary_rpc_method_handler(methods[name])

    def described(self, body, context):
        """What the model takes."""
        answer = message("ModelMetadataResponse")()
        if message("ModelMetadataRequest").FromString(body).name != "m":
            context.abort(Code.NOT_FOUND, "no such model")
        for name, datatype, shape in self.slots:
            answer.inputs.add(name=name, datatype=datatype, shape=shape)
        return answer.SerializeToString()

    def inferred(self, body, context):
        """Scores."""
        request = message("ModelInferRequest").FromString(body)
        dtype = {"FP64": "<f8", "FP32": "<f4"}[request.inputs[0].datatype]
        x = np.frombuffer(request.raw_input_contents[0], dtype)
        x = x.reshape(request.inputs[0].shape)
        self.asked.append(x)
        if self.plan:
            context.abort(*self.plan.pop(0))
        scores = model(x.astype(float))
        answer = message("ModelInferResponse")()
        output = answer.outputs.add(
            name="p", datatype=self.datatype, shape=scores.shape
        )
        if self.raw:
            scores = scores.astype({"FP64": "<f8", "FP32": "<f4"}[self.datatype])
            answer.raw_output_contents.append(scores.tobytes())
        else:
            field = f"{self.datatype.lower()}_contents"
            getattr(output.contents, field).extend(scores.ravel().tolist())
        return answer.SerializeToString()


@contextlib.contextmanager
def served(service):
    """The address of the service while it runs."""
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads, handlers=[service])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"grpc://127.0.0.1:{port}/m"
        finally:
            server.stop(None).wait()


@pytest.mark.parametrize("raw", [True, False])
def test_both_encodings(raw):
    """Numbers come as bytes or as typed contents, with every bit of theirs."""
    with served(Service(raw)) as url:
        endpoint = fw.connect(url)
        np.testing.assert_array_equal(endpoint.scores(X), model(X))
        assert endpoint.name == f"v2-grpc {url}"


@pytest.mark.parametrize("raw", [True, False])
def test_numbers_of_32_bits(raw):
    """A model of 32 bits gets such numbers and answers such numbers."""
    service = Service(raw, "FP32", [("x", "FP32", [-1, 3])])
    with served(service) as url:
        scores = fw.connect(url).scores(X)
    assert service.asked[0].dtype == np.float32
    expected = model(X.astype(np.float32).astype(float)).astype(np.float32)
    np.testing.assert_array_equal(scores, expected.astype(float))


@pytest.mark.parametrize(
    ("code", "told", "kind"),
    [
        (Code.UNAUTHENTICATED, "who", Unusable),
        (Code.NOT_FOUND, "model", Unusable),
        (Code.UNIMPLEMENTED, "method", Unusable),
        (Code.RESOURCE_EXHAUSTED, "quota", Busy),
        (Code.UNAVAILABLE, "down", Unavailable),
        (Code.DEADLINE_EXCEEDED, "late", TimedOut),
        (Code.INVALID_ARGUMENT, "width", Refused),
        (Code.INTERNAL, "bug", Refused),
        (Code.UNKNOWN, "what", Refused),
    ],
)
def test_codes(code, told, kind):
    """Each code becomes its kind of fault, with what the service says."""
    service = Service()
    with served(service) as url:
        endpoint = fw.connect(url, patience=QUICK)
        service.plan = [(code, told)] * 50
        with pytest.raises(kind, match=f'{code.name}, "{told}"') as caught:
            endpoint.scores(X)
        assert type(caught.value) is kind


def test_too_large():
    """A message that is larger than the server takes is halved."""
    service = Service()
    with served(service) as url:
        endpoint = fw.connect(url, patience=QUICK, max_bytes=10**9)
        many = np.tile(X, (40_000, 1))  # 5.8 MB
        scores = endpoint.scores(many)
    np.testing.assert_array_equal(scores[:6], model(X))
    assert max(map(len, service.asked)) == 120_000


def test_one_row_too_large():
    """When there is nothing to halve, that is told."""
    service = Service()
    with served(service) as url:
        endpoint = fw.connect(url)
        for told in ["message larger than max (9 vs 4)", "Exceeds maximum size 4: 9"]:
            service.plan = [(Code.RESOURCE_EXHAUSTED, told)]
            with pytest.raises(Unusable, match="Not even one row") as caught:
                endpoint.scores(X[:1])
            assert isinstance(caught.value.__cause__, TooLarge)


def test_credentials(monkeypatch):
    """Tokens travel in the metadata, and are masked in what comes back."""
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret-token")
    service = Service()
    with served(service) as url:
        endpoint = fw.connect(url, token="env:TOKEN_OF_TEST")
        service.plan = [(Code.UNAUTHENTICATED, "s3cret-token is old")]
        with pytest.raises(Unusable, match=r"\*\*\* is old"):
            endpoint.scores(X)
    assert service.metadata[-1]["authorization"] == "Bearer s3cret-token"


def test_unreachable():
    """A port where nobody listens, and a name that is not there, are told."""
    with (
        served(Service()) as url,
        pytest.raises(Unusable, match=r"no such model.*Check name"),
    ):
        fw.connect(f"{url}x")
    with pytest.raises(Unusable, match="cannot be reached"):
        fw.connect(url)
