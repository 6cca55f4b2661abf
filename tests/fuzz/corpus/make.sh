#!/usr/bin/env bash
# Makes the kept seeds of wire/ and open/ anew, with netan from PATH:
#
#	PATH="$PWD/build:$PATH" bash tests/fuzz/corpus/make.sh
#
# Same program, same bytes.  What a fuzzer found is kept beside them, under
# names that begin with "found-".
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p wire open

hex() { sed 's/#.*//' | tr -d ' \n' | sed 's/../\\x&/g' | { read -r s || true; printf '%b' "$s"; }; }

# NAME OPTION...: one host's file of a tiny job.
tiny()
{
	local to=$1
	shift
	netan synth -o "$work/$to" --run r --hosts 2 --devices 1 --steps 1 \
		--collectives 1 --ops 1 --only host-0 "$@" >/dev/null
	find "$work/$to" -name 'host-0.xplane.pb*' -exec cp {} "$to.new" \;
	rm -rf "${work:?}/$to"
}

# trace-formats.md, 1.4: one message event, most of its stats missing.
hex >wire/worked-example.pb <<'END'
0a69 1209 2f686f73743a435055
1a1b 0809 18e807
 2214 0807 10e0c65b 1800 220408013803 220408022032
2209 0807 1205 0807 120145
2a11 0801 120d 0801 1209 64636e5f6c6162656c
2a13 0802 120f 0802 120b 6475726174696f6e5f7573
2a0c 0803 1208 0803 1204 61722e31
END
tiny graph
tiny message --generation message
tiny both --generation both --fault bad-key:0:1 --fault loopback:0:1
tiny cut --fault truncate:host-0:0.7
tiny gzip --compress gzip
tiny zstd --generation message --compress zstd
mv graph.new wire/graph.pb
mv message.new wire/message.pb
mv both.new wire/both.pb
mv cut.new wire/truncated.pb
mv gzip.new open/graph.gz
mv zstd.new open/message.zst

cp wire/worked-example.pb open/plain.pb
gzip -n -9 <wire/worked-example.pb >open/example.gz
{ head -c 50 wire/worked-example.pb | gzip -n
  tail -c +51 wire/worked-example.pb | gzip -n; } >open/members.gz
{ cat open/example.gz; head -c 100 /dev/zero; } >open/padded.gz
head -c -6 open/example.gz >open/short.gz
{ head -c -8 open/example.gz; printf 'wrong sum'; } >open/checksum.gz
head -c -5 open/message.zst >open/short.zst
gzip -n <open/example.gz >open/twice.gz
head -c 300000 /dev/zero | gzip -n >open/zeros.gz
printf '{"displayTimeUnit":"ns","traceEvents":[{"ph":"X"},{}]}' >open/trace.json
printf '\n{"traceEvents": []}\n' >open/newline.json
printf '\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a' >open/capture.pcapng
printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00' >open/capture.pcap
printf '\x83\xaf\x70\xd1\x0d\x88\x4a\x3f' >open/trace.riegeli
printf 'Metric: ExecuteTime\n  TotalSamples: 96\n' >open/metrics.txt
: >open/empty
