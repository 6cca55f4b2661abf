#!/usr/bin/env python3
"""Scores what netan says of sessions that SimGrid simulates.

	score.py NETAN [-d DIR] [-e ENGINE] [-n SESSIONS] [-s SEED] [-j JOBS]
	         [--bare] [-l]

Asks `pairs` and `check`, each with and without the topology, and compares
with truth.json (session.py).  ENGINE writes the sessions that DIR lacks; they
are kept in DIR alone.  Strict: the kind and the hosts of the truth or of what
is `alike`, for a host that computes late its cause.  Near: the right host by
another kind, or among the alternatives.  Names of one answer `one_of` count
as one.  Quiet are sessions without a fault, for pairs also those with a late
host.  Of a posterior only the truth itself is right, not what is alike.

-l lists the sessions with something missed or wrong.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile

import session

LATE = ("compute", "input")
WAYS = [(c, t) for c in ("pairs", "check") for t in (True, False)]
POSTERIORS = [(0, .5), (.5, .9), (.9, .95), (.95, .99), (.99, 1.01)]


def ask(netan, command, directory, topology):
    options = ["--topology", os.path.join(directory, "topology.csv")] \
        if topology else []
    done = subprocess.run(
        [netan, command, "-q", "-j", "1", "--format", "json", *options,
         os.path.join(directory, "run")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(done.stdout)["result"]
    except (ValueError, KeyError):
        return {"outcome": "error", "error": done.stderr[-200:]}


def named_hosts(c):
    if c.get("hosts"):
        return c["hosts"]
    return [c[k] for k in ("host", "src_host", "dst_host") if c.get(k)]


def same(c, truth):
    """Does a row have the kind and the hosts of the truth?"""
    kind, hosts = truth["kind"], named_hosts(c)
    if not kind:
        return False
    if kind in LATE or c.get("cause", "network") != "network":
        return c.get("cause") == kind and hosts == truth["hosts"]
    if c.get("kind") != kind:
        return False
    return sorted(hosts) == sorted(truth["hosts"]) \
        if kind.startswith("rack") else hosts == truth["hosts"]


def match(c, truth):
    """2: strict; 1: near; 0: wrong."""
    if not truth["kind"]:
        return 0
    if any(same(c, t) for t in [truth] + truth["alike"]):
        return 2
    hosts, right = set(named_hosts(c)), set(truth["hosts"])
    if hosts and (hosts <= right or c.get("kind") == "pair" and hosts & right):
        return 1
    rows = [a for a in c.get("alternatives") or [] if isinstance(a, dict)]
    return int(any(same(a, truth) for a in rows))


def rows_of(command, result):
    return result.get("culprits" if command == "pairs" else "accused") or []


def judge(job):
    netan, directory, seed, engine, bare = job
    with tempfile.TemporaryDirectory() as passing:
        directory = os.path.join(directory or passing, str(seed))
        path = os.path.join(directory, "truth.json")
        if not os.path.exists(path):
            session.write(engine, directory, seed, bare)
        with open(path) as f:
            truth = json.load(f)
        return truth, {(command, topology):
                       ask(netan, command, directory, topology)
                       for command, topology in WAYS}


def names_of(command, result, truth):
    """The match of each name; that of one_of, of the best of its rows."""
    found = [match(c, truth) for c in rows_of(command, result)]
    return [max(found)] if result.get("outcome") == "one_of" and found else found


def share(part, whole):
    return "%3d/%-3d %4.2f" % (part, whole, part / whole) if whole else "-"


def score(way, answers):
    """One row of the table, and the lines of what was missed or wrong."""
    command, topology = way
    seen, names, quiet, healthy, loud, lines = [], [], [], [], [], []
    for truth, results in answers:
        result = results[way]
        found = names_of(command, result, truth)
        late = truth["kind"] in LATE
        best = max(found, default=0)
        names += found
        if not truth["kind"] or command == "pairs" and late:
            quiet.append(bool(found))
        elif truth["visible"]:
            seen.append(best)
        if not truth["kind"]:
            healthy.append(result["outcome"] == "not_guilty")
        elif truth["visible"] and not late:
            loud.append(result["outcome"] == "not_guilty")
        if 0 in found or best < 2 and truth["visible"] and \
                not (command == "pairs" and late) or "error" in result:
            lines.append("%d %s: %s %s%s, said %s%s" % (
                truth["seed"], truth["session"], truth["kind"],
                ",".join(truth["hosts"]),
                "" if truth["visible"] else " (not visible)",
                result["outcome"], "".join("; %s %s" % (
                    c.get("kind") or c.get("cause"),
                    ",".join(named_hosts(c))) for c in
                    rows_of(command, result))))
    strict = lambda x: sum(m == 2 for m in x)
    near = lambda x: sum(m > 0 for m in x)
    cells = [share(strict(seen), len(seen)), share(near(seen), len(seen)),
             share(strict(names), len(names)), share(near(names), len(names)),
             share(sum(quiet), len(quiet)), share(sum(loud), len(loud)),
             share(sum(healthy), len(healthy))]
    return "%-5s %-8s " % (command, "topology" if topology else "-") + \
        " ".join("%-13s" % c for c in cells), lines


def reliability(answers):
    """How many of the names with a posterior in a range are right."""
    rows = [(c["posterior"], same(c, truth))
            for truth, results in answers for way in WAYS
            if way[0] == "pairs" for c in rows_of("pairs", results[way])
            if c.get("posterior") is not None]
    for low, high in POSTERIORS:
        found = [m for p, m in rows if low <= p < high]
        if found:
            print("posterior %.2f to %.2f: %s right" % (
                low, min(high, 1), share(sum(found), len(found))))


def devices(answers):
    """Of strict names of a host of which some devices are slow: which?"""
    right = []
    for truth, results in answers:
        if len(truth["device"] or []) in (0, truth["job"]["devices"]):
            continue
        for c in rows_of("pairs", results["pairs", True]):
            if match(c, truth) == 2:
                device = (c.get("endpoint") or "").partition("d")[2]
                right.append(device in map(str, truth["device"]))
    if right:
        print("one device or NIC of several, of strict names of pairs: "
              "%s named" % share(sum(right), len(right)))


def costs(command, answers):
    """Ratio of the cost that a strict name tells to the true one, which is a
    mean."""
    for member in ("cost_ms_per_step", "mean_cost_ms_per_step"):
        ratios, names = [], 0
        for truth, results in answers:
            true_ms = truth["cost_ms_per_step"]
            if true_ms < .01 * truth["step_ms_without"]:
                continue
            for c in rows_of(command, results[command, True]):
                if match(c, truth) != 2:
                    continue
                names += 1
                if c.get(member) is not None:
                    ratios.append(c[member] / true_ms)
        if ratios:
            print("%s of %s / true: %d strict names, %d without; median %.2f, "
                  "10 %% %.2f, 90 %% %.2f; %.0f %% within a factor of two" % (
                      member, command, names, names - len(ratios),
                      *(session.quantile(ratios, q) for q in (.5, .1, .9)),
                      100 * sum(.5 <= x <= 2 for x in ratios) / names))


def by_kind(answers):
    """Recall with the topology for each kind of session."""
    print("\nkind         visible  pairs strict, near  check strict, near")
    for kind in dict.fromkeys(session.job.KINDS):
        mine = [a for a in answers if a[0]["session"] == kind and
                a[0]["visible"]]
        best = {c: [max(names_of(c, r[c, True], t), default=0)
                    for t, r in mine] for c in ("pairs", "check")}
        if mine:
            print("%-12s %7d  %12d, %4d  %12d, %4d" % (
                kind, len(mine), *(sum(m >= x for m in best[c])
                                   for c in ("pairs", "check")
                                   for x in (2, 1))))


def main():
    p = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("netan")
    p.add_argument("-d", metavar="DIR", help="sessions, kept and used again")
    p.add_argument("-e", metavar="ENGINE", help="writes sessions")
    p.add_argument("-n", type=int, default=60, metavar="SESSIONS")
    p.add_argument("-s", type=int, default=1, metavar="SEED")
    p.add_argument("-j", type=int, default=1, metavar="JOBS")
    p.add_argument("--bare", action="store_true", help="no nuisances")
    p.add_argument("-l", action="store_true", help="list what was missed")
    a = p.parse_args()
    jobs = [(a.netan, a.d, seed, a.e, a.bare)
            for seed in range(a.s, a.s + a.n)]
    with concurrent.futures.ProcessPoolExecutor(a.j) as pool:
        answers = list(pool.map(judge, jobs))
    faults = [t for t, _ in answers if t["kind"]]
    print("simgrid: %d sessions, %d faults, %d visible\n" % (
        len(answers), len(faults), sum(t["visible"] for t in faults)))
    print("               found         found         names         names   "
          "      quiet,        not_guilty,   not_guilty\n"
          "               strict        near          strict        near    "
          "      named         visible       of healthy")
    missed = {}
    for way in WAYS:
        row, missed[way] = score(way, answers)
        print(row)
    reliability(answers)
    devices(answers)
    for command in ("pairs", "check"):
        costs(command, answers)
    by_kind(answers)
    for way in WAYS if a.l else []:
        print("\n%s%s:" % (way[0], " with topology" if way[1] else ""))
        print("\n".join(missed[way]))


if __name__ == "__main__":
    main()
