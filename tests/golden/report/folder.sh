# report -o DIR: Markdown and pictures for an issue tracker.
netan synth -o t --hosts 4 --steps 6 --seed 5 --fault slow-sender:host-1:3 \
	>synth.log 2>&1
netan report t -o d/ -q
echo "exit $?"
ls d
# Every picture is named in the text, and every one that is named is there.
grep -oE '\]\([a-z]+\.png\)' d/report.md | sort
head -n 1 d/report.md
grep -E '^#{1,2} ' d/report.md
sed -n '/^\*\*/p;/^```/,/^```/p' d/report.md | head -n 5
# A picture is twice as large as its default, and says how to get it again.
head -c 24 d/timeline.png | tail -c 8 | od -An -tx1
grep -ao 'Command.netan[ -~]*' d/timeline.png | tr '\0' ' '
# The same bytes again, into the directory of an earlier report; a picture
# that this one has not goes.
cp -r d before
cp d/timeline.png d/tcp.png
netan report t -o d/ -q -j 1
echo "exit $?"
diff -r -I "^netan report" before d && echo same
# What the same line has written beside it is written again.
for round in 1 2; do
	netan report t -q -o d/ -o d/../d/x.pftrace
	echo "exit $?"
done
rm d/x.pftrace
# Not into what is not ours.
mkdir other mine
echo precious >other/notes.txt
echo '# My report' >mine/report.md
touch file
for o in other mine file d/report.md no/such x.pdf .; do
	netan report t -o $o 2>&1
	echo "exit $?"
done
cat other/notes.txt mine/report.md
# Page and directory at once; captures.
netan synth -o c.pcap --seed 2 >synth.log 2>&1
netan report c.pcap -o c.html -o empty -q
echo "exit $?"
ls empty
grep -A3 '^## Not run' empty/report.md
