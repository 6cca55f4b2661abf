# What is wrong is said before long work, and nothing is left behind.
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 >/dev/null
try()
{
	netan report "$@" 2>&1
	echo "exit $?"
}
try
try t
try t -o x.svg
try t -o page.txt
try t -o no/such/folder/x.html
try t -o x.html --capacity fast
try t -o x.html --topology nowhere.csv
try --label a t --label b t -o x.html
# Two runs, with labels or without: the first refusal says all.
netan synth -o t2 --run q --hosts 2 --devices 1 --steps 3 >/dev/null
try t/plugins/profile/r t2/plugins/profile/q -o x.html
try nothing -o x.html
: >empty.pb
try empty.pb -o x.html
echo garbage >garbage
try garbage -o x.html
try t --host nobody -o x.html
try t --from 5h -o x.html
mkdir folder.html
try t -o folder.html
cp t/plugins/profile/r/host-0.xplane.pb x.html
try x.html -o x.html
echo "standard output, and where it is full"
netan report t -o - | sed -n '1p;$p'
netan report t -o - | sed 1q
netan report t -o - 2>&1 >/dev/full
echo "exit $?"
netan report t -o /dev/full 2>&1
echo "exit $?"
ls
