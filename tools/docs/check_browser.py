#!/usr/bin/env python3
"""Looks at the reference documentation in a real browser: `./dev docs --check`.

Needs chromium, chromium-driver and python3-selenium from apt.
"""

import random
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PAGES = ["silu", "sum", "gelu", "add", "where", "native_layer_norm", "_clamp", "index"]
WIDTHS = [360, 1280]


def start(width: int) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.chrome.service.Service("/usr/bin/chromedriver")
    driver = webdriver.Chrome(service=service, options=options)
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    return driver


class Check:
    def __init__(self, docs: Path, shots: Path | None) -> None:
        self.docs = docs
        self.shots = shots
        self.problems: list[str] = []
        self.looked = 0

    def expect(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)

    def page(self, driver: webdriver.Chrome, path: Path, width: int) -> None:
        driver.get(path.as_uri())
        name = f"{path.stem} at {width} px"
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        self.expect(wide <= width, f"{name}: {wide} px wide")
        for formula in driver.find_elements(By.CSS_SELECTOR, "main math"):
            size = formula.size
            self.expect(size["width"] > 5 and size["height"] > 5, f"{name}: a formula of {size}")
        for entry in driver.get_log("browser"):
            self.problems.append(f"{name}: {entry['message']}")
        self.looked += 1
        if self.shots:
            driver.save_screenshot(str(self.shots / f"{path.stem}-{width}.png"))

    def search(self, driver: webdriver.Chrome, width: int) -> None:
        driver.get((self.docs / "index.html").as_uri())
        field = driver.find_element(By.ID, "search")
        field.send_keys("sigmoid linear")
        found = [a.text.split("\n")[0] for a in driver.find_elements(By.CSS_SELECTOR, "#results a")]
        self.expect("silu" in found, f"searching 'sigmoid linear' found {found}")
        field.clear()
        field.send_keys("silu")
        if self.shots:
            driver.save_screenshot(str(self.shots / f"search-{width}.png"))
        field.send_keys(Keys.ENTER)
        title = driver.find_element(By.TAG_NAME, "h1").text
        self.expect(title == "silu", f"searching 'silu' leads to '{title}'")
        field = driver.find_element(By.ID, "search")
        field.send_keys("forward rules", Keys.ENTER)
        place = driver.current_url.rpartition("/")[2]
        self.expect(
            place == "yaml.html#forward-rules", f"searching 'forward rules' leads to {place}"
        )
        field = driver.find_element(By.ID, "search")
        field.send_keys("no such operator")
        self.expect(
            not driver.find_elements(By.CSS_SELECTOR, "#results a"), "found what does not exist"
        )

    def dark(self, driver: webdriver.Chrome) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        driver.get((self.docs / "ops" / "silu.html").as_uri())
        back = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        self.expect(back == "rgb(20, 24, 29)", f"the dark background is {back}")
        if self.shots:
            driver.save_screenshot(str(self.shots / "silu-dark.png"))


def main() -> int:
    docs = Path(sys.argv[1]).resolve()
    shots = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    check = Check(docs, shots)
    every = sorted((docs / "ops").glob("*.html"))
    for width in WIDTHS:
        driver = start(width)
        check.page(driver, docs / "index.html", width)
        chosen = [docs / "ops" / f"{name}.html" for name in PAGES]
        chosen += sorted((docs / "guides").glob("*.html"))
        chosen += random.Random(width).sample(every, 40)
        for path in chosen:
            check.page(driver, path, width)
        check.search(driver, width)
        if width == WIDTHS[-1]:
            check.dark(driver)
        driver.quit()
    for problem in check.problems:
        print(problem)
    print(f"{check.looked} pages in the browser, {len(check.problems)} problems")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
