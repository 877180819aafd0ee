# SPDX-License-Identifier: Apache-2.0
"""A browser without a window that shows pages, for tests; it needs what `tools/setup browser` installs."""
import os
import shutil
import sys
import time

SKIPPED = 77  # the exit status of a test that cannot run here


def skip(reason):
    print(f"skipped: {reason} (tools/setup browser)")
    sys.exit(SKIPPED)


def selenium():
    """Returns Selenium's modules, which Debian installs for its own Python alone."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        skip("python3-selenium is missing")
    return webdriver, Options, Service


def programs():
    """Returns the paths of Chromium and of its driver."""
    found = [shutil.which("chromium"), shutil.which("chromedriver")]
    for name, path in zip(("chromium", "chromium-driver"), found):
        if not path:
            skip(f"{name} is missing")
        if "/snap/" in os.path.realpath(path) or os.path.basename(os.path.realpath(path)) == "snap":
            skip(f"{name} is a snap, which reads no files of a test")
    return found


class Browser:
    """One Chromium. It must be closed."""

    def __init__(self):
        webdriver, Options, Service = selenium()
        chromium, driver = programs()
        options = Options()
        options.binary_location = chromium
        for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1000",
                         "--force-device-scale-factor=1", "--disable-dev-shm-usage", "--no-first-run",
                         "--host-resolver-rules=MAP * ~NOTFOUND"):
            options.add_argument(argument)
        if os.getuid() == 0:
            options.add_argument("--no-sandbox")  # root has none
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_script_timeout(60)

    def close(self):
        self.driver.quit()

    def set_size(self, width, height, scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})

    def set_media(self, **features):
        """Such as prefers_color_scheme="dark"."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})

    def open(self, path):
        """Opens a page, and returns the seconds until it was ready."""
        begin = time.monotonic()
        self.driver.get("file://" + path)
        self.wait_for("return document.body.dataset.ready === 'yes'")
        return time.monotonic() - begin

    def wait_for(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not (value := self.script(script)):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}\n{self.console()}")
            time.sleep(0.03)
        return value

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def console(self):
        """Returns what the browser has said since the last time: errors, and what a policy has refused."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def accessibility_tree(self):
        """Returns the nodes that are not ignored, as pairs (role, name)."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [(node.get("role", {}).get("value", ""), str(node.get("name", {}).get("value", "")))
                for node in nodes if not node.get("ignored")]
