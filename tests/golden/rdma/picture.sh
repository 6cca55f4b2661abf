# The picture says what is the matter; --queue-pair chooses.
netan synth -q -o a.pcap --connections 0 --rpcs 0 --roce 600 --hosts 8 \
	--condition roce-loss --condition congestion
netan rdma a.pcap -o w.svg -o w.png -o w.pdf -o w.json
netan rdma a.pcap --queue-pair 4 --theme dark -o x.svg
grep -hE '<(title|desc)>' w.svg x.svg
for f in w.svg w.png w.pdf x.svg; do
	test "$(wc -c <$f)" -lt 200000 && echo "$f ok"
done
# The marks are in the result when a picture is drawn, and only then.
grep -c '"sequence": {' w.json
netan rdma a.pcap --format json | grep -c '"sequence": {'
# A pipe is read, and packed files.
netan rdma - -o p.json -o p.svg <a.pcap
gzip -c a.pcap >g
netan rdma g -o g.json -o g.svg
for f in w p g; do
	sed -n '/"result"/,$p' $f.json >$f.result
done
cmp w.result p.result && cmp w.result g.result && echo same
