"""Names from anywhere are shown as what they are, and are never markup."""

import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.markup import EMPTY, HIDDEN, JOINERS, legible, table

ANYTHING = st.text(st.characters(), max_size=30)  # halves of surrogate pairs as well


class Reader(HTMLParser):
    """What a parser of HTML makes of a text: its tags, and its text."""

    def __init__(self):
        """Read nothing yet."""
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        """Note a tag and its attributes."""
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        """Note a text."""
        self.texts.append(data)


@given(ANYTHING)
def test_nothing_is_hidden(text):
    """What is left can be seen, can be encoded, and is still the same the next time."""
    seen = legible(text)
    assert not [
        c for c in seen if unicodedata.category(c) in HIDDEN and c not in JOINERS
    ]
    assert seen.encode("utf-8")
    assert legible(seen) == seen


@given(ANYTHING, ANYTHING)
def test_names_stay_apart(a, b):
    """Two names that differ in hidden characters alone are told apart."""
    if a != b and "⟨" not in a + b:
        assert legible(a) != legible(b) or {a, b} == {"", EMPTY}


@pytest.mark.parametrize(
    "text", ["income (€)", "доход", "دخل", "👩\u200d👩", "a b", "x²"]
)
def test_what_can_be_seen_stays(text):
    """Any script, and marks that join letters, are left as they are."""
    assert legible(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x00b", "a⟨U+0000⟩b"),
        ("a\tb\n", "a⟨U+0009⟩b⟨U+000A⟩"),
        ("\u202egnp", "⟨U+202E⟩gnp"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("", EMPTY),
        (7, "7"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text, seen):
    """Control characters go by their numbers; nothing at all has a word."""
    assert legible(text) == seen


@given(st.lists(ANYTHING, min_size=1, max_size=3))
def test_cells_are_text(cells):
    """Whatever stands in a table, its parser finds the table's own tags alone."""
    reader = Reader()
    reader.feed(table(cells[0], cells, [cells]))
    reader.close()
    k = len(cells)
    own = ["table", "caption", "bdi", "thead", "tr", *["th", "bdi"] * k]
    assert [tag for tag, _ in reader.tags] == [*own, "tbody", "tr", *["td", "bdi"] * k]
    assert not any(attrs for _, attrs in reader.tags)
    expected = "".join([legible(cells[0]), *map(legible, cells), *map(legible, cells)])
    assert "".join(reader.texts) == expected
