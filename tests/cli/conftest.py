"""A folder to work in, with rows and a model."""

import signal

import pytest

from typed import command, instances, saved_network, write_csv


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder: rows.csv, and the network m.npz."""
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "rows.csv", instances())
    saved_network(tmp_path / "m.npz")
    return tmp_path


@pytest.fixture
def served(folder):
    """Serve the network in a process; yields a function of options to an address."""
    processes = []

    def start(*options, **variables):
        process = command("serve", "m.npz", "--port", 0, *options, variables=variables)
        processes.append(process)
        return process.stdout.readline().split()[1].rstrip(";")

    yield start
    for process in processes:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0
