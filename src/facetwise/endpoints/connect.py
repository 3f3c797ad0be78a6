"""The door to services: an address and a protocol become an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

from facetwise.endpoints.aws import signer
from facetwise.endpoints.credentials import Credentials, Source, credentials, mask
from facetwise.endpoints.faults import bare
from facetwise.endpoints.grpc_transport import Grpc
from facetwise.endpoints.protocols import sagemaker, v2_grpc
from facetwise.endpoints.protocols.azure import Azure
from facetwise.endpoints.protocols.mlflow import MLflow
from facetwise.endpoints.protocols.protocol import Protocol
from facetwise.endpoints.protocols.seldon import Seldon
from facetwise.endpoints.protocols.template import Csv, Template
from facetwise.endpoints.protocols.v1 import V1
from facetwise.endpoints.protocols.v2 import V2
from facetwise.endpoints.recognise import (
    Server,
    known_limit,
    recognised,
    v1_model,
    v2_inputs,
    v2_model,
)
from facetwise.endpoints.retry import Patience, Retry
from facetwise.endpoints.service import Service
from facetwise.endpoints.transport import TIMEOUT, Http
from facetwise.errors import EndpointError, InputError

SCHEMES = ("http", "https", "grpc", "grpcs")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user says about the model, beside its address."""

    model: str | None
    output: str | None
    request: Any
    scores: str | None
    largest: int | None


def connect(
    url: str,
    protocol: str = "auto",
    *,
    model: str | None = None,
    output: str | None = None,
    request: Any = None,
    scores: str | None = None,
    token: Source | None = None,
    headers: Mapping[str, Source] | None = None,
    ca: str | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int | None = None,
    patience: Patience | None = None,
) -> Retry:
    """Connect to a model behind an API; what comes back can be explained.

    Nothing is asked but what the service says about itself. Its `name` tells which
    protocol was taken.

    Parameters
    ----------
    url
        The address of the model, or of a server that has one.
    protocol
        "auto" recognises v2, v1, mlflow, and from the path sagemaker, azure and seldon;
        "json" and "csv" are described by `request` and `scores`. `grpc://` speaks v2.
    model
        Its name, where the server has several.
    output
        The output that holds the scores, where a model of v2 has several.
    request
        For "json", the question, with "$rows" where the rows are to stand.
    scores
        For "json" and "csv", a JMESPath to the scores in the answer.
    token
        A bearer token, by where it is kept: "env:NAME", "file:PATH" or a function.
    headers
        Further headers; values that are secret are named as tokens are.
    ca
        A file of certificates to trust instead of the system's.
    timeout
        Seconds for a whole answer.
    max_bytes
        The largest question that the service takes, if you know it. It is found
        otherwise, at the price of some refused calls.
    patience
        How long to go on when the service is busy or answers get lost.
    """
    address, secrets = credentials(url, token, headers)
    url = address  # whatever shows what this function holds shows no secret
    parts = urlsplit(address)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise InputError(
            f"Expected an address such as http://127.0.0.1:8080/v2/models/NAME; got "
            f"{mask(address)!r}."
        )
    transport = _transport(parts, secrets, timeout, ca)
    limit = max_bytes or known_limit(parts.hostname)
    wish = Wish(model, output, request, scores, limit)
    try:
        spoken = _spoken(protocol, Server(transport, parts.path.rstrip("/")), wish)
    except EndpointError as fault:
        told = bare(fault, transport.mask)
    else:
        return Retry(Service(spoken, transport), patience=patience or Patience())
    raise told


def _spoken(protocol: str, server: Server, wish: Wish) -> Protocol:
    """The protocol of that name, or the one that the server speaks, for this model."""
    if isinstance(server.transport, Grpc):
        protocol = "v2-grpc"  # no other is spoken there
    name = recognised(server) if protocol == "auto" else protocol
    if name not in PROTOCOLS:
        known = ", ".join(["auto", *PROTOCOLS])
        raise InputError(f"protocol must be one of {known}; got {name!r}.")
    kind = PROTOCOLS[name]
    _check_used(name, wish)
    return kind.speak(server, replace(wish, largest=wish.largest or kind.largest))


def _transport(
    parts: SplitResult, secrets: Credentials, timeout: float, ca: str | None
) -> Http | Grpc:
    origin = f"{parts.scheme}://{parts.netloc}"
    if parts.scheme in ("grpc", "grpcs"):
        return Grpc(origin, secrets, timeout=timeout, ca=ca)
    sign = signer(parts.hostname or "")
    return Http(origin, secrets, timeout=timeout, ca=ca, sign=sign)


def _check_used(protocol: str, wish: Wish) -> None:
    """Nothing is passed that the protocol has no use for."""
    uses = ("largest", *PROTOCOLS[protocol].uses)
    for field in fields(wish):
        if getattr(wish, field.name) is not None and field.name not in uses:
            raise InputError(
                f"{field.name}= has no meaning for the protocol {protocol}; it takes "
                f"{', '.join(uses[1:]) or 'none of these'}. Name the protocol meant."
            )


def _v2(server: Server, wish: Wish) -> Protocol:
    path = v2_model(server, wish.model)
    return V2(path, wish.largest, v2_inputs(server, path), wish.output)


def _v2_grpc(server: Server, wish: Wish) -> Protocol:
    path = "/" + (wish.model or server.path.removeprefix("/v2/models").strip("/"))
    described = server.transport.send(v2_grpc.metadata(path))
    inputs = v2_grpc.inputs(described.body)
    return v2_grpc.V2Grpc(path, wish.largest, inputs, wish.output)


def _sagemaker(server: Server, wish: Wish) -> Protocol:
    return sagemaker.SageMaker(server.path, wish.largest, wish.request, wish.scores)


def _template(server: Server, wish: Wish) -> Protocol:
    request = "$rows" if wish.request is None else wish.request
    return Template(server.path, wish.largest, request, wish.scores or "@")


@dataclass(frozen=True, slots=True)
class Kind:
    """How a protocol is set up for a model, and what it takes of `Wish`.

    `largest` is the number of bytes that any server of this kind takes.
    """

    speak: Callable[[Server, Wish], Protocol]
    uses: tuple[str, ...] = ()
    largest: int | None = None


PROTOCOLS: dict[str, Kind] = {
    "v2": Kind(_v2, ("model", "output")),
    "v2-grpc": Kind(_v2_grpc, ("model", "output"), v2_grpc.LARGEST),
    "v1": Kind(
        lambda server, wish: V1(v1_model(server, wish.model), wish.largest), ("model",)
    ),
    "mlflow": Kind(
        lambda server, wish: MLflow(_invocations(server.path), wish.largest)
    ),
    "sagemaker": Kind(_sagemaker, ("request", "scores"), sagemaker.LARGEST),
    "azure": Kind(lambda server, wish: Azure(server.path, wish.largest)),
    "seldon": Kind(lambda server, wish: Seldon(server.path, wish.largest)),
    "json": Kind(_template, ("request", "scores")),
    "csv": Kind(
        lambda server, wish: Csv(server.path, wish.largest, wish.scores), ("scores",)
    ),
}
"""What users call each protocol."""


def _invocations(path: str) -> str:
    return path if path.endswith("/invocations") else f"{path}/invocations"
