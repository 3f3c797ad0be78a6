"""Signatures for services of AWS, by botocore, which finds the credentials too."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from facetwise.endpoints.transport import Sign
from facetwise.errors import InputError
from facetwise.extras import extra

RUNTIME = re.compile(r"runtime\.sagemaker(?:-fips)?\.([\w-]+)\.amazonaws\.com(?:\.cn)?")
"""Hosts whose calls are signed, with the region in their name."""


def signer(host: str) -> Sign | None:
    """Who signs calls to this host; None if it wants no signature of this kind."""
    region = RUNTIME.fullmatch(host)
    return _signing_for(region[1]) if region else None


def _signing_for(region: str) -> Sign:
    extra("aws", "botocore")
    auth: Any = import_module("botocore.auth")
    request: Any = import_module("botocore.awsrequest")
    session: Any = import_module("botocore.session")
    # From the environment, files or the machine's role; renewed when they run out.
    found = session.get_session().get_credentials()
    if found is None:
        raise InputError(
            "There are no credentials for AWS. Expected them where its own tools look: "
            "AWS_PROFILE, AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or a role."
        )

    def sign(
        method: str, url: str, body: bytes, headers: dict[str, str]
    ) -> dict[str, str]:
        signed = {"Content-Type": headers.get("content-type", "")}
        call = request.AWSRequest(method, url, data=body, headers=signed)
        auth.SigV4Auth(found.get_frozen_credentials(), "sagemaker", region).add_auth(
            call
        )
        del call.headers["Content-Type"]
        return dict(call.headers.items())

    return sign
