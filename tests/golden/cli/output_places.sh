# What -o names: files below /dev are files, descriptors are written as they
# were opened, links are followed, and long names have room for a temporary one.
netan synth -q -o job --hosts 2 --steps 3
at=$(echo job/plugins/profile/*)
said() { echo "$? $(tail -1 err)"; }
if [ -d /dev/shm ] && shm=$(mktemp -d /dev/shm/netan-XXXXXX 2>/dev/null); then
	trap 'rm -rf "$shm"' EXIT
	head -c 1000000 /dev/zero | tr '\0' 'x' >"$shm/x.json"
	ln "$shm/x.json" "$shm/old.json"
	netan sizes job -q -o "$shm/x.json" && tail -c 2 "$shm/x.json"
	[ "$(stat -c %s "$shm/old.json")" = 1000000 ] || echo "in place"
	netan export job -q -o "$shm/x.sqlite" && [ -s "$shm/x.sqlite" ] ||
		echo "no database"
else
	echo "}"
fi
echo "begin" >f
netan sizes job -q -o /dev/fd/3 --format json 3>>f
head -2 f
netan sizes job -q -o /dev/fd/3 --format json 3<f 2>err
said
netan sizes job -q -o /dev/netan-is-none --format json 2>err
said
echo "speech stays away from data"
netan ingest "$at/host-0.xplane.pb" -o /dev/stdout >a.netan
netan info -q a.netan | sed 1q
netan slice "$at/host-0.xplane.pb" --from 0s -o /dev/fd/1 >a.xplane.pb
netan info -q a.xplane.pb | sed 1q
netan slice "$at/host-0.xplane.pb" --from 0s -o /dev/fd/9 9>&1 >b.xplane.pb |
	cmp - a.xplane.pb
netan partial --shard 1/1 -o /dev/stdout pairs job >p.nap
netan merge -o /dev/stdout p.nap >plan.nap
netan partial -q --plan plan.nap --shard 1/1 -o q.nap pairs job && echo whole
echo "links"
mkdir far
ln -s far/new.json link.json
ln -s nowhere/new.json lost.json
ln -s loop.json loop.json
netan sizes job -q -o link.json && [ -L link.json ] && ls far
netan sizes job -q -o lost.json 2>err
said
netan sizes job -q -o loop.json 2>err
said
[ -L loop.json ] && [ -L lost.json ] || echo "a link is gone"
netan pairs job -q --ledger loop.json 2>&1 >nul
echo "long names"
long=$(printf '%0250d' 0)
netan sizes job -q -o "$long.json" && [ -s "$long.json" ] && echo written
netan sysctl -q --snapshot "$long-long" >nul && [ -d "$long-long" ] && echo kept
ls | grep -c tmp
