"""Headless Chromium, driven through its debugging pipe: the standard library is enough for that.

    with Browser(chromium) as browser:
        page = browser.open("file:///…/report.html", width=360, dark=True)
        page.evaluate("document.title")
"""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

TIMEOUT = 60  # seconds for any single answer; the machine may be busy


class Browser:
    """One Chromium process with a profile of its own, which is removed at the end."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="switchyard_report_")
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()

        # Chromium reads commands from descriptor 3 and answers on 4.
        arguments = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--remote-debugging-pipe", "--hide-scrollbars", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-extensions", f"--user-data-dir={self.folder.name}", "about:blank"]
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *arguments], pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last_id = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(TIMEOUT)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.folder.cleanup()

    def read(self, seconds):
        """The next message, or None when none came in time."""
        deadline = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                return None
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        """The result of a command; events that come meanwhile are kept."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(TIMEOUT)
            if answer is None:
                raise RuntimeError(f"{method}: no answer in {TIMEOUT} s")
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, height=900, dark=False, touch=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url, width, height, dark, touch)


class Page:
    """One tab. `events` has what happened since it was opened."""

    def __init__(self, browser, session, url, width, height, dark, touch):
        self.browser = browser
        self.session = session
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=touch)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    @property
    def events(self):
        return [each for each in self.browser.events if each.get("sessionId") == self.session]

    def wait_for(self, method):
        deadline = time.monotonic() + TIMEOUT
        while not any(each["method"] == method for each in self.events):
            message = self.browser.read(max(deadline - time.monotonic(), 0))
            if message is None:
                raise RuntimeError(f"{method} did not come in {TIMEOUT} s")
            self.browser.events.append(message)

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")

    def controls(self):
        """(role, name) of everything in the accessibility tree that a user can operate or read."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes if not node.get("ignored")]

    def screenshot(self, file, full=False):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=full)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def complaints(self):
        """What the console or an uncaught exception said."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(" ".join(str(each.get("value")) for each in parameters["args"]))
            elif event["method"] == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
        return found

    def requests(self):
        """Addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
