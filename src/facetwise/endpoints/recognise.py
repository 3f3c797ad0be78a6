"""Which protocol an address speaks: from its path, or by asking the server."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from facetwise.endpoints import status
from facetwise.endpoints.faults import Unusable
from facetwise.endpoints.messages import Call
from facetwise.endpoints.protocols import json_text
from facetwise.endpoints.protocols.protocol import Transport
from facetwise.endpoints.protocols.tensors import Slot
from facetwise.errors import EndpointError, InputError

PATHS = {
    "v2": r"/v2/models/[^/]+(/versions/[^/]+)?(/infer)?$",
    "v1": r"/v1/models/[^/:]+$|:(raw)?predict$",
    "sagemaker": r"^/endpoints/[^/]+/invocations$",
    "mlflow": r"/invocations$",
    "azure": r"/score$",
    "seldon": r"/api/v\d[.\d]*/predictions$",
}
"""Paths that only one protocol has; the first that fits counts."""

LIMITS = {
    r"aiplatform\.googleapis\.com$": 1_500_000,
    r"\.prediction\.vertexai\.goog$": 10_000_000,
    r"\.(azuredatabricks\.net|(cloud|gcp)\.databricks\.com)$": 16_000_000,
}
"""Bytes of a question that hosts are known to take, as their owners say."""


Codes = tuple[int, ...]

ABSENT: Codes = (400, 404, 405, 501)
"""How servers answer to paths that they do not have."""


@dataclass(frozen=True, slots=True)
class Server:
    """What can be asked of a server about itself."""

    transport: Transport
    path: str  # of the address, without a slash at its end

    def body(
        self, path: str, question: bytes | None = None, absent: Codes = ABSENT
    ) -> bytes | None:
        """What it answers; None if that path is no part of it."""
        reply = self.transport.send(Call(path, question))
        if reply.status in absent:
            return None
        if fault := status.fault(reply):
            raise fault
        return reply.body

    def told(
        self, path: str, question: bytes | None = None, absent: Codes = ABSENT
    ) -> Any | None:
        """What it answers in JSON; None for any other answer."""
        body = self.body(path, question, absent)
        try:
            return None if body is None else json_text.loads(body)
        except EndpointError:
            return None

    def text(self, path: str) -> str | None:
        """What it answers as text; None if that path is no part of it."""
        reply = self.transport.send(Call(path))
        return reply.body.decode("utf-8", "replace") if reply.status == 200 else None


def of_path(path: str) -> str | None:
    """The protocol whose paths look like this one."""
    found = (name for name, form in PATHS.items() if re.search(form, path))
    return next(found, None)


def recognised(server: Server) -> str:
    """The protocol that a server says it speaks."""
    if (name := of_path(server.path)) is not None:
        return name
    for name, speaks in SIGNS.items():
        if speaks(server):
            return name
    raise Unusable(
        f"{server.transport.origin}{server.path} does not say what it speaks. Pass the "
        "whole address of the model, or name the protocol: see docs/services.md."
    )


def known_limit(host: str) -> int | None:
    """Bytes that a question to this host may have, if that is known."""
    found = (limit for form, limit in LIMITS.items() if re.search(form, host))
    return next(found, None)


def v2_model(server: Server, model: str | None) -> str:
    """The path of a model: of the address, of that name, or of the only one."""
    path = re.sub(r"/infer$", "", server.path)
    if of_path(path) == "v2":
        return _named_once(path, model)
    base = re.sub(r"/v2(/models)?$", "", path)
    name = model or _only_one(v2_models(server, base), f"{base}/v2/models/NAME")
    return f"{base}/v2/models/{quote(name, '')}"


def v2_models(server: Server, base: str) -> list[str]:
    """The models that a server lists, as far as it lists them."""
    # Triton may keep its list from those who may use a model.
    absent = (*ABSENT, 401, 403)
    listed = server.told(f"{base}/v2/repository/index", b"{}", absent)
    entries = listed if isinstance(listed, list) else []
    names = {str(entry.get("name")) for entry in entries if isinstance(entry, dict)}
    return sorted(names)


def v2_inputs(server: Server, path: str) -> tuple[Slot, ...]:
    """The inputs that a model describes; some describe none."""
    body = server.body(path)
    described = None if body is None else json_text.loads(body)
    if not isinstance(described, dict):
        base = path.rpartition("/v2/models/")[0]
        there = ", ".join(v2_models(server, base)) or "a list of models is not given"
        raise Unusable(
            f"There is no model at {server.transport.origin}{path}. Expected one that "
            f"the server has: {there}. Check name and version."
        )
    return slots(described.get("inputs"))


def slots(described: Any) -> tuple[Slot, ...]:
    """Inputs as the metadata of a model describes them."""
    try:
        return tuple(
            Slot(
                str(slot["name"]), str(slot["datatype"]), tuple(map(int, slot["shape"]))
            )
            for slot in described or ()
        )
    except (KeyError, TypeError, ValueError):
        raise Unusable(
            "The model describes its inputs in a way that the open inference protocol "
            "does not have; expected a name, a datatype and a shape for each."
        ) from None


def v1_model(server: Server, model: str | None) -> str:
    """The path to ask: of the address, of that name, or of the only model."""
    path = server.path
    if re.search(r":(raw)?predict$", path):
        return _named_once(path, model)
    if of_path(path) == "v1":
        return _named_once(f"{path}:predict", model)
    base = re.sub(r"/v1(/models)?$", "", path)
    name = model or _only_one(_v1_models(server), f"{base}/v1/models/NAME")
    return f"{base}/v1/models/{quote(name, '')}:predict"


def _v1_models(server: Server) -> list[str]:
    listed = server.told(f"{re.sub(r'/v1(/models)?$', '', server.path)}/v1/models")
    names = listed.get("models") if isinstance(listed, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _named_once(path: str, model: str | None) -> str:
    if model is not None:
        raise InputError(
            f"The address names a model already, …{path}: leave out model={model!r}, "
            "or pass the address of the server alone."
        )
    return path


def _only_one(names: list[str], path: str) -> str:
    if len(names) == 1:
        return names[0]
    there = f"models {', '.join(names)}" if names else "no list of models"
    raise Unusable(
        f"The server has {there}. Name one, model='NAME', or pass the whole address, "
        f"…{path}."
    )


def _speaks_v2(server: Server) -> bool:
    described = server.told(re.sub(r"/v2(/models)?$", "", server.path) + "/v2")
    return isinstance(described, dict) and "extensions" in described


def _speaks_mlflow(server: Server) -> bool:
    version = server.text(f"{server.path}/version")
    return (
        version is not None
        and re.fullmatch(r"\d+\.\d+\S*", version.strip()) is not None
    )


SIGNS: dict[str, Callable[[Server], bool]] = {
    "v2": _speaks_v2,
    "v1": lambda server: bool(_v1_models(server)),
    "mlflow": _speaks_mlflow,
}
"""Questions by which a server shows what it speaks; they cost no rows."""
