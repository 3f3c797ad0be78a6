"""Tests run side by side, so each keeps PyTorch to one thread."""

import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """More would wait for one another on shared cores."""
    torch.set_num_threads(1)
