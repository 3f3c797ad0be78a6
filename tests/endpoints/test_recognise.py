"""What a server speaks is seen from its address, or it says so."""

import json

import pytest

from facetwise.endpoints.faults import Unusable
from facetwise.endpoints.messages import Reply
from facetwise.endpoints.recognise import (
    Server,
    known_limit,
    of_path,
    recognised,
    slots,
    v1_model,
    v2_inputs,
    v2_model,
)
from facetwise.errors import InputError


class Pages:
    """A server that has some pages."""

    origin = "http://host"

    def __init__(self, **pages):
        self.pages = {
            f"/{path.replace('__', '/')}": page for path, page in pages.items()
        }
        self.asked = []

    def mask(self, text):
        """There is nothing to mask."""
        return text

    def send(self, call):
        """The page, or 404."""
        self.asked.append(call.path)
        if call.path not in self.pages:
            return Reply(404, {}, b"<html>Not found</html>")
        page = self.pages[call.path]
        return Reply(
            200, {}, page if isinstance(page, bytes) else json.dumps(page).encode()
        )


V2 = {"name": "mlserver", "version": "1.7.1", "extensions": []}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v2/models/m", "v2"),
        ("/serving/v2/models/m/versions/3", "v2"),
        ("/v2/models/m/infer", "v2"),
        ("/v1/models/m", "v1"),
        ("/v1/models/m:predict", "v1"),
        ("/v1/projects/p/locations/l/endpoints/7:predict", "v1"),
        ("/endpoints/m/invocations", "sagemaker"),
        ("/serving-endpoints/m/invocations", "mlflow"),
        ("/invocations", "mlflow"),
        ("/score", "azure"),
        ("/seldon/space/m/api/v1.0/predictions", "seldon"),
        ("", None),
        ("/", None),
        ("/predict", None),
        ("/v2", None),
    ],
)
def test_paths(path, name):
    """A path that only one protocol has names it, without a question."""
    assert of_path(path) == name


@pytest.mark.parametrize(
    ("pages", "name"),
    [
        ({"v2": V2}, "v2"),
        ({"v1__models": {"models": ["m"]}}, "v1"),
        ({"version": b"3.17.2\n"}, "mlflow"),
        ({"v2": V2, "version": b"3.17.2"}, "v2"),
    ],
)
def test_servers_say_what_they_speak(pages, name):
    """At its root a server is asked about itself."""
    assert recognised(Server(Pages(**pages), "")) == name


@pytest.mark.parametrize(
    "pages",
    [
        {},
        {"v2": {"hello": "world"}},
        {"v2": [1]},
        {"version": b"<html>1.2 is out</html>"},
        {"v1__models": {"models": []}},
    ],
)
def test_servers_that_do_not_say(pages):
    """What is not said is not guessed."""
    with pytest.raises(Unusable, match="name the protocol"):
        recognised(Server(Pages(**pages), ""))


def test_the_only_model_is_taken():
    """Without a name the only model is meant; of several, one has to be named."""
    one = Pages(v2__repository__index=[{"name": "m", "version": "1"}])
    assert v2_model(Server(one, ""), None) == "/v2/models/m"
    assert v2_model(Server(one, "/v2"), None) == "/v2/models/m"
    two = Pages(v2__repository__index=[{"name": "m"}, {"name": "k"}])
    assert v2_model(Server(two, "/base"), "k") == "/base/v2/models/k"
    with pytest.raises(Unusable, match=r"models k, m\. Name one"):
        v2_model(Server(two, ""), None)
    with pytest.raises(Unusable, match="no list of models"):
        v2_model(Server(Pages(), ""), None)
    v1 = Pages(v1__models={"models": ["m"]})
    assert v1_model(Server(v1, ""), None) == "/v1/models/m:predict"
    assert v1_model(Server(v1, "/v1/models/x"), None) == "/v1/models/x:predict"
    assert v1_model(Server(v1, "/v1/models/x:predict"), None) == "/v1/models/x:predict"


def test_a_model_is_named_once():
    """A name beside an address that has one is refused, and not ignored."""
    server = Server(Pages(), "/v2/models/m")
    with pytest.raises(InputError, match="names a model already"):
        v2_model(server, "k")
    for path in ["/v1/models/m", "/v1/models/m:predict"]:
        with pytest.raises(InputError, match="names a model already"):
            v1_model(Server(Pages(), path), "k")


def test_a_wrong_name_is_told_with_the_right_ones():
    """A model that is not there is told with those that are."""
    server = Server(Pages(v2__repository__index=[{"name": "credit"}]), "")
    with pytest.raises(Unusable, match=r"no model at .*/v2/models/m.*has: credit"):
        v2_inputs(server, "/v2/models/m")


@pytest.mark.parametrize(
    "described",
    [
        {"a": 1},
        [1],
        [{"name": "x"}],
        [{"name": "x", "datatype": "FP32", "shape": "a"}],
        5,
    ],
)
def test_inputs_that_are_none(described):
    """Metadata of another form ends with a sentence."""
    with pytest.raises(Unusable, match="describes its inputs"):
        slots(described)


@pytest.mark.parametrize("described", [None, []])
def test_inputs_that_are_not_described(described):
    """A model may say nothing of its inputs."""
    assert slots(described) == ()


def test_limits_of_hosts():
    """Hosts of known services have known limits, and no other host has."""
    assert known_limit("adb-1.azuredatabricks.net") == 16_000_000
    assert known_limit("azuredatabricks.net.evil.example") is None
    assert known_limit("127.0.0.1") is None
