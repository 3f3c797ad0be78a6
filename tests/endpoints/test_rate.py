"""Calls are spaced out so that no more rows or calls a second are sent than allowed."""

import threading

import numpy as np
import pytest

from facetwise.endpoints.rate import Rate


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self):
        """It is 100."""
        self.now = 100.0

    def __call__(self):
        """The time."""
        return self.now

    def sleep(self, seconds):
        """Let it pass."""
        self.now += seconds


def sent_at(sizes, **limits):
    """When calls of so many rows are sent, one after the other, from 0 on."""
    clock = Clock()
    rate = Rate(**limits, clock=clock, sleep=clock.sleep)
    times = []
    for size in sizes:
        rate.wait(size)
        times.append(clock.now - 100.0)
    return times


def test_calls_keep_their_distance():
    """Two calls a second are sent half a second apart."""
    assert sent_at([1, 9, 1], calls_per_second=2.0) == [0.0, 0.5, 1.0]


def test_rows_take_their_time():
    """A call waits as long as the rows before it take."""
    assert sent_at([10, 30, 1], rows_per_second=10.0) == [0.0, 1.0, 4.0]


def test_the_tighter_limit_counts():
    """With both limits a call waits for the later one."""
    times = sent_at([1, 30, 1], rows_per_second=10.0, calls_per_second=1.0)
    assert times == [0.0, 1.0, 4.0]


def test_without_limits_nobody_waits():
    """None is no limit."""
    assert sent_at([1000] * 3) == [0.0] * 3


def test_a_pause_saves_nothing_up():
    """After a long pause calls are spaced out as before."""
    clock = Clock()
    slept = []
    rate = Rate(calls_per_second=1.0, clock=clock, sleep=slept.append)
    rate.wait(1)
    clock.now += 50.0
    rate.wait(1)
    rate.wait(1)
    assert slept == [1.0]


def test_threads_wait_one_behind_the_other():
    """Calls from many threads take places of their own."""
    slept = []
    rate = Rate(calls_per_second=4.0, clock=lambda: 0.0, sleep=slept.append)
    threads = [threading.Thread(target=rate.wait, args=(1,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(slept) == pytest.approx(np.arange(1, 8) / 4.0)
