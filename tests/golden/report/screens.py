"""A page in a browser: on a desk and on a phone, light and dark, by keyboard
alone, and as who does not see it gets it.  screens.py PAGE PROFILE; exits with
77 where the browser does not start."""
import json
import os
import select
import subprocess
import sys
import time


class Browser:
    """Chromium by its debugging pipe: NUL ends a message either way."""

    def __init__(self, profile):
        down, self.to = os.pipe()
        self.back, up = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", "exec chromium --headless --no-sandbox --disable-gpu"
             " --remote-debugging-pipe --user-data-dir=\"$0\""
             f" about:blank 3<&{down} 4>&{up}", profile],
            pass_fds=(down, up), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.n, self.rest, self.session, self.events = 0, b"", None, []

    def message(self, end):
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.n += 1
        ask = {"id": self.n, "method": method, "params": params}
        if self.session:
            ask["sessionId"] = self.session
        os.write(self.to, json.dumps(ask).encode() + b"\0")
        end = time.monotonic() + 60
        while True:
            got = self.message(end)
            if got.get("id") == self.n:
                if "error" in got:
                    raise RuntimeError(got["error"]["message"])
                return got["result"]
            self.events.append(got)

    def wait(self, event):
        end = time.monotonic() + 60
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.message(end))

    def value(self, expression):
        got = self.call("Runtime.evaluate", expression=expression,
                        returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"]["text"])
        return got["result"].get("value")

    def press(self, key, shift=False):
        codes = {"Tab": 9, "Enter": 13}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=codes[key],
                      modifiers=8 if shift else 0,
                      **({"text": "\r"} if (key, kind) == ("Enter", "keyDown")
                         else {}))


# What is wider than the screen, and in nothing that scrolls; what is cut by
# its own box; scrolling boxes that no key reaches.
CUT = """(() => {
    const bad = [], wide = document.documentElement.clientWidth;
    const scrolls = (e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX);
    for (const e of document.body.querySelectorAll("*")) {
        const box = e.getBoundingClientRect(), look = getComputedStyle(e);
        if (!box.width || look.visibility === "hidden" || e.closest("caption, .skip, svg svg"))
            continue;
        if (scrolls(e) && e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0)
            bad.push("no key scrolls " + e.className);
        if (look.overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1 && !(e instanceof SVGElement))
            bad.push("cut " + e.tagName + " " + e.className);
        if (box.right <= wide + 1)
            continue;
        let up = e.parentElement;
        while (up && !scrolls(up))
            up = up.parentElement;
        if (!up)
            bad.push("beyond the screen: " + e.tagName + " " + (e.className.baseVal ?? e.className));
    }
    return Array.from(new Set(bad)).slice(0, 8);
})()"""

# Text against what is behind it, as WCAG counts: 4.5, large 3.
CONTRAST = """(() => {
    const bad = new Set();
    const lum = (c) => { const f = c.map((v) => { v /= 255;
        return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
        return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
    const rgb = (s) => s.match(/[0-9.]+/g).map(Number);
    for (const e of document.body.querySelectorAll("h1,h2,h3,p,li,td,th,a,code,span,button,figcaption")) {
        if (e.closest("svg") || !e.getClientRects().length || !e.textContent.trim())
            continue;
        let up = e, ground = null;
        for (; up && !ground; up = up.parentElement) {
            const c = rgb(getComputedStyle(up).backgroundColor);
            if (c.length < 4 || c[3] > 0)
                ground = c;
        }
        const style = getComputedStyle(e);
        const a = lum(rgb(style.color)), b = lum(ground || [255, 255, 255]);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const large = parseFloat(style.fontSize) >= 24;
        if (ratio < (large ? 3 : 4.5))
            bad.add(e.tagName + " " + e.className + " " + ratio.toFixed(1));
    }
    return Array.from(bad).slice(0, 8);
})()"""

FOCUS = """(() => { const e = document.activeElement;
    return e === document.body ? "" : e.tagName + "." + e.className + "#" +
        (e.getAttribute("href") || e.textContent.slice(0, 20)) + "@" +
        Array.prototype.indexOf.call(document.querySelectorAll("*"), e); })()"""


def screen(b, page, width, height, scheme):
    b.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
           deviceScaleFactor=1, mobile=width < 600)
    b.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": scheme}])
    b.events = []
    b.call("Page.navigate", url="file://" + os.path.abspath(page))
    b.wait("Page.loadEventFired")
    b.value("document.querySelectorAll('details').forEach((d) => d.open = true)")
    cut, dim = b.value(CUT), b.value(CONTRAST)
    print(f"{width} {scheme}: cut {cut or 'nothing'}; dim {dim or 'nothing'}")


def keyboard(b):
    """Every control is reached by Tab, in the page's order, and shows it."""
    b.value("window.scrollTo(0, 0); document.activeElement.blur()")
    want = b.value("""(() => { const all = Array.from(
        document.querySelectorAll("*"));
        return all.filter((e) => e.matches(
        "a[href], button, summary, [tabindex='0']") &&
        e.getClientRects().length && !e.closest("[hidden]")).map((e) =>
        all.indexOf(e)); })()""")
    seen, unmarked = [], set()
    for _ in range(2 * len(want) + 9):
        b.press("Tab")
        at = b.value(FOCUS)
        if not at or at in seen:
            break
        seen.append(at)
        if not b.value("""(() => { const s = getComputedStyle(
                document.activeElement); return s.outlineStyle !== "none" &&
                parseFloat(s.outlineWidth) > 0; })()"""):
            unmarked.add(at)
    order = [int(at.rsplit("@", 1)[1]) for at in seen]
    print("keyboard: all reached", set(want) <= set(order), "in order",
          order == sorted(order), "marked", not unmarked)
    b.value("document.querySelector('.skip').focus()")
    b.press("Enter")
    print("keyboard: skips to", b.value("location.hash"))
    b.value("document.querySelector('th button').focus()")
    b.press("Enter")
    print("keyboard: sorts", b.value(
        "document.querySelector('th[aria-sort]') !== null"))


def tree(b):
    """Roles and names: figures, tables and controls all have one."""
    nodes = [n for n in b.call("Accessibility.getFullAXTree")["nodes"]
             if not n.get("ignored")]
    role = lambda n: n.get("role", {}).get("value")
    name = lambda n: n.get("name", {}).get("value", "").strip()
    heads = [(int(p["value"]["value"]), name(n)) for n in nodes
             if role(n) == "heading" for p in n["properties"]
             if p["name"] == "level"]
    jumps = [b_[1] for a, b_ in zip(heads, heads[1:]) if b_[0] > a[0] + 1]
    print("tree: first heading of level", heads[0][0], "jumps", jumps)
    for what in ("image", "table", "region", "slider", "button", "link"):
        these = [n for n in nodes if role(n) in (what, {"image": "img"}.get(what))]
        print("tree:", what, len(these) > 0, "nameless",
              sum(not name(n) for n in these))


def main():
    page, profile = sys.argv[1:]
    b = Browser(profile)
    try:
        try:
            targets = b.call("Target.getTargets")["targetInfos"]
            target = next(t for t in targets if t["type"] == "page")
            b.session = b.call("Target.attachToTarget", flatten=True,
                               targetId=target["targetId"])["sessionId"]
        except (EOFError, TimeoutError, OSError, StopIteration):
            return 77
        for domain in ("Page", "Runtime", "Accessibility"):
            b.call(domain + ".enable")
        for width, height in ((1280, 800), (390, 844)):
            for scheme in ("light", "dark"):
                screen(b, page, width, height, scheme)
        keyboard(b)
        tree(b)
    finally:
        b.process.kill()
        b.process.wait()
    return 0


sys.exit(main())
