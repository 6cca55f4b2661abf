# What an HTML checker says of pages of a trace and of a capture.
command -v tidy >/dev/null || { echo "skip: tidy is not installed"; exit 77; }
netan synth -o t --run r --hosts 3 --devices 2 --steps 6 >/dev/null
netan synth -o c.pcap --rpcs 50 >/dev/null
netan report t -o t.html || exit 1
netan report c.pcap -o c.html || exit 1
# SVG allows an id there; this checker does not know.
for p in t.html c.html; do
	tidy -q -e $p 2>&1 | grep -v '<title> proprietary attribute "id"'
	grep -c '</html>' $p
done
