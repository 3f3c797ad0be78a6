"""Reports stay small, and are there within a second.

200 rows of 30 features and 3 classes fit in 3 MB, 100 images of 784 pixels and 10
classes in 10 MB, every number exact to the last digit. A browser shows the first of
either less than a second after it was told to (the median of five times), with the row
in hand drawn; 5,000 rows of 30 features are measured beside them. Where there is no
Chromium with its driver, only sizes are measured, and the benchmark says so.

In full about 30 seconds on 2 cores; --quick leaves out the 5,000 rows.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
from _harness import Claim, Options, Table, run, zoo

import browser as chromium
import facetwise as fw

MEGABYTE = 1e6
TIMES = 5

FIRST_PAINT = """
const done = arguments[0];
new PerformanceObserver((list, observer) => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (!paint) return;
  observer.disconnect();
  const [page] = performance.getEntriesByType("navigation");
  done([paint.startTime, page.loadEventEnd]);
}).observe({ type: "paint", buffered: true });
"""


def tiled(explanation: fw.Explanation, n: int) -> fw.Explanation:
    """As many rows as wanted, by taking the same ones again."""
    return explanation[np.resize(np.arange(len(explanation)), n)]


def cases(options: Options) -> Iterator[tuple[str, fw.Explanation, object, float]]:
    """Explanations with their shape as images, and the megabytes that they may take."""
    rng = np.random.default_rng(options.seed)
    table = zoo.random_network(rng, 30, 3, 1, 32)
    rows = rng.standard_normal((200, 30))
    explanation = fw.Explainer(zoo.probabilities(table), seed=0)(rows)
    yield "200 rows of 30 features", explanation, None, 3.0
    if not options.quick:
        yield "5,000 rows of 30 features", tiled(explanation, 5000), None, np.inf
    network = zoo.random_network(rng, 784, 10, 1, 64)
    images = rng.random((10, 784))
    explanation = fw.Explainer(zoo.probabilities(network), seed=0)(images)
    yield "100 images of 784 pixels", tiled(explanation, 100), "square", 10.0


def first_paint(path: Path) -> tuple[float, float]:
    """Seconds until something is seen, and until all is there; medians."""
    with chromium.opened() as browser:
        times = []
        for _ in range(TIMES):
            browser.open(path)
            times.append(browser.driver.execute_async_script(FIRST_PAINT))
    seen, whole = zip(*times, strict=True)
    return median(seen) / 1e3, median(whole) / 1e3


def benchmark(options: Options) -> Iterator[Claim]:
    """Write each report, weigh it, and open it."""
    if reason := chromium.missing():
        print(f"\n!! FIRST PAINT IS NOT MEASURED: {reason}")
    table = Table(report=28, megabytes=10, first_paint_s=13, loaded_s=10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.html"
        for what, explanation, shape, most in cases(options):
            fw.report.write(explanation, path, image_shape=shape)
            size = path.stat().st_size / MEGABYTE
            seen, whole = (np.nan, np.nan) if reason else first_paint(path)
            table.row(what, size, seen, whole)
            if np.isfinite(most):
                yield Claim(f"{what}: megabytes", size, most)
            if not reason:
                yield Claim(f"{what}: first paint, s", seen, 1.0)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
