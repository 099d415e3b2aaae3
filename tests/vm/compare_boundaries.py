# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what two recordings' boundaries say; see run."""
import json
import sys

out = sys.argv[1]
passed = failed = 0


def load(name):
    with open("%s/%s.json" % (out, name)) as f:
        return json.load(f)


def check(ok, what):
    global passed, failed
    print("%s - %s" % ("ok" if ok else "not ok", what))
    passed += ok
    failed += not ok


for name in "auto", "tracefs":
    fio = load(name)
    count = sum(j["sync"]["total_ios"] for j in fio["jobs"])
    reports = {b: load(name + "." + b) for b in ("kprobe", "tracepoint")}
    syncs = {b: {(s["pid"], s["start_ns"]): s for s in r["syncs"] if s["comm"] == "fio"}
             for b, r in reports.items()}
    k, t = syncs["kprobe"], syncs["tracepoint"]
    check(len(k) == count, "%s: %d syncs, as fio counts (%d)" % (name, len(k), count))
    check(k.keys() == t.keys(), "%s: the same syncs by kprobe and by tracepoint" % name)
    check(reports["kprobe"]["trace"]["clock"] == "mono", "%s: clock mono" % name)
    check(all(s["status"] == "complete" for s in k.values()), "%s: all complete" % name)
    check(reports["kprobe"]["trace"]["boundaries"] == "kprobe",
          "%s: kprobes are in the recording" % name)
    for interval in "T1", "T2", "T3", "T4":
        pairs = [(k[i][interval + "_ns"], t[i][interval + "_ns"],
                  t[i].get(interval + "_slack_ns") or 0) for i in k]
        both = [p for p in pairs if p[0] is not None and p[1] is not None]
        # Under emulation a virtual CPU can stop anywhere for a while, also between
        # a probe and its tracepoint: that is what the few far apart are.
        near = [p for p in both if abs(p[0] - p[1]) <= p[2] + 200000]
        diff = sorted(p[0] - p[1] for p in both)
        median = diff[len(diff) // 2] if diff else 0
        check(len(both) > 0 and len(both) == len([p for p in pairs if p[0] is not None]) and
              len(near) >= 0.75 * len(both) and abs(median) < 100000,
              "%s: %s of %d of %d syncs agree to within the slack and 200 us, median "
              "difference %.1f us" % (name, interval, len(near), len(both), median / 1e3))
print("vm: %d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
