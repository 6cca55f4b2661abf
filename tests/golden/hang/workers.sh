# Workers that interleave, logs that are cut, very long lines.
digest() { # PREFIX CAUSE CULPRITS
	sed "s/^/$1 /" <<-END
	Megascale detects a hang that is likely caused by $2 on the following hosts.
	  Full error digest:
	    Potential cause: $2
	    Potential culprit workers: $3
	    TPU stats:
	      $3: 0x1f
	END
}
echo "== interleaved, line by line"
digest '[pod\/a]' 'bad TPU chips' host-1 >a
digest '[pod\/b]' 'data input stall' host-2 >b
seq -f 'I0102 03:04:05.1      77 loop.cc:7] step %.0f: 3' 6 >noise
paste -d '\n' a noise b >mixed
netan hang mixed | grep -a -v next:
echo "== threads of one process; the rest of a message has no prefix"
cat >threads <<'END'
E0102 03:09:06.1 77 y.cc:8] Megascale detects a hang that is likely caused by bad TPU chips on the following hosts.
  The host that have bad TPUs are: host-1
I0102 03:09:06.2 99 z.cc:3] loss: 5
I0102 03:09:06.3      99 z.cc:3] host-7: 0
  Full error digest:
    Potential cause: Bad TPU chips
    Potential culprit workers: host-1
    TPU stats:
      host-1: 0
I0102 03:09:07.2 77 z.cc:3] host-8: 5
      host-9: 5
END
netan hang threads | grep -a -v next:
echo "== cut after every line"
n=$(wc -l <threads)
for i in $(seq 1 "$n"); do
	head -n "$i" threads >cut
	netan hang cut | head -1
done
echo "== its beginning is missing"
tail -n 4 b >tail
netan hang tail | grep -a -v next:
echo "== a line of a megabyte before it, in it, and a digest in one"
long=$(printf '%01048576d' 0)
{
	echo "$long"
	head -n 2 a
	echo "$long"
	tail -n +3 a
	printf '%s E0102 03:09:06.1 77 y.cc:8] Megascale hang detected: Timed out waiting for 3 graphs to complete at launch_id 5. Timeout: 2.5s %s\n' "$long" "$long"
} >long
netan hang long | grep -a -v next:
echo "== a list of a megabyte"
{
	echo 'Full error digest:'
	echo '  Potential cause: Bad TPU chips'
	printf '  Potential culprit workers: '
	seq -f 'host-%.0f,' 1 100000 | tr '\n' ' '
} >list
netan hang list | sed -n '1p; $p'
echo "== NULs, broken UTF-8 and no end"
{
	printf '\0\0\377\376 step\0 1\n'
	head -n 5 a
	printf '[pod/a]       host-1: 0x'
} >odd
netan hang odd | head -1
echo "== the same hang told by four workers, and by the coordinator in two logs"
mkdir logs
for w in 0 1 2 3; do
	echo "2026-01-02T03:04:0${w}Z Megascale hang detected: Timed out waiting for $((w + 1)) graphs to complete at launch_id $((811 - (w == 2))). Already completed: $w. StepGloballyInProgress: false. Timeout: 5m" >logs/worker-$w.log
done
sed 's/^/2026-01-02T03:05:00Z /; s/\[pod.a\] //' a >logs/coordinator.log
gzip -n <logs/coordinator.log >logs/copy.log.gz
mkdir logs/plugins
echo 'Megascale hang detected: no' >logs/plugins/h.xplane.pb
netan hang logs
echo "== any number of threads"
netan hang logs -j 1 --format json >one
netan hang logs -j 4 --format json >four
cmp one four && echo same
echo "== an hour later is another hang"
sed 's/T03:/T04:/' logs/worker-1.log >>logs/worker-1.log
netan hang logs | head -1
