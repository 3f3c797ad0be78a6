"""As many calls run at a time as the service bears, and no more."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from facetwise.endpoints.concurrency import Concurrency
from facetwise.endpoints.halt import Halt, Halted
from facetwise.errors import EndpointError
from fake_endpoints import Fake, network

X = np.zeros((1, 4))


def gate(answer, most=8):
    """A gate before a service."""
    return Concurrency(Fake(answer), most, Halt())


def test_no_more_than_allowed_are_under_way():
    """With many threads waiting, the most that run at a time is the number allowed."""
    lock = threading.Lock()
    running, most = 0, 0
    three = threading.Barrier(3, timeout=60)

    def answer(X):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        three.wait()  # three do run together
        with lock:
            running -= 1
        return network(0)(X)

    limited = gate(answer, 3)
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: limited.scores(X), range(30)))
    assert most == 3


def test_who_comes_first_goes_first():
    """A call that waits is let in before those that come after it."""
    order, inside, go_on = [], threading.Event(), threading.Event()

    def answer(X):
        order.append(int(X[0, 0]))
        inside.set()
        assert go_on.wait(60)
        return network(0)(X)

    limited = gate(answer, 1)
    threads = []
    for i in range(8):
        row = np.full((1, 4), float(i))
        threads.append(threading.Thread(target=limited.scores, args=(row,)))
        threads[-1].start()
        assert inside.wait(60)
        while i > len(limited._line):  # until it stands in line
            time.sleep(0.001)
    go_on.set()
    for thread in threads:
        thread.join()
    assert order == list(range(8))


def test_it_halves_when_busy_and_grows_again():
    """Each refusal halves what is allowed, and calls that pass bring it back."""
    refusals = 2

    def answer(X):
        nonlocal refusals
        if refusals:
            refusals -= 1
            limited.busy()
        return network(0)(X)

    limited = gate(answer)
    allowed = []
    for _ in range(60):
        limited.scores(X)
        allowed.append(limited.allowed)
    assert allowed[:3] == [4, 2, 2]
    assert allowed == [*allowed[:2], *sorted(allowed[2:])]
    assert allowed[-1] == 8


def test_refusals_of_one_round_are_one_piece_of_news():
    """Calls that were sent together and are all refused halve the number once."""
    together = threading.Barrier(4, timeout=60)

    def answer(X):
        together.wait()
        limited.busy()
        return network(0)(X)

    limited = gate(answer, 4)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: limited.scores(X), range(4)))
    assert limited.allowed == 2


def test_one_call_may_be_refused_again_and_again():
    """A call that is refused once more after a halving is told as news."""

    def answer(X):
        for _ in range(5):
            limited.busy()
        return network(0)(X)

    limited = gate(answer)
    limited.scores(X)
    assert limited.allowed == 1


def test_after_a_failure_nobody_is_let_in():
    """Those who wait while a call fails are not sent, and say so."""
    inside, waiting = threading.Event(), threading.Event()
    service = Fake(network(0))

    def answer(X):
        inside.set()
        waiting.wait(60)
        raise EndpointError("gone")

    service._answer = answer
    limited = Concurrency(service, 1, Halt())
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(limited.scores, X)
        inside.wait(60)
        second = pool.submit(limited.scores, X)
        waiting.set()
        with pytest.raises(EndpointError, match="gone"):
            first.result(60)
        with pytest.raises(Halted):
            second.result(60)
    assert service.calls == 1
