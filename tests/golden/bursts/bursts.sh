# The list holds the longest in order of time; none of the bytes is lost
# where all are listed; pieces of a window add up to the whole.
netan synth -o t --run r --hosts 2 --devices 2 --steps 3 >/dev/null
netan bursts t --top 3 --table bursts --format csv
netan bursts t --top 3 --format json | grep bursts_total
bytes()
{
	netan bursts t "$@" --top 65536 --table bursts --format csv |
		awk -F, 'NR > 1 { b += $4; n += $3 } END { printf "%.0f %d\n", b, n }'
}
bytes
bytes --gap 1s
bytes --from 0 --to 50ms
bytes --from 50ms
netan timeline t --format json | grep rx_bytes
