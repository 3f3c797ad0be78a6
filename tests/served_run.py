"""A run over HTTP in a process of its own, which can be killed at any moment.

Called with the address of a service that wants a token, and with a journal; the token
is in the environment.
"""

from __future__ import annotations

import sys

import numpy as np

import facetwise as fw

X = np.random.default_rng(0).standard_normal((12, 4))

if __name__ == "__main__":
    url, journal = sys.argv[1:]
    endpoint = fw.connect(url, token="env:SERVED_RUN_TOKEN")
    print("connected", flush=True)
    fw.Explainer(endpoint, journal=journal, batch_size=8, concurrency=3)(X)
