"""A real browser without a network, for pages that have to work in one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1280,900",
)


def missing() -> str:
    """Why there is no browser to test in, or nothing."""
    if not any(map(shutil.which, BROWSERS)) or not shutil.which("chromedriver"):
        return "no chromium and chromedriver: apt-get install chromium chromium-driver"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "no selenium: pip install selenium"
    return ""


@contextmanager
def opened(*flags: str) -> Iterator[Browser]:
    """A browser with an empty profile, closed at the end; without one, a skip."""
    if reason := missing():
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
            options.add_argument(flag)
        service = webdriver.ChromeService(shutil.which("chromedriver"))
        driver = webdriver.Chrome(options=options, service=service)
        try:
            driver.execute_cdp_cmd("Network.enable", {})
            driver.execute_cdp_cmd(
                "Network.emulateNetworkConditions",
                {
                    "offline": True,
                    "latency": 0,
                    "downloadThroughput": -1,
                    "uploadThroughput": -1,
                },
            )
            yield Browser(driver)
        finally:
            driver.quit()


class Browser:
    """What tests do with a page: open it, run a script on it, press keys."""

    def __init__(self, driver: Any) -> None:
        """Take a driver of Selenium."""
        self.driver = driver

    def open(self, path: Path, row: int = 0) -> None:
        """Open a report at one of its rows, and wait for its last part."""
        self.driver.get("about:blank")
        self.driver.get(f"{path.as_uri()}#row={row}")
        self.settle()

    def settle(self) -> None:
        """Wait until what was put off until after the first paint is there."""
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => setTimeout(() => setTimeout(done)));"
        )

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def complaints(self) -> list[str]:
        """What the page wrote to the console since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def texts(self, selector: str) -> list[str]:
        """The text of all elements that a selector finds."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])]"
            ".map((e) => e.textContent)",
            selector,
        )

    def resize(self, width: int | None = None, height: int = 900) -> None:
        """Make the window as large, or as it was at first."""
        if width is None:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            return
        size = {"width": width, "height": height}
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {**size, "deviceScaleFactor": 1, "mobile": False},
        )

    def slide(self, feature: int, place: float) -> float:
        """Move a feature's slider as a hand would; the value that it is at then."""
        return float(
            self.run(
                """
                const line = document.querySelector(`[data-feature="${arguments[0]}"]`);
                const range = line.querySelector("input[type=range]");
                range.value = arguments[1];
                range.dispatchEvent(new Event("input"));
                return line.querySelector("input[type=text]").dataset.value;
                """,
                feature,
                place,
            )
        )

    def press(self, selector: str, *keys: str) -> None:
        """Press keys while an element has the focus."""
        target = self.driver.find_element("css selector", selector)
        target.send_keys(*keys)
