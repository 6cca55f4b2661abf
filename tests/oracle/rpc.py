# Quantiles of latency by bin of 100 ms, NumPy's own:
#	python3 tests/oracle/rpc.py >tests/oracle/rpc.tsv
# 700 transfers: end and latency in us by the formulas below.
import numpy as np

i = np.arange(700, dtype=np.int64)
end = 100000 + (i * i * 37 + i * 1009) % 2000000
end = end + np.where(end > 1500000, 300000, 0)  # bins without any
latency = 10 + (i * 7919 % 997) ** 2 // 50
print("# bin count p50_us p99_us max_us; nan: a gap")
for b in range(int(end.min() // 100000), int(end.max() // 100000) + 1):
    x = latency[end // 100000 == b]
    q = [repr(float(np.percentile(x, p))) if len(x) else "nan"
         for p in (50, 99, 100)]
    print(b, len(x), *q, sep="\t")
