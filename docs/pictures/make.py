"""Make the pictures of docs/reports.md: `python docs/pictures/make.py`.

Needs Chromium with its driver, `pip install facetwise[test]`, and Fashion-MNIST in the
folder that FACETWISE_DATA names (or a network to download it).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.compose import make_column_transformer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import facetwise as fw

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import browser as chromium

HERE = Path(__file__).resolve().parent

WIDTH, HEIGHT, MARGIN = 1300, 860, 40
BOTTOM = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
return Math.ceil(box.bottom + scrollY);
"""

TEXT = ["phist", "selfemp", "insurance", "condomin", "afam", "single", "hschool"]


def mortgages() -> fw.Explanation:
    """Applicants for a mortgage, and a network that was trained on others."""
    table = fw.datasets.hmda().frame()
    denied = table.pop("deny") == "yes"
    encode = make_column_transformer(
        (OneHotEncoder(drop="if_binary", sparse_output=False), TEXT),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    network = MLPClassifier([8], alpha=1.0, max_iter=1000, random_state=0)
    model = make_pipeline(encode, StandardScaler(), network).fit(table, denied)
    rows = pd.concat([table[denied][:60], table[~denied][:60]])
    return fw.Explainer(
        model,
        domain=fw.Domain.from_data(table, frozen=TEXT),
        class_names=["granted", "denied"],
        seed=0,
    )(rows)


def clothes() -> fw.Explanation:
    """Pictures of clothes, and a network that tells them apart."""
    data = fw.datasets.fashion_mnist()
    model = MLPClassifier([64], alpha=1.0, max_iter=60, tol=1e-3, random_state=0)
    model.fit(data.train.X[:10_000], data.train.y[:10_000])
    return fw.Explainer(
        model,
        domain=fw.Domain(lower=0.0, upper=1.0),
        class_names=data.class_names,
        seed=0,
    )(data.test.X[:12])


def photograph(
    browser: chromium.Browser, explanation: fw.Explanation, name: str, **how: object
) -> None:
    """A picture of a report as it opens, or of one part of it."""
    row, dark, part = how.pop("row", 0), how.pop("dark", False), how.pop("part", None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.html"
        fw.report.write(explanation, path, **how)
        browser.open(path, row)
        if dark:
            browser.run("document.querySelector('.theme').click()")
        height = browser.run(BOTTOM, part) if part else HEIGHT
        browser.resize(WIDTH, height + MARGIN)
        target = browser.driver.find_element("css selector", part or "html")
        target.screenshot(str(HERE / f"{name}.png"))
        browser.resize()
    squeeze(HERE / f"{name}.png")


def squeeze(path: Path) -> None:
    """The same picture in few bytes."""
    Image.open(path).convert("RGB").save(path.with_suffix(".webp"), quality=82)
    path.unlink()


def draw(explanation: fw.Explanation, image: fw.Explanation) -> None:
    """The plots of one applicant, of all, and of a picture."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.4), layout="constrained")
    first = explanation[int(np.flatnonzero(explanation.certified)[0])]
    fw.plot.bar(first, ax=axes[0, 0], max_display=6)
    fw.plot.waterfall(first, ax=axes[0, 1], max_display=5)
    fw.plot.summary(explanation, ax=axes[1, 0], max_display=6, measure="step")
    fw.plot.heatmap(image, (28, 28), ax=axes[1, 1])
    figure.savefig(HERE / "plots.png", dpi=90)
    squeeze(HERE / "plots.png")


def main() -> None:
    """Make all pictures."""
    applicants, images = mortgages(), clothes()
    print(applicants, images, sep="\n")
    with chromium.opened() as browser:
        title = "Mortgage decisions"
        photograph(browser, applicants, "report", title=title)
        photograph(browser, applicants, "row", title=title, part=".detail")
        photograph(browser, applicants, "dark", title=title, dark=True)
        photograph(browser, images, "image", image_shape="square", part=".detail")
    draw(applicants, images[0])


if __name__ == "__main__":
    main()
