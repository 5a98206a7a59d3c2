"""Firefox without a window, driven through Marionette, the remote control that is built into it: commands as JSON over a socket.

Playwright drives only a Firefox of its own making; this is the one that a user has. Source: Mozilla's documentation of the protocol
(firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
"""

import json
import shutil
import socket
import subprocess
import time
from contextlib import suppress

BROWSERS = ("firefox-esr", "firefox")
PATIENCE = 120  # seconds: a slow machine fails no test
SETTLED = "const done = arguments[arguments.length - 1]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"


def missing():
    """Why there is no Firefox to test with, or ""."""
    return "" if path() else f"there is no Firefox to test the page with (looked for {', '.join(BROWSERS)})"


def path():
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


class Firefox:
    """A browser with one window. folder: an empty one, for its profile."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = [path(), "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket, self.last, self.left = self._connected(port), 0, b""
        self._read()  # it says who it is
        patience = {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE}
        self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": patience}})

    def _connected(self, port):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), PATIENCE)
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.process.kill()
                    raise
                time.sleep(0.05)

    def _read(self):
        while b":" not in self.left:
            self.left += self._more()
        length, _, self.left = self.left.partition(b":")
        while len(self.left) < int(length):
            self.left += self._more()
        message, self.left = self.left[: int(length)], self.left[int(length) :]
        return json.loads(message)

    def _more(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("Firefox has closed the connection")
        return part

    def send(self, command, **parameters):
        """Carry out a command of WebDriver and return its answer."""
        self.last += 1
        text = json.dumps([0, self.last, command, parameters])
        self.socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, number, error, answer = self._read()
        assert number == self.last
        assert error is None, f"{command}: {error['message']}"
        return answer

    def open(self, file, fragment=""):
        """Open a page of the explorer from a file, and wait until it shows its run."""
        self.send("WebDriver:Navigate", url="about:blank")
        self.send("WebDriver:Navigate", url=f"file://{file}{fragment}")
        end = time.monotonic() + PATIENCE
        while not self.evaluate("!!document.querySelector('#app:not([hidden])') || !!document.querySelector('#trouble:not([hidden])')"):
            assert time.monotonic() < end, "the page does not open"
            time.sleep(0.05)
        assert self.evaluate("!document.querySelector('#trouble:not([hidden])')"), self.evaluate("document.body.innerText")
        self.settle()

    def evaluate(self, expression, *arguments):
        """The value of an expression in the page; `arguments` are there under that name."""
        return self.send("WebDriver:ExecuteScript", script=f"return ({expression});", args=list(arguments), sandbox=None)["value"]

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.send("WebDriver:ExecuteAsyncScript", script=SETTLED, args=[], sandbox=None)

    def resize(self, width, height):
        """Make the inside of the window so large."""
        for _ in range(3):
            inner = self.evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]")
            self.send("WebDriver:SetWindowRect", width=width + inner[0], height=height + inner[1])
            self.settle()
            if self.evaluate("[innerWidth, innerHeight]") == [width, height]:
                return
        raise AssertionError(f"the window is {self.evaluate('[innerWidth, innerHeight]')}, not {[width, height]}")

    def press(self, key):
        """A key, for the element that has the focus."""
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send("WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": keys}])
        self.settle()

    def close(self):
        """End it, whatever it does: it may close the connection before it has answered."""
        try:
            with suppress(OSError):
                self.send("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(PATIENCE)
        finally:
            self.socket.close()
            self.process.kill()
            self.process.wait()
