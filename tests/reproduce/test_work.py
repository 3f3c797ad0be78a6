"""Work is cut into pieces, kept, and never done twice."""

import dataclasses
import os
import signal
import warnings
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from facetwise import InputError
from facetwise.reproduce import gather, pieces
from facetwise.reproduce.pieces import Piece
from facetwise.reproduce.table import Table
from facetwise.reproduce.work import (
    INSTANCES_A_PIECE,
    THREADS,
    Request,
    _compute_all,
    _pool,
    work,
)

METHODS = ("zoo", "saliency")


def request_of(instances, **more):
    """What the small data set can do."""
    plain = {"data_sets": ("fashion-mnist",), "models": ("plnn",), "methods": METHODS}
    return Request(**{**plain, "instances": instances, **more})


def silent(*progress):
    """Nobody listens."""


def test_nothing_is_computed_twice(small, tmp_path):
    """A second run finds all pieces; more instances add only what is new."""
    first = work(request_of(25), tmp_path, 1, silent)
    assert len(small.pool.submitted) == len(first.paths) == 4
    again = work(request_of(25), tmp_path, 1, silent)
    assert len(small.pool.submitted) == 4
    assert again.paths == first.paths
    more = work(request_of(30), tmp_path, 1, silent)
    assert len(small.pool.submitted) == 8
    assert first.paths.items() <= more.paths.items()


def test_stopped_work_is_taken_up(small, tmp_path, monkeypatch):
    """Pieces that were finished before an error are not begun again."""
    compute = pieces.compute

    def failing(piece, path):
        if piece.method == "saliency":
            raise KeyboardInterrupt
        compute(piece, path)

    monkeypatch.setattr("facetwise.reproduce.work.compute", failing)
    with pytest.raises(KeyboardInterrupt):
        work(request_of(3), tmp_path, 1, silent)
    assert len(list(tmp_path.glob("*.npz"))) == 3
    assert not list(tmp_path.glob("*.part"))
    monkeypatch.setattr("facetwise.reproduce.work.compute", compute)
    small.pool.submitted.clear()
    work(request_of(3), tmp_path, 1, silent)
    assert [piece.method for piece, _ in small.pool.submitted] == ["saliency"]


def test_progress_is_told(small, tmp_path):
    """After each piece: how many are done, of how many."""
    heard = []
    work(request_of(2), tmp_path, 1, lambda *told: heard.append(told[:2]))
    assert heard == [(k, 4) for k in range(1, 5)]


def test_pieces_are_small_and_hold_every_instance_once():
    """Instances are drawn without repetition, and each is in one piece a method."""
    request = Request(instances=60, methods=("zoo",))
    mine = [
        p
        for p in request.pieces()
        if (p.data_set, p.model, p.setting) == ("mnist", "lmt", "1e-4")
    ]
    told = [i for piece in mine for i in piece.instances]
    assert tuple(told) == request.drawn
    assert len(set(told)) == 60
    assert max(len(piece.instances) for piece in mine) == INSTANCES_A_PIECE
    assert Request(instances=1000).drawn[:60] == request.drawn


def test_what_a_piece_depends_on_names_its_file(tmp_path):
    """Another model, method, instance, seed or code is another file."""
    piece = Piece("mnist", "plnn", "zoo", "1e-4", (1, 2), 0)
    others = [
        dataclasses.replace(piece, **{name: value})
        for name, value in {
            "data_set": "fashion-mnist",
            "model": "lmt",
            "setting": "1e-2",
            "instances": (1, 3),
            "seed": 1,
        }.items()
    ]
    paths = {other.path(tmp_path, "target") for other in (piece, *others)}
    paths.add(piece.path(tmp_path, "another target"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_code", lambda: "other code")
        paths.add(piece.path(tmp_path, "target"))
    assert len(paths) == len(others) + 3
    assert piece.path(tmp_path, "target") in paths


def test_a_damaged_piece_is_named(small, tmp_path):
    """It is not taken for a result, and the message says what to do."""
    done = work(request_of(1), tmp_path, 1, silent)
    path = next(iter(done.paths.values()))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"npz.*Delete it"):
        list(gather.rows(done.accuracies, done.paths))


def test_pieces_become_lines(small, tmp_path):
    """Every instance has a line for each measure; curves and images are averaged."""
    request = request_of(30, methods=("saliency", "facetwise"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = work(request, tmp_path, 1, silent)
    (cell,) = Table.of(gather.rows(done.accuracies, done.paths)).cells
    assert cell.of("saliency", "questions").tolist() == [1.0] * 30
    assert cell.curve("saliency", "NLCI").max() <= 30
    assert len(cell.curve("facetwise", "CPP")) == 201
    assert cell.curve("facetwise", "CPP")[0] == 0.0
    groups = cell.groups("facetwise")
    assert groups.keys() == cell.groups(gather.IMAGES).keys()
    assert 1 <= len(groups) <= 3
    assert all(len(mean) == 784 for mean in groups.values())
    assert cell.mean("", "test accuracy") == done.accuracies[0].test


def test_processes_have_one_thread_and_do_not_hear_ctrl_c(monkeypatch):
    """Ctrl-C is for the one that waits for them; its own settings stay as they were."""
    monkeypatch.setenv(THREADS[0], "7")
    monkeypatch.delenv(THREADS[1], raising=False)
    with _pool(1) as pool:
        heard = pool.submit(signal.getsignal, signal.SIGINT).result()
        threads = [pool.submit(os.getenv, name).result() for name in THREADS]
    assert heard is signal.SIG_IGN
    assert threads == ["1"] * len(THREADS)
    assert os.environ[THREADS[0]] == "7"
    assert THREADS[1] not in os.environ


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"instances": 0}, "between 1 and"),
        ({"instances": 10**6}, "between 1 and"),
        ({"methods": ("shap",)}, "no method 'shap'"),
        ({"models": ("vgg",)}, "no model 'vgg'"),
        ({"data_sets": ("cifar",)}, "no data set 'cifar'"),
    ],
)
def test_unknown_requests(wrong, message):
    """What is not there is refused before any work, and what is there is named."""
    with pytest.raises(InputError, match=message):
        Request(**wrong)


def test_what_is_not_begun_is_left(monkeypatch, tmp_path):
    """When one piece breaks off, those that wait are cancelled at once."""
    futures = [Future() for _ in range(3)]
    futures[0].set_exception(KeyboardInterrupt())
    given = iter(futures)
    pool = SimpleNamespace(submit=lambda *piece: next(given))
    pieces_ = request_of(1).pieces()[:3]
    paths = {piece: tmp_path / str(k) for k, piece in enumerate(pieces_)}
    with pytest.raises(KeyboardInterrupt):
        _compute_all(pool, pieces_, paths, silent)
    assert [future.cancelled() for future in futures] == [False, True, True]
