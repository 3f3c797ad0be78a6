"""Downloads that go on where they broke off, and count only when they are right."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from os import SEEK_END
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from facetwise.datasets.contents import File, contents
from facetwise.datasets.folders import VARIABLE
from facetwise.errors import DataError
from facetwise.progress import Progress, reporter
from facetwise.version import __version__

TIMEOUT = 30.0
"""Seconds that a home may be silent."""

CHUNK = 2**16
"""Bytes that are read at a time."""

BAR = 24
"""Characters of the bar that shows how much has arrived."""


def download(file: File, path: Path, progress: Progress = None) -> bytes:
    """Fetch a file from the first home that has it, keep it at `path`; what it holds.

    What has arrived lies beside it as a `.part` until all of it is there and right.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    except OSError as error:
        failure = f"Downloads cannot be kept in {path.parent}: {error}."
        raise DataError(f"{failure} {_by_hand(file, path)}") from error
    failures = []
    for home in file.homes:
        try:
            _fetch(home, part, reporter(progress, _bar(file.path)))
            content = contents(part, file)
            part.replace(path)
            return content
        except DataError as error:
            part.write_bytes(b"")  # so that nothing goes on from wrong bytes
            failures.append(f"{home}: {error}")
        except (OSError, HTTPException) as error:
            if path.exists():  # another process was faster
                return contents(path, file)
            failures.append(f"{home}: {error or type(error).__name__}")
    raise DataError(_what_failed(file, path, part, failures))


def _fetch(home: str, part: Path, report: Callable[..., None]) -> None:
    """Add to `part` what is missing from it."""
    with part.open("r+b") as stream:
        done = stream.seek(0, SEEK_END)
        with _answer(home, done) as answer:
            if answer.status != HTTPStatus.PARTIAL_CONTENT:
                done = stream.seek(0)
                stream.truncate()
            total = None if answer.length is None else done + answer.length
            while chunk := answer.read(CHUNK):
                stream.write(chunk)
                done += len(chunk)
                report(done, total)
    if total is not None and done < total:
        raise ConnectionError(f"broke off after {done:,} of {total:,} bytes")
    report(done, done)


def _answer(home: str, start: int) -> HTTPResponse:
    """What a home answers when asked for all that comes after the first bytes."""
    headers = {"User-Agent": f"facetwise/{__version__}"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        answer: HTTPResponse = urlopen(Request(home, headers=headers), timeout=TIMEOUT)
    except HTTPError as error:
        with error:  # it holds the connection
            if start and error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                return _answer(home, 0)
            raise
    return answer


def _bar(name: str) -> Callable[[int, int | None], str]:
    """What the line on the terminal says of a download."""

    def text(done: int, total: int | None) -> str:
        if not total:
            return f"{name}  {done / 1e6:.1f} MB "
        bar = "#" * (BAR * done // total)
        return f"{name} [{bar:<{BAR}}] {done / 1e6:.1f} of {total / 1e6:.1f} MB "

    return text


def _what_failed(file: File, path: Path, part: Path, failures: list[str]) -> str:
    """Why there is no file, and what to do."""
    message = [f"{file.path} could not be downloaded:", *failures]
    if part.exists() and part.stat().st_size:
        message.append(f"The next call goes on from what has arrived, {part}.")
    else:
        part.unlink(missing_ok=True)
    return "\n".join([*message, _by_hand(file, path)])


def _by_hand(file: File, path: Path) -> str:
    """What to do without a download."""
    return (
        f"To do without a download, put the file at {path}, or at {file.path} in the "
        f"folder that {VARIABLE} names. See docs/datasets.md."
    )
