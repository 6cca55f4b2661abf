# Pending counts, arrivals and bursts of small sets of intervals, by brute force:
#	python3 tests/oracle/bursts.py >tests/oracle/bursts.tsv
# Times are microseconds; a level is counted at every half microsecond, a
# window by looking at every start.  "-": not defined.
import numpy as np

rng = np.random.RandomState(20)


def text(x):
    return "-" if x is None or not np.isfinite(x) else repr(float(x))


def pending(start, end):
    first, last = start.min(), end.max()
    if last == first:
        return [None] * 7
    ticks = np.arange(first, last) + 0.5
    level = ((start[:, None] < ticks) & (end[:, None] > ticks)).sum(axis=0)
    ordered = np.sort(level)
    q = [ordered[-(-len(ticks) * p // 100) - 1] for p in (50, 90, 99)]
    return [level.mean(), level.var(), *q, level.max(), (level == 0).mean()]


def idc(start, first, last, width):
    n = (last - first) // width
    if n < 10:
        return None
    count = np.array([((start >= first + k * width) &
                       (start < first + (k + 1) * width)).sum()
                      for k in range(n)])
    return count.var(ddof=1) / count.mean() if count.sum() else None


def burstiness(start):
    gaps = np.diff(np.sort(start)).astype(float)
    n = len(gaps)
    if n < 2 or gaps.mean() == 0:
        return None, None, None
    r = gaps.std() / gaps.mean()
    finite = ((np.sqrt(n + 1) * r - np.sqrt(n - 1)) /
              ((np.sqrt(n + 1) - 2) * r + np.sqrt(n - 1)))
    memory = None
    if n >= 4 and gaps[1:].std() > 0 and gaps[:-1].std() > 0:
        memory = np.corrcoef(gaps[:-1], gaps[1:])[0, 1]
    return (r - 1) / (r + 1), finite, memory


def bursts(start, end, gap):
    out = []
    for s, e in sorted(zip(start, end)):
        if s == e:
            continue
        if out and s <= out[-1][1] + gap:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([s, e])
    for b in out:
        at = [s for s in start if b[0] <= s < b[1]]
        b.append(max(((start <= s) & (end > s)).sum() for s in at))
    return out


print("# what; times in us.  interval: start end.  pending: mean variance p50 "
      "p90 p99 max idle.\n# arrivals: idc(1 10 100 1000 ms) plain finite "
      "memory.  burst: gap from to peak.  period: gap median.\n# end closes "
      "a case.")
for case in range(60):
    n = [1, 2, 3, 4, 5, 6, 12, 40, 120][case % 9]
    span = [10, 40, 300, 3000, 12000, 300000][case % 6] * (1 + case % 4)
    start = rng.randint(-span, span, n)
    if case % 4 == 1:
        start -= start % 7
    end = start + rng.randint(0, max(2, 2 * span // n), n)
    instant = rng.rand(n) < 0.1
    end[instant] = start[instant]
    if case % 5 == 4:
        end = np.minimum(end, start + 2)
    first, last = start.min(), end.max()
    for s, e in zip(start, end):
        print("interval", s, e, sep="\t")
    print("pending", *map(text, pending(start, end)), sep="\t")
    print("arrivals", *[text(idc(start, first, last, w))
                        for w in (1000, 10000, 100000, 1000000)],
          *map(text, burstiness(start)), sep="\t")
    for gap in (0, 3):
        found = bursts(start, end, gap)
        for b in found:
            print("burst", gap, *b, sep="\t")
        period = np.median(np.diff([b[0] for b in found])) if len(
            found) > 1 else None
        print("period", gap, text(period), sep="\t")
    print("end")
