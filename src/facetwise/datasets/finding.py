"""Files of data sets, wherever they are: in a folder of data, or at a public home."""

from __future__ import annotations

from facetwise.datasets.contents import File, contents
from facetwise.datasets.folders import cache, folders
from facetwise.errors import DataError
from facetwise.progress import Progress


def content_of(file: File, progress: Progress = None) -> bytes:
    """What a file holds, unpacked and checked; it is downloaded if it is nowhere."""
    searched = folders()
    for folder in searched:
        try:
            return contents(folder / file.path, file)
        except FileNotFoundError:
            continue
        except DataError as error:
            raise DataError(
                f"{error} Delete it or put the right one in its place; "
                "docs/datasets.md says where to get it."
            ) from error
    # Here, as it brings the machinery of HTTP along.
    from facetwise.datasets.download import download

    try:
        return download(file, cache() / file.path, progress)
    except DataError as error:
        places = " or ".join(map(str, searched))
        raise DataError(f"{file.path} is not in {places}. {error}") from error
