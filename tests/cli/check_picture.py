#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks a picture of one sync against the JSON report.

usage: check_picture.py PICTURE.svg REPORT.json ID
"""
import json
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
failed = 0


def check(ok, what):
    global failed
    if not ok:
        print("picture disagrees:", what)
        failed += 1


def near(a, b, what):
    check(abs(a - b) <= 0.02, "%s: %.3f, expected %.3f" % (what, a, b))


tree = ET.parse(sys.argv[1]).getroot()
report = json.load(open(sys.argv[2]))
sync = next(s for s in report["syncs"] if s["id"] == int(sys.argv[3]))
prefix = "s%d-" % sync["id"]

everything = {}
for element in tree.iter():
    if "id" in element.attrib:
        check(element.get("id") not in everything, "the id %s twice" % element.get("id"))
        everything[element.get("id")] = element

panel = everything[prefix + "panel"]
start, end = int(panel.get("data-from")), int(panel.get("data-to"))
left, width = float(panel.get("data-x")), float(panel.get("data-width"))


def x_of(ns):
    return left + width * (min(max(ns, start), end) - start) / (end - start)


def rects(group):
    return [r for r in group.iter(SVG + "rect")]


def path_xs(path):
    return [float(m) for m in re.findall(r"[ML](-?[\d.]+)", path.get("d"))]


# The stages tile the sync, at the places and in the lengths of the report.
at = sync["start_ns"]
for i, stage in enumerate(sync["stages"]):
    group = everything.get("%sstage-%d" % (prefix, i))
    if group is None:
        check(False, "no stage %d" % i)
        continue
    rect = rects(group)[0]
    check(rect.get("class") == "s-" + stage["stage"], "class of stage %d" % i)
    check(int(group.get("data-ns")) == stage["ns"], "ns of stage %d" % i)
    near(float(rect.get("x")), x_of(stage["start_ns"]), "start of stage %d" % i)
    near(float(rect.get("x")) + float(rect.get("width")),
         x_of(stage["start_ns"] + stage["ns"]), "end of stage %d" % i)
    check(stage["start_ns"] == at, "stage %d begins where the last ended" % i)
    at += stage["ns"]
check(at == sync["start_ns"] + sync["span_ns"], "the stages add up")

# Brackets: those of the report and no others, as long as it says.
for n in (1, 2, 3, 4):
    ns = sync["T%d_ns" % n]
    group = everything.get("%sT%d" % (prefix, n))
    check((group is None) == (ns is None), "T%d is there or not" % n)
    if group is None or ns is None:
        continue
    begin = int(group.get("data-start"))
    check(int(group.get("data-ns")) == ns, "ns of T%d" % n)
    check(sync["start_ns"] <= begin and begin + ns <= sync["start_ns"] + sync["span_ns"],
          "T%d lies within the sync" % n)
    xs = path_xs(next(group.iter(SVG + "path")))
    near(min(xs), x_of(begin), "start of T%d" % n)
    near(max(xs), x_of(begin + ns), "end of T%d" % n)

# The task's lane shows its sleeps, coloured by wait queue; wakes end them.
lane = everything["%stask-%d" % (prefix, sync["pid"])]
arrows = [g for g in tree.iter(SVG + "g") if "arrow" in g.get("class", "").split()]
for wait in sync["waits"]:
    if wait["waking_ns"] is None:
        continue
    x1, x2 = x_of(wait["start_ns"]), x_of(wait["waking_ns"])
    if x2 - x1 < 2.1:
        continue        # drawn together with others that are this narrow
    same = [r for r in rects(lane) if abs(float(r.get("x")) - x1) <= 0.02 and
            abs(float(r.get("x")) + float(r.get("width")) - x2) <= 0.02]
    check(len(same) == 1, "a sleep from %d" % wait["start_ns"])
    check(same and same[0].get("class") == "t-" + wait["queue"],
          "queue of the sleep from %d" % wait["start_ns"])
    if wait["running_ns"] is None:
        continue        # when it ran again was not recorded
    wake = [g for g in arrows if "wake" in g.get("class").split() and
            int(g.get("data-start")) == wait["waking_ns"] and
            int(g.get("data-ns")) == wait["running_ns"] - wait["waking_ns"]]
    check(len(wake) >= 1, "an arrow for the wake at %d" % wait["waking_ns"])
    classes = wake[0].get("class").split() if wake else []
    check(("remote" in classes) != ("local" in classes), "remote or local: the wake at %d" %
          wait["waking_ns"])

# Every CPU on the critical path has a lane.
for cpu in {s["cpu"] for s in sync["stages"] if s["cpu"] is not None}:
    check("%scpu-%d" % (prefix, cpu) in everything, "a lane for CPU %d" % cpu)

# Labels keep to the page.
page = float(tree.get("width"))
for text in tree.iter(SVG + "text"):
    check(0 <= float(text.get("x")) <= page, "a label off the page: %s" % text.text)

# Labels of narrow stages don't overlap; a character is at least 4.5 pixels wide.
taken = []
for text in everything.get(prefix + "callouts", ET.Element("g")).iter(SVG + "text"):
    wide = 4.5 * len(text.text)
    x1 = float(text.get("x")) - (wide if text.get("text-anchor") == "end" else 0)
    for y, from_x, to_x, other in taken:
        check(y != text.get("y") or x1 >= to_x or x1 + wide <= from_x,
              "'%s' over '%s'" % (text.text, other))
    taken.append((text.get("y"), x1, x1 + wide, text.text))

# What is drawn is explained: every class of a box or line has a rule.
style = next(tree.iter(SVG + "style")).text
for element in tree.iter():
    if element.tag in (SVG + "rect", SVG + "path", SVG + "text") and element.get("class"):
        check(".%s{" % element.get("class") in style, "no style for " + element.get("class"))
    # ... and groups have none, which all that is in them would take on.
    if element.tag == SVG + "g":
        for name in element.get("class", "").split():
            check(".%s{" % name not in style, "a group in the style of " + name)
sys.exit(failed != 0)
