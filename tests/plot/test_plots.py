"""Pictures show weights: their size, sign, order and bounds, and how sure they are."""

import warnings

import numpy as np
import pytest

import facetwise as fw
from facetwise import InputError, Status
from facetwise.plot.canvas import LONGEST, LOWERS, RAISES
from records import explanation, without

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # between releases something is always deprecated
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

VALUES = [[0.25, -3.0, 0.0, 1.0]]
DATA = [[8.0, 0.5, 40.0, 1.0]]
PARTS = {"a": 2.0, "b": -1.5, "d": 1.0, "c": 0.0}
NAMES = ("a", "b", "c", "d")

DRAW = {
    "bar": fw.plot.bar,
    "waterfall": fw.plot.waterfall,
    "summary": fw.plot.summary,
    "heatmap": lambda e, **more: fw.plot.heatmap(e, (2, 2), **more),
    "compare": lambda e, **more: fw.plot.compare(e, e, **more),
}


@pytest.fixture(autouse=True)
def _closed():
    """Every picture is drawn whole, and closed."""
    yield
    for number in pyplot.get_fignums():
        pyplot.figure(number).canvas.draw()
        pyplot.close(number)


def one(values=VALUES, data=DATA, **changes):
    """An explanation of one row of four features."""
    return explanation(values, data, **{"feature_names": NAMES, **changes})


def lines(ax):
    """What is written beside the bars, from the top."""
    return [label.get_text() for label in ax.get_yticklabels()]


def widths(ax):
    """How long the bars are, in the order in which they were drawn."""
    return [patch.get_width() for patch in ax.patches]


def whiskers(ax):
    """The error bars: where each begins and ends."""
    return [
        (x0, x1)
        for container in ax.containers
        if hasattr(container, "has_xerr")
        for segment in container[2][0].get_segments()
        for x0, x1 in [segment[:, 0]]
    ]


# --- Bars ---------------------------------------------------------------------------


def test_bars_are_weight_times_value():
    """The strongest feature is on top; each bar is as long as its effect, and named."""
    ax = fw.plot.bar(one())
    assert lines(ax) == ["a = 8", "b = 0.5", "d = 1", "c = 40"]
    assert widths(ax) == [*PARTS.values()]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_colours_are_signs():
    """Red raises and blue lowers."""
    ax = fw.plot.bar(one())
    colours = [colors.to_hex(patch.get_facecolor()) for patch in ax.patches]
    assert colours[:3] == [RAISES, LOWERS, RAISES]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [("unit", [-3.0, 1.0, 0.25, 0.0]), ("step", [-6.0, 1.25, 1.0, 0.0])],
)
def test_measures(measure, expected):
    """A unit is the weight alone, a step the weight times a typical step."""
    given = one(meta={"response": "probabilities", "scale": [5.0, 2.0, 9.0, 1.0]})
    assert widths(fw.plot.bar(given, measure=measure)) == expected


@pytest.mark.parametrize("most", [1, 2, 4, 9])
def test_only_so_many_features_are_drawn(most):
    """`max_display` keeps the strongest."""
    assert widths(fw.plot.bar(one(), max_display=most)) == [*PARTS.values()][:most]


def test_bounds_are_drawn_where_they_can_be_seen():
    """An error bar reaches as far as the bound to both sides, or is not there."""
    assert whiskers(fw.plot.bar(one())) == []
    ax = fw.plot.bar(one(error_bound=np.array([[0.05, 1e-9, 0.0, 0.5]])))
    assert np.allclose(whiskers(ax), [(1.6, 2.4), (0.5, 1.5)])


def test_what_is_not_told_from_zero_is_zero():
    """A weight within its bound has no bar."""
    assert widths(fw.plot.bar(one(error_bound=np.full((1, 4), 0.5)))) == [-1.5, 1, 0, 0]


@pytest.mark.parametrize("name", ["bar", "waterfall", "compare"])
def test_what_is_not_certified_is_hatched(name):
    """An estimate is hollow, hatched and named, and has no error bar."""
    bound = np.full((1, 4), 0.2)
    sure = DRAW[name](one(error_bound=bound))
    assert not any(patch.get_hatch() for patch in sure.patches)
    assert whiskers(sure)
    smooth = DRAW[name](one(status=[Status.SMOOTH], error_bound=bound))
    assert all(patch.get_hatch() for patch in smooth.patches)
    assert all(patch.get_facecolor()[3] == 0 for patch in smooth.patches)
    assert whiskers(smooth) == []
    legend = smooth.get_legend()
    texts = [t.get_text() for t in legend.get_texts()] if legend else []
    assert "not certified" in " ".join([smooth.get_title(loc="left"), *texts])


def test_many_rows_are_a_mean():
    """Several rows are drawn by the mean size of each effect, certified rows alone."""
    values = [[1.0, -2.0], [3.0, 2.0], [99.0, 99.0]]
    status = [Status.CERTIFIED, Status.PARTLY_CERTIFIED, Status.SMOOTH]
    ax = fw.plot.bar(explanation(values, status=status))
    assert widths(ax) == [2.0, 2.0]
    assert "2 rows" in ax.get_title(loc="left")
    ax = fw.plot.bar(explanation(values, status=[Status.SMOOTH] * 3))
    assert all(patch.get_hatch() for patch in ax.patches)


# --- Waterfall ----------------------------------------------------------------------


def test_a_waterfall_adds_up():
    """Bars lead from the base to the score without a gap, the strongest on top."""
    ax = fw.plot.waterfall(one())
    begins = [patch.get_x() for patch in ax.patches]
    ends = [patch.get_x() + patch.get_width() for patch in ax.patches]
    assert begins[-1] == 0.5  # the base
    assert begins[:-1] == ends[1:]
    assert ends[0] == 0.5 + sum(PARTS.values())
    assert lines(ax)[0] == "a = 8"
    assert "from 0.5 to 2" in ax.get_xlabel()


def test_the_rest_is_one_bar():
    """Features beyond the number asked for are added up."""
    ax = fw.plot.waterfall(one(), max_display=1)
    assert lines(ax) == ["a = 8", "3 other features"]
    assert widths(ax) == [2.0, -0.5]
    assert lines(fw.plot.waterfall(one(), max_display=3))[-1] == "1 other feature"


# --- Heat map -----------------------------------------------------------------------


def test_a_heat_map_has_the_weights():
    """Pixels are where they belong, white is 0, and both colours go equally far."""
    ax = fw.plot.heatmap(one(), (2, 2))
    (image,) = ax.get_images()
    assert np.array_equal(image.get_array(), [[0.25, -3.0], [0.0, 1.0]])
    assert image.get_clim() == (-3.0, 3.0)
    assert colors.to_hex(image.cmap(1.0)) == RAISES
    assert colors.to_hex(image.cmap(0.0)) == LOWERS


def test_channels_are_added_up():
    """Of a picture in colours there is one heat map."""
    ax = fw.plot.heatmap(one(), (1, 2, 2))
    assert np.array_equal(ax.get_images()[0].get_array(), [[-2.75, 1.0]])


@pytest.mark.parametrize("shape", [(3, 2), (4,), (-2, -2), (1, 2, 2, 1)])
def test_shapes_that_do_not_fit(shape):
    """A shape of another number of pixels is an error."""
    with pytest.raises(InputError, match="multiply to the 4 features"):
        fw.plot.heatmap(one(), shape)


# --- Compare ------------------------------------------------------------------------


def test_two_rows_side_by_side():
    """Each feature has a bar of either row; their order is by the larger of the two."""
    other = one([[0.0, 0.0, 1.0, -1.0]])
    ax = fw.plot.compare(one(), other, names=("this", "that"))
    assert lines(ax) == ["c", "a", "b", "d"]
    assert widths(ax) == [0.0, 2.0, -1.5, 1.0, 40.0, 0.0, 0.0, -1.0]
    told = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split(":")[0] for text in told] == ["this", "that"]


def test_other_features_do_not_compare():
    """Explanations of other features are refused."""
    with pytest.raises(InputError, match="same features"):
        fw.plot.compare(one(), one(feature_names=("a", "b", "c", "x")))


# --- Summary ------------------------------------------------------------------------


def test_a_summary_has_a_dot_for_each_row():
    """Dots are the effects of the commonest class; hollow ones are not certified."""
    values = np.array([[1.0, -5.0], [2.0, 4.0], [3.0, 3.0], [9.0, 9.0]])
    status = [Status.CERTIFIED, Status.CERTIFIED, Status.SMOOTH, Status.CERTIFIED]
    target = np.array([2, 2, 2, 0])
    ax = fw.plot.summary(explanation(values, status=status, target=target))
    solid, hollow, *_ = ax.collections
    assert lines(ax) == ["feature 1", "feature 0"]
    assert solid.get_offsets()[:, 0].tolist() == [-5.0, 4.0]
    assert hollow.get_offsets()[:, 0].tolist() == [3.0]
    assert [colors.to_hex(c) for c in solid.get_facecolors()] == [LOWERS, RAISES]
    assert len(hollow.get_facecolors()) == 0
    assert ax.get_title(loc="left") == "class 2: 3 of 4 rows"


# --- All of them --------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAW)
def test_axes_are_taken_and_returned(name):
    """A picture is drawn on the axes given, or on new ones, and not shown."""
    figure, ax = pyplot.subplots()
    assert DRAW[name](one(), ax=ax) is ax
    assert DRAW[name](one()).figure is not figure


@pytest.mark.parametrize("name", DRAW)
def test_showing_is_asked_for(name, monkeypatch):
    """`show=True` shows it, and nothing else does."""
    calls = []
    monkeypatch.setattr(pyplot, "show", lambda: calls.append(name))
    DRAW[name](one())
    assert calls == []
    DRAW[name](one(), show=True)
    assert calls == [name]


@pytest.mark.parametrize("name", DRAW)
def test_rows_without_weights(name):
    """What has nothing to draw is an error with the reason."""
    given = without(Status.REFUSED)
    with pytest.raises(InputError, match=r"Refused by the service|multiply"):
        DRAW[name](given)


@pytest.mark.parametrize("name", ["bar", "waterfall", "compare", "heatmap"])
def test_pictures_of_one_row(name):
    """Where one row is drawn, several are refused; `bar` takes their mean."""
    two = one([*VALUES, *VALUES], [*DATA, *DATA])
    if name == "bar":
        assert widths(fw.plot.bar(two)) == [2.0, 1.5, 1.0, 0.0]
    else:
        with pytest.raises(InputError, match=r"one row; got 2.*explanation\[3\]"):
            DRAW[name](two)


@pytest.mark.parametrize("name", DRAW)
def test_hostile_names(name):
    """Dollars are no mathematics, control characters are spelled out, length is cut."""
    hostile = (r"$\frac{", "a\x00\ud800", "long " * 99, "_^$x$ \\alpha")
    given = one(feature_names=hostile, class_names=(*hostile[1:], "c"))
    ax = DRAW[name](given)
    ax.figure.canvas.draw()
    assert all(len(text) <= LONGEST + len(" = 0.5") for text in lines(ax))
    if name != "heatmap":
        assert any(r"$\frac{" in text for text in lines(ax))


@pytest.mark.parametrize("name", DRAW)
def test_frozen_features_are_left_out(name):
    """A feature without a weight has no bar, and no dot."""
    given = one([[0.25, np.nan, 1.0, 2.0]], error_bound=np.full((1, 4), 1e-9))
    assert not any(text.startswith("b") for text in lines(DRAW[name](given)))


@pytest.mark.parametrize("settings", [{"max_display": 0}, {"measure": "length"}])
def test_settings_that_mean_nothing(settings):
    """The error names what can be passed."""
    with pytest.raises(InputError, match=r"1 or more; got 0|'part', 'step', 'unit'"):
        fw.plot.bar(one(), **settings)
