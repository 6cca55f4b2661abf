# netan.conf: found where XDG says, a word of the command line, named in the
# result; typed options win; what is wrong in it has file and line.
export XDG_CONFIG_HOME="$PWD/cfg"
conf=cfg/netan/netan.conf
here() { sed "s|$PWD/||g"; }
run() { echo "\$ netan $*"; netan "$@" 2>&1 | here; }
coverage() { sed -n '/"settings": {/,/}/p'; }
mkdir -p cfg/netan
netan synth -q -o s --run r --hosts 4 --devices 2 --steps 3 --seed 3
printf 'host,rack\nhost-0,a\nhost-1,a\nhost-2,b\nhost-3,b\n' >cfg/netan/racks.csv
run help --settings | grep '^The file'
printf '# fleet\ncapacity = 4x200Gbps/2 # NICs\r\n\n  topology=racks.csv\ntheme = dark\nwide = yes\n' >$conf
run help --settings
run timeline s | grep 'netan.conf'
run timeline s --format json | coverage
echo '-- typed wins, and is not told as a setting'
run timeline s --capacity 100Gbps --format json | coverage
netan timeline s --capacity 100Gbps --format json | grep -c '"capacity_gbps": 100'
echo '-- off, and the same as if there were none'
netan timeline s --no-config >off
XDG_CONFIG_HOME= netan timeline s | cmp - off && cat off | grep -c capacity
echo '-- no file of the current folder, and no relative one'
cp $conf netan.conf
XDG_CONFIG_HOME=cfg netan timeline s | cmp - off && echo same
echo '-- to paste, with what was set, or with --no-config'
netan check s | here | grep '^More'
netan check s --no-config | grep '^More'
echo '-- no paths'
netan check s --anonymize --format json | coverage
netan check s --anonymize | grep -c "$PWD"
echo '-- drawn as set'
netan timeline s -q -o set.svg && netan timeline s --no-config -q -o typed.svg --capacity 4x200Gbps/2 --topology "$PWD/cfg/netan/racks.csv" --theme dark
grep -o '<rect[^>]*>\|fill="[^"]*"' set.svg | sort >a; grep -o '<rect[^>]*>\|fill="[^"]*"' typed.svg | sort >b; cmp a b && echo same
echo '-- shards: as typed'
for r in 0 1; do
	for k in 1 2; do
		netan partial -q $plan --shard $k/2 -o p$r.$k.nap check s
	done
	[ $r = 1 ] || netan merge -q -o plan.nap p0.*.nap
	plan='--plan plan.nap'
done
netan merge p1.*.nap >merged
netan check s --no-config --capacity 4x200Gbps/2 --topology "$PWD/cfg/netan/racks.csv" --wide | sed -e '/^More/d' -e '/^Draw/d' >whole
sed -e '/^More/d' -e '/^Draw/d' merged | cmp - whole && echo same
netan partial -q --no-config --shard 2/2 -o p0.2.nap check s
run merge -o plan.nap p0.*.nap
echo '-- who has no such option does not ask for it'
printf 'wrong\n' >$conf
netan completion bash >out && netan help timeline >out && netan timeline --help >out && netan synth -q -o z && echo fine
echo '-- wrong'
try() { printf "$1" >$conf; run ${2:-timeline s}; netan ${2:-timeline s} >out 2>&1; echo "exit $?"; }
try 'x\n'
try '\n= 3\n'
try 'output = a\n'
try 'hosts = a.csv\n'
try 'capacity = fast\n'
try 'capacity =\n'
try 'capacity = 1Gbps\ncapacity = 2Gbps'
try 'theme = blue' sysctl
try 'wide = maybe'
try 'topology = none.csv'
try 'topology = none.csv' 'pairs --anonymize s'
try 'topology = ~/none.csv' 'pairs s' | sed "s|$HOME|HOME|"
try '\033[31m = 3\n'
try 'a\0b'
try '[x]' 'help --settings' | here
echo '-- shown with what is wrong in it'
printf 'colour = never\ncapacity = fast\ntheme = blue\nwide = yes\nwide = no\ntopology = none.csv\n' >$conf
run help --settings
run help --settings --anonymize | grep -c "$PWD"
printf 'host,rack\nother,a\n' >cfg/netan/racks.csv
try 'topology = racks.csv' 'pairs s'
head -c 70000 /dev/zero | tr '\0' '#' >$conf
run timeline s
rm $conf && mkfifo $conf && run timeline s
rm $conf && mkdir $conf && run timeline s
rmdir $conf && ln -s nowhere $conf && netan timeline s | cmp - off && echo 'none'
