"""A trained logistic model tree in one .npz file, without pickle."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike

from facetwise.archive import Archive, Arrays, Note
from facetwise.models import labels
from facetwise.models.labels import Labels
from facetwise.models.logistic_tree import LogisticTree

ARCHIVE = Archive("facetwise_tree", 1, "tree", "LogisticModelTree.save")


def write(
    path: str | PathLike[str], tree: LogisticTree, classes: Labels, note: Note
) -> None:
    """Write a tree, its classes, and a note that JSON can hold."""
    arrays = {field.name: getattr(tree, field.name) for field in fields(tree)}
    listed = labels.saved(classes)
    if listed is None:
        arrays["classes"] = classes
    ARCHIVE.write(path, {**note, "labels": listed}, arrays)


def read(path: str | PathLike[str]) -> tuple[LogisticTree, Labels, Note]:
    """What `write` wrote; a file that is anything else is named, and not used."""
    return ARCHIVE.read(path, _built)


def _built(about: Note, content: Arrays) -> tuple[LogisticTree, Labels, Note]:
    arrays = {field.name: content[field.name] for field in fields(LogisticTree)}
    listed = about["labels"]
    classes = content["classes"] if listed is None else labels.restored(listed)
    return LogisticTree(**arrays), classes, about
