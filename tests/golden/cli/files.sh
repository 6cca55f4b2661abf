# Files appear whole, keep permissions and links, and devices stay devices.
netan synth -o t --run r --hosts 1 --devices 2 --slices 1 --steps 1 \
	--ops 1 --generation both >/dev/null 2>&1
umask 022
echo old >real.json
chmod 640 real.json
ln -s real.json link.json
netan info t -q -o new.csv -o link.json -o - --format tsv --table totals |
	head -c 12
echo
for f in new.csv real.json; do
	stat -c '%n %a %F' $f
done
stat -c '%n %F' link.json
head -n 2 real.json
mkfifo pipe
cat pipe >got &
netan info t -q -o pipe --format json
wait
cmp got real.json
netan info t -q -o /dev/stdout --format json | cmp - real.json
[ -c /dev/full ] || exit 0
netan info t -q -o /dev/full --format json
echo "exit $?"
ls
