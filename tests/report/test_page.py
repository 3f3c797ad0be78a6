"""A report in a browser: it computes as the model does, and nothing in it executes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import browser as chromium
import facetwise as fw
import problems as zoo
from facetwise import Domain, Status
from facetwise.explanation import NOTHING
from facetwise.markup import legible
from records import explanation

D, C = 5, 4
RNG = np.random.default_rng(0)
MODEL = zoo.random_network(RNG, D, C, 1, 8)
TWO = zoo.random_network(RNG, D, 2, 1, 8)
X = np.random.default_rng(1).standard_normal((12, D))
EXACT = 1e-9

KINDS = {
    "probabilities": (zoo.probabilities(MODEL), zoo.probabilities(MODEL)),
    "log_probabilities": (zoo.log_probabilities(MODEL), zoo.probabilities(MODEL)),
    "logits": (zoo.logits(MODEL), zoo.probabilities(MODEL)),
    "sigmoid": (zoo.sigmoid(MODEL), zoo.sigmoid(MODEL)),
    "binary": (zoo.binary(TWO), zoo.binary(TWO)),
    "regression": (zoo.regression(MODEL), zoo.regression(MODEL)),
}
"""What is asked, and what the page shows of it, for each kind of response."""

HOSTILE = [
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "\" onfocus='window.hit = 1' autofocus='",
    "abc\u202egnp.exe\u2066",
    "long " * 2000,
    "NUL\x00 tab\t line\n\r",
    "half \ud800 a pair",
    "دخل شهري",
    "<!-- ]]> ${window.hit = 1} $policy `",
    "\u2028&lt;b&gt;",
    "__proto__",
    "",
]


@pytest.fixture(scope="module")
def browser():
    """One browser for all pages of this file."""
    with chromium.opened() as opened:
        yield opened


@pytest.fixture
def show(browser, tmp_path):
    """Write a report and open it at a row; the page may not complain."""

    def show(given, row=0, **settings):
        path = tmp_path / "rows.html"
        fw.report.write(given, path, **settings)
        browser.open(path, row)
        return browser

    yield show
    assert browser.complaints() == []


def explain(service=KINDS["probabilities"][0], rows=X, **settings):
    """The explanation of some rows, under a seed."""
    return fw.Explainer(service, **{"seed": 0, **settings})(rows)


def shown(page):
    """The figures of the answer, by class."""
    return {
        int(c): float(v)
        for c, v in page.run(
            "return [...document.querySelectorAll('.figure')]"
            ".map((e) => [e.dataset.class, e.value])"
        )
    }


def every_status():
    """Two rows of each status, with all that such rows can hold."""
    statuses = [status for status in Status for _ in range(2)]
    n, d = len(statuses), 3
    rng = np.random.default_rng(2)
    values = rng.standard_normal((n, d))
    bound = np.full((n, d), 1e-9)
    radius = np.full(n, 0.1)
    pairs = rng.standard_normal((n, 3, d))
    pairs[:, 2] = np.nan
    base = np.zeros(n)
    for i, status in enumerate(statuses):
        if status not in (Status.CERTIFIED, Status.PARTLY_CERTIFIED, Status.SMOOTH):
            bound[i], radius[i], pairs[i] = np.nan, np.nan, np.nan
        if status is Status.PIECEWISE_CONSTANT:
            values[i], base[i] = 0.0, np.nan
        elif status not in (*SURE, Status.SMOOTH, Status.UNVERIFIED):
            values[i], base[i] = np.nan, np.nan
        if status is Status.PARTLY_CERTIFIED:
            pairs[i, 0], values[i] = np.nan, pairs[i, 1]
    return explanation(
        values,
        status=statuses,
        target=np.array([-1 if s is Status.NOT_ASKED else 2 for s in statuses]),
        error_bound=bound,
        radius=radius,
        base_values=base,
        pairwise=pairs,
        pairwise_base=np.where(np.isnan(pairs).any(axis=2), np.nan, 0.5),
        pairwise_bound=np.where(np.isnan(pairs).any(axis=2), np.nan, 1e-9),
        contrast=np.array(
            [1 if s is Status.PARTLY_CERTIFIED else -1 for s in statuses]
        ),
    )


SURE = (Status.CERTIFIED, Status.PARTLY_CERTIFIED)


# --- It opens -----------------------------------------------------------------------


def test_it_says_what_was_asked_and_how_it_ended(show):
    """Model, cost and outcome are there, with no network and no complaint."""
    given = explain()
    page = show(given, title="An audit")
    text = page.texts("main")[0]
    assert page.driver.title == "An audit"
    assert page.texts("h1") == ["An audit"]
    assert page.texts("#outcomes") == ["12 of 12 rows certified"]
    assert f"{given.meta['queries']:,}" in page.texts(".costs dd")
    assert given.meta["model"] in text
    assert "1 in 1,000,000" in text


def test_nothing_but_its_own_script_runs(show):
    """The policy lets no other script, style, picture or request through."""
    page = show(explain())
    hit = page.run(
        """
        const refused = [
          () => (document.createElement("script").textContent = "window.hit = 1"),
          () => (document.body.innerHTML += "<b onclick='window.hit = 1'>x</b>"),
          () => document.body.setAttribute("onclick", "window.hit = 1"),
        ].map((attack) => { try { attack(); return false; } catch { return true; } });
        document.body.click();
        return [window.hit ?? null, refused];
        """
    )
    assert hit == [None, [True] * 3]
    blocked = page.driver.execute_async_script(
        """
        const done = arguments[0];
        fetch("data:text/plain,x").then(() => done("read"), () => done("blocked"));
        """
    )
    assert blocked == "blocked"
    assert any("Content Security Policy" in c for c in page.complaints())


def test_without_rows(show):
    """An explanation of no rows is a page that says so."""
    page = show(explain()[:0])
    assert "There are no rows" in page.texts(".rows")[0]


# --- It computes as the model does ---------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_sliders_agree_with_the_model(kind, show):
    """Anywhere in the certified box the page answers what the model answers."""
    service, truth = KINDS[kind]
    target = {"regression": 1, "sigmoid": 2}.get(kind, "predicted")
    given = explain(service, response=kind, target=target)
    rng = np.random.default_rng(3)
    for row in (0, 7):
        page = show(given, row)
        for places in (np.zeros(D), np.full(D, 100), rng.integers(-100, 101, D)):
            x = np.array([page.slide(j, int(p)) for j, p in enumerate(places)])
            assert (x != X[row]).tolist() == (places != 0).tolist()
            assert page.run(
                "return document.querySelector('.answer').dataset.trust"
            ) == ("inside")
            scores = truth(x[None]).ravel()
            figures = shown(page)
            assert given.target[row] in figures
            for c, value in figures.items():
                assert abs(value - scores[c]) <= EXACT


def test_beyond_the_box_is_marked(show):
    """Past the inner half of a slider the page says that nothing is certified."""
    page = show(explain())
    inside = page.slide(0, 100)
    assert "Inside the certified box" in page.texts(".trust")[0]
    outside = page.slide(0, 101)
    assert outside > inside
    assert "Outside the certified box" in page.texts(".trust")[0]
    assert page.run("return document.querySelectorAll('.slider .beyond').length") == 1
    page.run("document.querySelector('.reset').click()")
    assert "Inside the certified box" in page.texts(".trust")[0]
    assert page.slide(0, 0) == X[0, 0]


def test_a_tiny_box_can_be_moved_in(show):
    """However narrow the box is, half of a slider's way is inside of it."""
    network = zoo.with_boundary(MODEL, X[0], 1e-7)
    given = explain(zoo.probabilities(network), X[:1])
    assert given.certified[0]
    width = given.radius[0] * given.meta["scale"][0]
    assert width < 1e-6
    page = show(given)
    values = [page.slide(0, place) for place in (-100, -50, 0, 50, 100)]
    assert np.all(np.diff(values) > 0.2 * width)
    x = X[0].copy()
    x[0] = values[-1]
    assert abs(shown(page)[0] - zoo.probabilities(network)(x[None])[0, 0]) <= EXACT
    assert page.slide(0, 200) - X[0, 0] > 1.0


def test_the_box_ends_at_the_limits_and_has_no_room_on_a_lattice(show):
    """Nothing that was not asked counts as inside: beyond a limit, or off a lattice."""
    rows = X[:2].copy()
    rows[:, 0], rows[:, 1] = 0.0, [1.0, 2.0]
    domain = Domain(lower=[0, 0, -9, -9, -9], step=[0, 1, 0, 0, 0], frozen=[4])
    given = explain(rows=rows, domain=domain)
    assert given.certified[0]
    page = show(given)
    assert page.slide(0, -100) == page.slide(0, -200) == 0.0
    assert page.run("return document.querySelectorAll('[type=range]').length") == (
        np.isfinite(given.values[0]).sum()
    )
    assert "Inside" in page.texts(".trust")[0]
    if np.isfinite(given.values[0, 1]):
        assert page.slide(1, 150) % 1 == 0
        assert "Outside" in page.texts(".trust")[0]


def test_values_can_be_typed(show):
    """A number that is typed moves the row there; what is no number changes nothing."""
    page = show(explain())
    field = '[data-feature="0"] input[type=text]'
    before = page.run(f"return document.querySelector('{field}').dataset.value")
    page.run(f"document.querySelector('{field}').value = ''")
    page.press(field, "no number\n")
    assert page.run(f"return document.querySelector('{field}').dataset.value") == before
    page.run(f"document.querySelector('{field}').value = ''")
    page.press(field, "0.125\n")
    assert (
        page.run(f"return document.querySelector('{field}').dataset.value") == "0.125"
    )
    assert "Outside" in page.texts(".trust")[0]


def test_one_contrast_is_a_share_of_two(show):
    """Where only one rival was asked about, no share of all classes is made up."""
    given = explain(versus=3, target=1)
    page = show(given)
    p = KINDS["probabilities"][1](X[:1])[0]
    assert shown(page) == {1: pytest.approx(p[1] / (p[1] + p[3]), abs=EXACT)}
    assert "rather than class 3" in page.texts(".answer-line")[0]
    # Nobody knows whether it is the closest, since no other was asked about.
    assert "Compared with: class 3" in page.texts(".closest")[0]
    assert page.texts(".cell.rival")[1] == NOTHING
    page = show(explain())
    assert "Closest competitor" in page.texts(".closest")[0]


# --- Nothing passes for more than it is ----------------------------------------------


def test_every_status_has_its_sentence(show):
    """Each row says how it ended, in plain words and in the status's own."""
    given = every_status()
    for row in range(0, len(given), 2):
        page = show(given, row)
        told = page.texts(".standing")[0]
        assert given.status[row].title in told
        assert str(given.status[row]) in told


def test_bounds_are_shown_where_they_are(show):
    """Rows that are not certified show estimates as such, and no bound, nor a box."""
    given = every_status()
    for row in range(0, len(given), 2):
        page = show(given, row)
        status, text = given.status[row], page.texts(".detail")[0]
        bounds = [t for t in page.texts(".features .effect small") if "±" in t]
        told = page.texts(".figures")[0]
        if status in SURE:
            assert len(bounds) == 3
            assert not any("estimate" in t for t in bounds)
            assert "Certified box" in told
        else:
            assert all("(estimate)" in t for t in bounds)
            assert "Certified box" not in told
            assert "Inside the certified box" not in text
            solid = page.run(
                "return document.querySelectorAll('.features:not(.uncertain)').length"
            )
            assert solid == 0
        if status is Status.UNVERIFIED:
            assert page.texts(".features .effect small") == ["no bound"] * 3


def test_kinds_of_rows_look_different(show):
    """Certified, partly certified, estimated and missing rows have their own marks."""
    page = show(every_status())
    marks = page.run(
        """
        const drawn = {};
        for (const line of document.querySelectorAll(".line")) {
          const mark = line.querySelector(".mark");
          drawn[mark.getAttribute("class")] = mark.innerHTML;
        }
        return drawn;
        """
    )
    assert len(marks) == len(set(marks.values())) == 4


# --- Hostile content -----------------------------------------------------------------


def test_hostile_names_do_nothing(show):
    """Names that are markup, script or nonsense are shown as what they are."""
    d = len(HOSTILE)
    model = zoo.random_network(np.random.default_rng(4), d, 3, 1, 6)
    given = fw.Explainer(
        zoo.probabilities(model),
        seed=0,
        feature_names=HOSTILE,
        class_names=HOSTILE[:3],
    )(np.random.default_rng(5).standard_normal((4, d)))
    page = show(given, title=HOSTILE[0])
    page.run("document.querySelector('.more')?.click()")
    assert page.run("return window.hit ?? null") is None
    names = page.texts(".features tbody th")
    assert sorted(names) == sorted(legible(name) for name in HOSTILE)
    assert page.driver.title == HOSTILE[0]
    assert page.run("return document.querySelectorAll('img, b').length") == 0
    wide = "return document.documentElement.scrollWidth <= innerWidth"
    assert page.run(wide)


def test_hostile_categories_do_nothing(show):
    """Text in a table is text in the report, and can be searched for."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:, :4], columns=list("abcd"))
    frame["<b>"] = [HOSTILE[i % 3] for i in range(len(X))]
    wide = zoo.random_network(np.random.default_rng(6), 4, 3, 1, 6)
    service = zoo.probabilities(wide)
    given = fw.Explainer(
        lambda f: service(f[list("abcd")].to_numpy()),
        seed=0,
        domain=Domain(frozen=["<b>"]),
    )(frame)
    page = show(given)
    assert HOSTILE[0] in page.texts(".features .value")
    search(page, "<img")
    assert drawn(page) == [i for i in range(len(X)) if i % 3 == 1]
    assert page.run("return window.hit ?? null") is None


# --- Finding rows --------------------------------------------------------------------


def drawn(page):
    """The rows of the list that are drawn, from the top."""
    return [
        int(i)
        for i in page.run(
            "return [...document.querySelectorAll('.line')].map((e) => e.dataset.row)"
        )
    ]


def search(page, text):
    """Type into the search field."""
    page.run(
        """
        const field = document.querySelector("input[type=search]");
        field.value = arguments[0];
        field.dispatchEvent(new Event("input"));
        """,
        text,
    )


def sort(page, key):
    """Press the head of a column."""
    page.run(f"document.querySelector('[data-key={key}] button').click()")


def test_thousands_of_rows_are_drawn_on_demand(show):
    """Only rows in sight are in the page, and End leads to the last."""
    n = 5000
    values = np.random.default_rng(7).standard_normal((n, 3))
    page = show(explanation(values))
    assert len(drawn(page)) < 60
    page.press(".grid", "\ue010")  # End
    assert drawn(page)[-1] == n - 1
    assert f"Row {n - 1}" in page.texts("#row-title")[0]


def test_rows_can_be_sorted(show):
    """A press on a head sorts, another one turns round, the unknown goes last."""
    given = every_status()
    page = show(given)
    sort(page, "radius")
    known = np.flatnonzero(np.isfinite(given.radius))
    assert set(drawn(page)[: len(known)]) == set(known)
    sort(page, "radius")
    assert set(drawn(page)[: len(known)]) == set(known)
    sort(page, "row")
    sort(page, "row")
    assert drawn(page)[0] == len(given) - 1
    heads = page.run(
        "return [...document.querySelectorAll('[aria-sort]')].map((e) => e.ariaSort)"
    )
    assert heads.count("descending") == 1
    assert heads.count("none") == len(heads) - 1


def test_rows_can_be_searched_and_filtered(show):
    """Words have to be found all, in any case; a choice keeps rows of one kind."""
    given = every_status()
    page = show(given)
    search(page, "BOUNDARY on")
    at = [i for i, s in enumerate(given.status) if s is Status.ON_BOUNDARY]
    assert drawn(page) == at
    search(page, "nothing like it")
    assert drawn(page) == []
    assert "No rows match" in page.texts(".lines")[0]
    search(page, "")
    page.run(
        """
        const select = document.querySelectorAll(".filters select")[0];
        const smooth = [...select.options].find((o) => o.text.startsWith("Smooth"));
        select.value = smooth.value;
        select.dispatchEvent(new Event("change"));
        """
    )
    assert [given.status[i] for i in drawn(page)] == [Status.SMOOTH] * 2


def test_the_list_is_walked_by_keys(show):
    """Arrow keys move the row in hand, and tell assistive software which it is."""
    page = show(explain())
    page.press(".grid", "\ue015", "\ue015")  # arrow down
    assert "Row 2" in page.texts("#row-title")[0]
    active = (
        "return document.querySelector('.grid').getAttribute('aria-activedescendant')"
    )
    assert page.run(active) == "line-2"
    assert "Row 2: Certified" in page.texts("[role=status]")


def test_everything_can_be_named(show):
    """Each control has a name that a screen reader can say."""
    page = show(explain())
    nameless = page.run(
        """
        const all = "button, input, select, [tabindex='0']";
        return [...document.querySelectorAll(all)].filter((e) =>
          !(e.ariaLabel || e.textContent.trim() || e.closest("label"))).length;
        """
    )
    assert nameless == 0


# --- Pictures ------------------------------------------------------------------------


def test_images_are_red_where_weights_are_positive(show):
    """The heat map has the signs of the weights, pixel by pixel."""
    values = np.array([[2.0, -1.0, 0.5, -2.0, 1.0, 2.0]])
    page = show(explanation(values, data=[[0, 1, 2, 3, 4, 5]]), image_shape=(2, 3))
    colours = page.run(
        """
        const [image, heat] = document.querySelectorAll(".detail canvas");
        const read = (canvas) => {
          const { width, height } = canvas;
          const pixels = canvas.getContext("2d").getImageData(0, 0, width, height);
          return [0, 1].flatMap((y) => [0, 1, 2].map((x) => {
            const [column, line] = [(x + 0.5) * width / 3, (y + 0.5) * height / 2];
            const at = 4 * (Math.floor(line) * width + Math.floor(column));
            return [...pixels.data.slice(at, at + 4)];
          }));
        };
        return [read(image), read(heat)];
        """
    )
    grey = [pixel[0] for pixel in colours[0]]
    assert grey == sorted(set(grey))
    assert (grey[0], grey[-1]) == (0, 255)
    signs = [1 if red > blue else -1 for red, _, blue, _ in colours[1]]
    assert signs == np.sign(values[0]).tolist()
    strength = [pixel[3] for pixel in colours[1]]
    assert np.array_equal(np.argsort(strength)[:1], [2])
    assert page.texts(".features tbody th")[0].startswith("pixel")


def test_large_images(show):
    """A hundred and fifty thousand features are no obstacle."""
    shape = (224, 224, 3)
    values = np.random.default_rng(8).standard_normal((1, np.prod(shape)))
    page = show(explanation(values), image_shape=shape)
    strongest = int(np.argmax(np.abs(values)))
    assert page.run(
        "return document.querySelector('[data-feature]').dataset.feature"
    ) == (str(strongest))


def test_a_pixel_can_be_picked(show):
    """Arrow keys and Enter on the heat map bring a pixel's slider to the top."""
    values = np.array([[2.0, -1.0, 0.5, -2.0, 1.0, 2.0]])
    page = show(explanation(values), image_shape=(2, 3))
    page.press(".walked canvas", "\ue014", "\ue014", "\ue007")  # right, right, Enter
    assert page.texts(".features tbody th")[0] == "pixel 1, 3"


def test_the_summary_says_what_drives_each_class(show):
    """Every class that was explained has its features, the strongest first."""
    given = explain(rows=np.vstack([X, X + 1e-5]))
    page = show(given)
    titles = page.texts(".group h3 > .name")
    assert sorted(titles) == sorted({f"class {c}" for c in given.target})
    means = page.run(
        "return [...document.querySelector('.group').querySelectorAll('data')]"
        ".map((e) => Number(e.value))"
    )
    commonest = int(titles[0].split()[-1])
    rows = given.target == commonest
    steps = np.subtract(*np.quantile(given.data, [0.75, 0.25], axis=0))
    effects = given.values[rows] * steps
    order = np.argsort(-np.abs(effects).mean(axis=0))
    assert np.allclose(means, effects.mean(axis=0)[order], rtol=1e-12)
    rules = int(re.search(r"(\d+) local rule", page.texts(".group h3 small")[0])[1])
    assert dots(page) == rules
    page.run(
        """
        const select = document.querySelector(".drivers select");
        select.value = "part";
        select.dispatchEvent(new Event("change"));
        """
    )
    assert dots(page) == rows.sum()


def dots(page):
    """How many dots the first feature of the first class has."""
    return page.run(
        """
        const paths = document.querySelectorAll(".group .strip")[0].querySelectorAll(
          ".up, .down");
        return [...paths].map((p) => p.getAttribute("d").split("M").length - 1)
          .reduce((a, b) => a + b);
        """
    )


# --- Light, dark, paper --------------------------------------------------------------


def test_light_and_dark(show):
    """The button turns the colours round."""
    page = show(explain())
    colour = "return getComputedStyle(document.body).backgroundColor"
    before = page.run(colour)
    page.run("document.querySelector('.theme').click()")
    assert page.run(colour) != before
    page.run("document.querySelector('.theme').click()")
    assert page.run(colour) == before


def test_paper_has_all_rows(show):
    """What is printed has every row of the list, and no control."""
    page = show(explanation(np.ones((300, 3))))
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        page.run("dispatchEvent(new Event('beforeprint'))")
        assert drawn(page) == list(range(300))
        visible = page.run(
            "return [...document.querySelectorAll('input, select')]"
            ".filter((e) => e.checkVisibility()).length"
        )
        assert visible == 0
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_narrow_windows(show):
    """On a telephone nothing is wider than the window."""
    page = show(explain())
    page.resize(360)
    try:
        assert page.run("return document.documentElement.scrollWidth") <= 360
    finally:
        page.resize()
