#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_trace_events.py EXPORT REPORT: hold an export against the Trace Event Format.

EXPORT is the JSON for a trace UI, REPORT the JSON report of the same recording. What
the format's documentation asks for is checked: the object form, the phases and the
keys each must have, slices that nest on their thread, asynchronous slices that pair
by category and id, flows that start, step and end in order and within a slice. Then
the slices are held against the report: same syncs, same stages, same nanoseconds.
"""
import json
import sys
from collections import defaultdict
from decimal import Decimal

NEEDED = {
    "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid"},
    "M": {"name", "ph", "pid", "args"},
    "b": {"name", "cat", "ph", "ts", "pid", "tid", "id"},
    "e": {"name", "cat", "ph", "ts", "pid", "tid", "id"},
    "s": {"name", "cat", "ph", "ts", "pid", "tid", "id"},
    "t": {"name", "cat", "ph", "ts", "pid", "tid", "id"},
    "f": {"name", "cat", "ph", "ts", "pid", "tid", "id", "bp"},
}
METADATA = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"}


def ns(us):
    """Microseconds as written, to whole nanoseconds."""
    value = us * 1000 if isinstance(us, Decimal) else Decimal(us) * 1000
    assert value == value.to_integral_value(), f"{us} us is no whole number of ns"
    return int(value)


def check_keys(events):
    for e in events:
        assert e["ph"] in NEEDED, f"phase {e['ph']}"
        missing = NEEDED[e["ph"]] - e.keys()
        assert not missing, f"{e} lacks {missing}"
        for key in ("pid", "tid"):
            assert 0 <= e.get(key, 0) < 2 ** 32, f"{key} out of range in {e}"
        if e["ph"] == "M":
            assert e["name"] in METADATA, e
        if e["ph"] == "X":
            assert e["dur"] >= 0, e


def slices_of(events):
    threads = defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            threads[e["pid"], e["tid"]].append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e))
    return threads


def check_nesting(threads):
    for where, slices in threads.items():
        slices.sort(key=lambda s: (s[0], -s[1]))
        open_ends = []
        for start, end, e in slices:
            while open_ends and open_ends[-1] <= start and open_ends[-1] < end:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], f"{where}: {e} overlaps its parent's end"
            open_ends.append(end)


def check_names(events, threads):
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert not threads.keys() - named, f"threads without a name: {threads.keys() - named}"
    tids = [tid for _, tid in threads]
    assert len(tids) == len(set(tids)), "a thread id is used in two processes"
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    assert {e["pid"] for e in events} <= processes, "a process without a name"


def check_async(events):
    pairs = defaultdict(list)
    for e in events:
        if e["ph"] in "be":
            pairs[e["cat"], e["id"], e["name"]].append(e)
    for key, pair in pairs.items():
        assert [e["ph"] for e in pair] == ["b", "e"], f"{key}: {pair}"
        assert ns(pair[0]["ts"]) <= ns(pair[1]["ts"]), f"{key} ends before it begins"
    return len(pairs)


def inside(slices, at):
    return any(start <= at < end or start == at == end for start, end, _ in slices)


def check_flows(events, threads):
    flows = defaultdict(list)
    for e in events:
        if e["ph"] in "stf":
            flows[e["cat"], e["id"]].append(e)
    by_thread = {k: [s for s in v if s[2]["cat"] in ("sync", "cil", "log")]
                 for k, v in threads.items()}
    for key, flow in flows.items():
        phases = "".join(e["ph"] for e in flow)
        assert phases[0] == "s" and phases[-1] == "f" and set(phases[1:-1]) <= {"t"}, (key, phases)
        times = [ns(e["ts"]) for e in flow]
        assert times == sorted(times), f"flow {key} goes back in time"
        assert flow[-1]["bp"] == "e", key
        for e in flow:
            assert inside(by_thread[e["pid"], e["tid"]], ns(e["ts"])), f"{e} is in no slice"
    return len(flows)


def check_report(threads, report):
    syncs = {s["id"]: s for s in report["syncs"] if s["span_ns"] is not None}
    seen = {}
    stages = defaultdict(list)
    for slices in threads.values():
        current = None
        for start, end, e in slices:
            if e["cat"] == "sync":
                current = e["args"]["id"]
                seen[current] = (start, end - start)
                for t in ("T1_ns", "T2_ns", "T3_ns", "T4_ns"):
                    assert e["args"][t] == syncs[current][t], (current, t)
            elif e["cat"] == "stage":
                stages[current].append((e["name"], start, end - start))
    assert seen == {i: (s["start_ns"], s["span_ns"]) for i, s in syncs.items()}, "other syncs"
    for i, s in syncs.items():
        told = sorted((x["stage"], x["start_ns"], x["ns"]) for x in s["stages"])
        assert sorted(stages[i]) == told, f"sync {i}: {stages[i]} instead of {told}"
    return len(seen)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        export = json.load(f, parse_float=Decimal)
    with open(sys.argv[2], encoding="utf-8") as f:
        report = json.load(f)
    assert export["displayTimeUnit"] == "ns"
    events = export["traceEvents"]
    check_keys(events)
    threads = slices_of(events)
    check_nesting(threads)
    check_names(events, threads)
    iclogs = check_async(events)
    flows = check_flows(events, threads)
    syncs = check_report(threads, report)
    print(f"{syncs} syncs, {flows} flows, {iclogs} asynchronous slices")


if __name__ == "__main__":
    main()
