# What a person reads, in every form; the commands that it shows work as they
# are, whatever the names.
netan synth -q -o "it's a job" --run r --hosts 8 --devices 2 --steps 10 --fault slow-sender:host-3:3
echo '== text'
netan check "it's a job" --from 0.1s --host 'host-*'
echo '== Markdown'
netan check "it's a job" --format md
echo '== CSV'
netan check "it's a job" --format csv
echo '== JSON, without what stands around it'
netan check "it's a job" --format json | sed -n '/^  "result"/,$p'
echo '== colours'
netan check "it's a job" --color always | grep -a -E 'error|info|passed' | cut -c 1-30 | od -c | sed -n 1,3p
echo '== the commands of the findings'
netan check "it's a job" --topology racks.csv 2>&1 | head -n 1
for k in 0 1 2 3 4 5 6 7; do echo "host-$k,rack-$((k / 4))"; done >racks.csv
netan check "it's a job" --topology racks.csv --from=0.1s --capacity 100Gbps --src '*' |
	sed -n -e 's/^More: //p' -e 's/^Draw: //p' | while IFS= read -r line; do
	echo "$line"
	eval "$line" >out || echo "exit $?"
	head -n 1 out
done
