"""Opens a page in headless Chromium, and prints what it is like, as JSON.

Usage: page.py CHROMIUM PAGE SCRATCH

The browser is asked through a pipe, so nothing listens on a port. It has its files in SCRATCH.
"""
import base64
import json
import os
import subprocess
import sys
import time


SHOWN = "heading", "image", "DisclosureTriangle"  # of the accessibility tree


class Browser:
    """Chromium, and a tab in it."""

    def __init__(self, chromium, scratch):
        ours, theirs = os.pipe(), os.pipe()  # answers, questions

        def set_up():  # the browser reads questions from 3 and writes answers to 4
            reads, writes = os.dup(theirs[0]), os.dup(ours[1])
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-dev-shm-usage", f"--user-data-dir={scratch}/chromium"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=set_up, env=dict(os.environ, HOME=scratch))
        os.close(theirs[0])
        os.close(ours[1])
        self.answers, self.questions = os.fdopen(ours[0], "rb"), os.fdopen(theirs[1], "wb")
        self.count, self.rest, self.session = 0, b"", None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 1 << 20)
            if not more:
                sys.exit("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.count += 1
        question = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        self.questions.write(json.dumps(question).encode() + b"\0")
        self.questions.flush()
        while (message := self.read()).get("id") != self.count:
            pass
        if "error" in message:
            sys.exit(f"{method}: {message['error']}")
        return message["result"]

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"]["value"]

    def open(self, path):
        """Returns how many seconds pass until the page is there."""
        self.ask("Page.enable")
        begin = time.monotonic()
        self.ask("Page.navigate", url=f"file://{os.path.abspath(path)}")
        while self.value("document.readyState + location.protocol") != "completefile:":
            pass
        self.ask("Page.captureScreenshot")  # which needs a layout
        return time.monotonic() - begin

    def end(self):
        self.ask("Browser.close")
        self.process.wait()


def picture(browser, number):
    """The most frequent colors of the drawing of that number. The browser itself counts them."""
    box = browser.value(f"""(b => ({{x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}}))
        (document.getElementsByTagName('svg')[{number}].getBoundingClientRect())""")
    box["scale"] = 1
    shot = browser.ask("Page.captureScreenshot", clip=box, captureBeyondViewport=True)
    return browser.value(f"""(async () => {{
        const image = new Image(), canvas = document.createElement('canvas'), found = new Map();
        image.src = 'data:image/png;base64,{shot["data"]}';
        await image.decode();
        canvas.width = image.width, canvas.height = image.height;
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const data = context.getImageData(0, 0, image.width, image.height).data;
        for (let i = 0; i < data.length; i += 4) {{
            const color = data.slice(i, i + 3).join();
            found.set(color, (found.get(color) || 0) + 1);
        }}
        return [...found.keys()].sort((a, b) => found.get(b) - found.get(a)).slice(0, 8);
    }})()""")


def main(chromium, page, scratch):
    browser, report = Browser(chromium, scratch), {}
    report["seconds"] = browser.open(page)
    report["bytes"] = os.path.getsize(page)
    tree = browser.ask("Accessibility.getFullAXTree")["nodes"]
    report["tree"] = [[node["role"]["value"], node.get("name", {}).get("value", ""),
                       node.get("description", {}).get("value", "")]
                      for node in tree if node.get("role", {}).get("value") in SHOWN]
    report["requests"] = browser.value("performance.getEntriesByType('resource').length")
    for scheme in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        report[scheme] = [picture(browser, number) for number in range(2)]
    browser.ask("Emulation.setDeviceMetricsOverride", width=375, height=700, deviceScaleFactor=1, mobile=True)
    report["phone"] = browser.value("document.documentElement.scrollWidth")
    report["paper"] = len(base64.b64decode(browser.ask("Page.printToPDF")["data"]))
    browser.end()
    json.dump(report, sys.stdout)


main(*sys.argv[1:])
