#!/usr/bin/env python3
"""Checks the page of `switchyard report` in headless Chromium.

    tests/report/browser_test.py SWITCHYARD PROFILE CHROMIUM [--screenshots DIR]

What the page says is compared with the evidence files themselves, read here by other means.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from browser import Browser

HOSTILE = ("</script><script>window.planted=1</script><!--<img src=x onerror=window.planted=1>"
           "\u2028'\"&amp;{{data}}")

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def write_report(switchyard, profile, out):
    subprocess.run([switchyard, "report", str(profile), "-o", str(out)], check=True,
                   stdout=subprocess.DEVNULL)


# ------------------------------------------------------------------------------------------------
# The evidence, independently of the program

class Cell:
    """A cell that some candidate was timed in."""

    def __init__(self, variant, text):
        self.variant = variant
        self.op = variant.split("/")[0]
        self.dtype, self.shape, self.layout, self.output, self.cache, threads, self.parameters = \
            text.split(" ")
        self.threads = threads[1:]
        self.channels = self.shape.split("x")[-1]


def timed_cells(profile):
    found = {}
    for file in sorted(profile.rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        for row in content.get("rows", []):
            if row["status"] in ("accepted", "dropped", "limit"):
                found[content["variant"], row["cell"]] = Cell(content["variant"], row["cell"])
    return list(found.values())


def expected_cells(cells, **wanted):
    return sum(all(getattr(cell, key) == value for key, value in wanted.items()) for cell in cells)


# ------------------------------------------------------------------------------------------------
# What is asked of the page

SUMMARY = "document.getElementById('summary').textContent"
SHOWN_CELLS = ("Number((" + SUMMARY + ".match(/([\\d\\u202f]+) cells?,/) ?? ['', 'NaN'])[1]"
               ".replaceAll('\\u202f', ''))")
OVERFLOW = """Math.max(document.documentElement.scrollWidth,
                       document.body.scrollWidth) - innerWidth"""
# Charts that have more than one color somewhere.
DRAWN = """[...document.querySelectorAll('canvas')].filter((canvas) => {
  const {width, height} = canvas;
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels).size > 20;
}).length"""
# Texts whose contrast is too low: WCAG 2 asks for 4.5, or 3 where they are large.
LOW_CONTRAST = """(() => {
  const rgb = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map((n) => n * scale), numbers[3] ?? 1];
  };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const backOf = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color[3] === 1) { return color; }
    }
    return [255, 255, 255, 1];
  };
  const low = new Set();
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].filter((n) => n.nodeType === 3 && n.data.trim()).map((n) => n.data).join();
    if (!text || !element.checkVisibility() || element.closest('script, noscript, .skip')) { continue; }
    const style = getComputedStyle(element);
    const [a, b] = [luminance(rgb(style.color)), luminance(backOf(element))].sort((x, y) => y - x);
    const mark = element.classList.contains('mark');
    const large = parseFloat(style.fontSize) >= 24 || mark;
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < (large ? 3 : 4.5)) { low.add(`${text.slice(0, 30)}: ${contrast.toFixed(2)}`); }
  }
  return [...low].slice(0, 10);
})()"""


def choose(page, name, value):
    page.evaluate(f"""(() => {{
      const select = document.querySelector(`select[name={name}]`);
      select.value = {json.dumps(value)};
      select.dispatchEvent(new Event('change', {{bubbles: true}}));
    }})()""")


def check_quiet(page, url, what):
    check(page.complaints() == [], f"{what}: the console is silent: {page.complaints()}")
    others = [each for each in page.requests() if each.split("#")[0] != url]
    check(others == [], f"{what}: nothing is requested: {others}")


def check_content(page, cells):
    check(page.evaluate(SHOWN_CELLS) == len(cells), "all cells of the evidence are counted")
    variants = len({cell.variant for cell in cells})
    check(page.evaluate(SUMMARY).startswith(f"{variants} variants"), "all variants are counted")
    check(page.evaluate(DRAWN) == page.evaluate("charts.length") > 1, "every chart has content")
    empty = page.evaluate("[...document.querySelectorAll('.content')].filter((e) => !e.children.length).length")
    check(empty == 0, "no section is empty")


def check_filters(page, cells):
    choose(page, "op", "add")
    check(page.evaluate(SHOWN_CELLS) == expected_cells(cells, op="add"), "the op filter selects")
    names = page.evaluate("[...document.querySelectorAll('#overview tbody th')].map((e) => e.textContent)")
    check(names == sorted({c.variant for c in cells if c.op == "add"}), f"the overview follows: {names}")
    for key, value in (("dtype", "u8"), ("threads", "1"), ("layout", "contiguous")):
        before = page.evaluate("document.querySelector('main').textContent")
        choose(page, key, value)
        check(page.evaluate("document.querySelector('main').textContent") != before,
              f"the {key} filter changes the content")
    wanted = {"op": "add", "dtype": "u8", "threads": "1", "layout": "contiguous"}
    check(page.evaluate(SHOWN_CELLS) == expected_cells(cells, **wanted), "four filters combine")
    check(page.evaluate("location.hash") == "#op=add&dtype=u8&layout=contiguous&threads=1",
          "the address keeps the selection")
    rows = page.evaluate("""[...document.querySelectorAll('#cells tbody tr')].every((row) =>
      row.textContent.includes('u8, ') && row.textContent.includes('contiguous'))""")
    check(rows, "the table of cells follows")
    choose(page, "variant", "add/scalar")
    choose(page, "op", "hflip")
    check(page.evaluate("state.variant") == "", "another op drops the variant of the last one")
    page.evaluate("document.querySelector('button[type=reset]').click()")
    check(page.evaluate(SHOWN_CELLS) == len(cells), "reset brings everything back")


LABELS = "charts[0].data.datasets.map(({label}) => label)"


def check_charts(page):
    choose(page, "variant", "add/scalar")
    check("loop" in page.evaluate(LABELS), "loop is charted")
    page.evaluate("document.querySelector('input[name=candidate-loop]').click()")
    check("loop" not in page.evaluate(LABELS) and "fused" in page.evaluate(LABELS),
          "a candidate can be left out")
    title = "charts[0].options.scales.y.title.text"
    before = page.evaluate(title)
    choose(page, "charts", "limit")
    check(page.evaluate(title) != before, "the vertical axis can be chosen")
    page.evaluate("document.querySelector('#times summary').click()")
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    check(page.evaluate("document.querySelectorAll('#times details tbody tr').length") > 5,
          "a chart's figures are in a table")


def check_reading(page):
    """Names for screen readers, and every control within reach of the keyboard."""
    wanted = {"combobox", "checkbox", "button", "link", "image", "table", "region", "heading"}
    nodes = page.controls()
    nameless = {role for role, name in nodes if role in wanted and not name.strip()}
    check(nameless == set(), f"everything has a name: {nameless}")
    for role in ("combobox", "checkbox", "image", "table", "status", "main", "navigation"):
        check(any(each == role for each, _ in nodes), f"there is a {role}")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached = []
    for _ in range(40):
        page.press("Tab", 9)
        reached.append(page.evaluate(
            """(({tagName, name, type, textContent}) =>
              [name || type || textContent.slice(0, 20) || tagName,
               getComputedStyle(document.activeElement).outlineStyle])(document.activeElement)"""))
    names = [name for name, _ in reached]
    check(names[0].startswith("Skip"), "the first stop skips to the filters")
    for name in ("op", "variant", "dtype", "layout", "threads", "candidate-fused", "reset"):
        check(name in names, f"Tab reaches {name}: {names}")
    check(all(style not in ("none", "") for _, style in reached), "the focus is always seen")


def check_keys(page, cells):
    """Filtering with nothing but keys."""
    page.evaluate("document.querySelector('select[name=op]').focus()")
    for letter in "hf":
        page.press(letter, ord(letter.upper()), text=letter)
    page.press("Enter", 13, text="\r")
    check(page.evaluate("state.op") == "hflip", f"typing chooses an op: {page.evaluate('state.op')}")
    check(page.evaluate(SHOWN_CELLS) == expected_cells(cells, op="hflip"), "and filters by it")


def check_looks(browser, url, screenshots):
    views = [("light", 1280, False), ("dark", 1280, True), ("phone", 360, False),
             ("phone-dark", 360, True)]
    for name, width, dark in views:
        page = browser.open(url + "#op=add", width, dark=dark, touch=width < 500)
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        check((back == "rgb(255, 255, 255)") != dark, f"{name}: the background is {back}")
        page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
        check(page.evaluate(OVERFLOW) <= 0, f"{name}: nothing is wider than {width} px")
        check(page.evaluate(LOW_CONTRAST) == [], f"{name}: contrast: {page.evaluate(LOW_CONTRAST)}")
        check_quiet(page, url, name)
        if screenshots:
            page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = false; })")
            page.screenshot(screenshots / f"{name}.png", full=True)


def plant(profile, folder):
    """A profile of one variant with hostile texts wherever evidence may hold any."""
    machine = json.loads((profile / "machine.json").read_text(encoding="utf-8"))
    for facts in machine["facts"].values():
        for name in facts:
            facts[name] = HOSTILE
    machine["facts"]["<b>"] = {"<img src=x onerror=window.planted=1>": HOSTILE}
    (folder / "machine.json").write_text(json.dumps(machine), encoding="utf-8")
    variant = json.loads((profile / "hflip.json").read_text(encoding="utf-8"))
    row = next(each for each in variant["rows"] if each["candidate"] == "fused")
    kept = ("candidate", "version", "threads", "context")
    dtype, _, rest = row["cell"].split(" ", 2)
    variant["rows"].append({"cell": f"{dtype} 25x32x3 {rest}", "status": "rejected",  # of no matrix
                            "mismatch": HOSTILE, **{key: row[key] for key in kept}})
    (folder / "hflip.json").write_text(json.dumps(variant), encoding="utf-8")


def check_hostile(browser, switchyard, profile, folder):
    planted = folder / "planted"
    planted.mkdir()
    plant(profile, planted)
    out = folder / "planted.html"
    write_report(switchyard, planted, out)
    page = browser.open(out.as_uri(), 1280)
    check(page.evaluate("typeof window.planted") == "undefined", "no planted script has run")
    check(page.evaluate("document.images.length") == 0, "no planted element exists")
    for section in ("refused", "machine"):
        shown = page.evaluate(f"document.getElementById('{section}').textContent")
        check(HOSTILE in shown, f"the planted text is shown as it is in {section}")
    check_quiet(page, out.as_uri(), "hostile evidence")
    blocked = page.evaluate("""new Promise((done) => {
      addEventListener('securitypolicyviolation', ({effectiveDirective}) => done(effectiveDirective));
      new Image().src = 'planted.png';
      setTimeout(() => done('nothing'), 2000);
    })""")
    check(blocked == "img-src", f"the page's policy forbids requests; it blocked {blocked}")


def main():
    parser = argparse.ArgumentParser(description="Checks the report's page in Chromium.")
    parser.add_argument("switchyard")
    parser.add_argument("profile", type=pathlib.Path)
    parser.add_argument("chromium")
    parser.add_argument("--screenshots", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="switchyard_report_"))
    try:
        report = folder / "report.html"
        write_report(arguments.switchyard, arguments.profile, report)
        cells = timed_cells(arguments.profile)
        with Browser(arguments.chromium) as browser:
            page = browser.open(report.as_uri(), 1280)
            check_content(page, cells)
            check_filters(page, cells)
            check_charts(page)
            check_reading(page)
            check_keys(page, cells)
            check_quiet(page, report.as_uri(), "desktop")
            check_looks(browser, report.as_uri(), arguments.screenshots)
            check_hostile(browser, arguments.switchyard, arguments.profile, folder)
    finally:
        shutil.rmtree(folder)
    print(f"{len(failures)} failures" if failures else "the report's page holds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
