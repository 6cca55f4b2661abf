# One digest behind every kind of prefix says the same thing.
cat >plain <<'END'
Megascale hang detected: Timed out waiting for 2 graphs to complete at launch_id 811. Already completed: 40. StepGloballyInProgress: true Timeout: 1m30s
Megascale detects a hang that is likely caused by running different modules on different devices. Please confirm.
  Example hosts that have different HLO modules: host-c
  Full error digest:
    Potential cause: Different module
    Potential culprit workers: trainer/3:host-c
    TPU states:
      Module: jit_a
      Fingerprint: f1
      Launch ID: 810
        3:0x7f(all-reduce.1): host-c
      Module: jit_b
      Fingerprint: f2
      Launch ID: 811
        3:0x1(fusion): host-a, host-b
END
each() { # FILE SED-SCRIPT
	sed "$2" plain >"$1"
}
each glog 's/^/I0102 03:04:05.678901      77 megascale.cc:123] /'
each glog-times 's/^\(Meg\)/E0102 03:09:06.1 77 y.cc:8] \1/'
each iso 's/^/2026-01-02T03:04:05.678Z stderr F /'
each kubectl 's/^/[pod\/job-worker-3\/main] /'
each both 's/^/[pod\/job-worker-3\/main] /; s/\] \(Meg\)/] E0102 03:09:06.1 77 y.cc:8] \1/'
each compose 's/^/worker_3  | /'
each python 's/^\(Meg\)/2026-01-02 03:04:05,678 ERROR runtime: \1/'
each exception 's/^\(Meg\)/jaxlib.xla_extension.XlaRuntimeError: INTERNAL: \1/'
each syslog 's/^/Jan  2 03:04:05 host-0 job[99]: /'
each upper 'y/abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ/; s/HOST-/host-/g; s/TRAINER/trainer/; s/0X/0x/; s/1M30S/1m30s/'
each crlf 's/$/\r/'
each json 's/.*/{"log":"&\\n","stream":"stderr","time":"2026-01-02T03:04:05.1Z"}/'
awk '{ s = s $0 "\\n" } END { print "{\"insertId\":\"x\",\"textPayload\":\"" s "\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"resource\":{\"labels\":{\"pod_name\":\"w-3\"}}}" }' plain >cloud
awk '{ s = s $0 "\\n" } END { print "[\n  {\n    \"textPayload\": \"" s "\",\n    \"severity\": \"ERROR\"\n  }\n]" }' plain >pretty
awk '{ s = s (NR > 1 ? "," : "") "{\"textPayload\":\"" $0 "\",\"severity\":\"ERROR\"}" } END { print "[" s "]" }' plain >array
awk '{ s = s $0 "\\n" } END { print "{\"message\":\"starts\"} {\"jsonPayload\":{\"message\":\"" s "\"}}" }' plain >objects
awk '{ s = s $0 "\\n" } END { print "{\"message\":\"E0102 03:04:05.1 1 x.cc:1] said \\\"a\\\\nb\\\" and\\n" s "\"}" }' plain >quoting
each docker-json 's/.*/{"log":"{\\"message\\":\\"&\\",\\"level\\":\\"info\\"}\\n","stream":"stderr"}/'
each journald 's/.*/{"__REALTIME_TIMESTAMP":"1767323045100000","_HOSTNAME":"w-3","MESSAGE":"&"}/'
each colours "s/.*/$(printf '\033')[1;31mw-3 |$(printf '\033')[0m &$(printf '\033')[K/"
each logfmt 's/.*/time=2026-01-02T03:04:05Z level=error msg="&" pod=w-3/'
awk 'BEGIN { print "timestamp,jsonPayload.message,resource.labels.pod_name" }
	{ printf "2026-01-02T03:04:%02dZ,\"%s\",w-3\n", NR, $0 }' plain >csv
awk 'BEGIN { print "pod;message;trace" } { s = s $0 "\n" }
	END { printf "w-3;\"INTERNAL: \"\"%s\"\"\";12\n", s }' plain >csv-quotes
gzip -n <plain >packed.gz
ways=packed.gz
command -v zstd >/dev/null && zstd -q <plain >packed.zst && ways="$ways packed.zst"
tail -n +2 plain | tr -d '\n' >one-line
only() { # what is told, without where and when
	sed '/"time"/d; /"inputs"/,/^  \]/d; /"file"/d; /"line"/d; /"source"/d; /"coverage"/,/^  }/d'
}
netan hang plain --format json | only >want
for f in glog glog-times iso kubectl both compose python exception syslog crlf json cloud pretty array objects quoting docker-json \
	journald colours logfmt csv csv-quotes $ways; do
	if netan hang $f --format json | only | cmp -s - want; then
		[ $f = packed.zst ] || echo "same: $f"
	else
		echo "OTHER: $f"
		netan hang $f --format json | only | diff - want
	fi
done
netan hang upper | grep -a -v next:
netan hang one-line | grep -a -v next:
cat want
echo "objects over several lines"
cat >over.json <<'LOG'
[
  {
    "insertId": "a",
    "textPayload": "Megascale detects a hang that is likely caused by a networking issue.",
    "timestamp": "2026-01-02T03:04:05Z"
  },
  {
    "textPayload": "Full error digest:\n  Potential cause: Networking issue"
  },
  {
    "textPayload": "  Potential culprit workers: t/3:host-a, t/4:host-b",
    "labels": {
      "x": "y"
    }
  }
]
LOG
netan hang over.json | head -1
# Of a long line what is around the first words of a hang is read: whole
# objects of it.
awk '{ s = s $0 "\\n" } function noise(n, i) {
	for (i = 0; i < n; i++) printf "{\"textPayload\":\"%070d\",\"x\":{\"a\":\"b\"}},", i }
	END { printf "["; noise(2000); print "{\"textPayload\":\"" s "\"},"; noise(2000);
	print "{}]" }' plain | tr -d '\n' >long
netan hang long --format json | only | cmp - want
# A quote that nothing ends takes no more than a line may have.
awk 'BEGIN { print "n,message"; print "0,\"cut"; for (i = 0; i < 2000; i++) printf "%d,%060d\n", i, i }
	{ printf "%d,\"%s\"\n", NR, $0 }' plain >csv-cut
netan hang csv-cut --format json | only | cmp - want
echo "who says it, and when"
for f in journald logfmt csv colours; do
	netan hang $f --format json | grep -E '"(source|time)": "'
done
