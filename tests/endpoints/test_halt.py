"""A run that ended sends nothing more, and wakes who sleeps."""

import threading

import pytest

from facetwise.endpoints.halt import Halt, Halted


def test_a_check_passes_until_it_is_up():
    """Nothing happens before the end, and every check raises after it."""
    halt = Halt()
    halt.check()
    halt.sleep(0.0)
    halt.put_up()
    for _ in range(2):
        with pytest.raises(Halted):
            halt.check()


def test_sleepers_wake():
    """One who sleeps for an hour is woken by the end of the run."""
    halt, woken = Halt(), []

    def sleep():
        with pytest.raises(Halted):
            halt.sleep(3600.0)
        woken.append(True)

    thread = threading.Thread(target=sleep)
    thread.start()
    halt.put_up()
    thread.join(60)
    assert woken == [True]
