# report -o x.pftrace: a trace for Perfetto beside the page, which links to it.
netan synth -q -o s --run r --hosts 2 --steps 3
mkdir there
netan report s -o page.html -o 'the trace.pftrace' | sed 's/, [0-9.]* [KM]iB/, SIZE/'
grep -o 'Beside this page: .*' page.html
netan export s -q -o same.pftrace && cmp same.pftrace 'the trace.pftrace' && echo same
netan report s -q -o there/page.html -o 'there/x.pftrace.gz' -o y.pftrace
grep -o 'Beside this page: .*download>' there/page.html
# Elsewhere, or where names are left out: no link.
netan report s -q -o page.html -o there/z.pftrace
netan report --anonymize s -q -o hidden.html -o z.pftrace
grep -c 'Beside this page' page.html hidden.html
for o in x.sqlite x.pftrace; do
	netan report s -o $o
	echo "status $?"
done
netan report s -o page.html -o no/such.pftrace
netan report s -o page.html -o there
ls . there
# A folder tells of it, too.
mkdir folder
netan report s -q -o folder/ -o folder/z.pftrace && sed -n 4p folder/report.md
