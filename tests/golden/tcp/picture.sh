# The picture says what is the matter; --connection and --direction choose.
cp "$NETAN_ROOT/tests/data/tcp.pcap" .
netan tcp tcp.pcap -o w.svg -o w.png -o w.pdf -o w.json
netan tcp tcp.pcap --connection 2 --theme dark -o x.svg
netan tcp tcp.pcap --connection 3 --direction rev -o y.svg
netan tcp tcp.pcap --connection 1 --direction rev -o z.svg
netan tcp tcp.pcap --from 100ms --to 400ms --src 10.0.0.1 -o a.svg
grep -hE '<(title|desc)>' w.svg x.svg y.svg z.svg a.svg
for f in w.svg w.png w.pdf x.svg; do
	test "$(wc -c <$f)" -lt 200000 && echo "$f ok"
done
# The sequence is in the result when a picture is drawn, and only then.
grep -c '"sequence"' w.json
netan tcp tcp.pcap --format json | grep -c '"sequence"'
tr -d '\n ' <w.json | grep -oE '"(segments|data_segments|acks|closures)":[0-9]+'
# A pipe is read twice as well, and packed files.
netan tcp - -o p.json -o p.svg <tcp.pcap
gzip -c tcp.pcap >g
netan tcp g -o g.json -o g.svg
for f in w p g; do
	sed -n '/"result"/,$p' $f.json >$f.result
done
cmp w.result p.result && cmp w.result g.result && echo same
# No packets of it: the picture says so.
netan tcp tcp.pcap --src 10.9.9.9 -o none.svg
echo "exit $?"
grep -c '<title>' none.svg
# None in a transfer file: a sentence.  Of a window without packets there is no
# connection.
netan tcp tcp.pcap --connection 3 -o whole.json -o whole.svg
netan ingest tcp.pcap -o tcp.netan 2>&1 | wc -l
netan tcp tcp.netan -o kept.json -o kept.svg
netan tcp tcp.pcap --from 1ms --to 1001us -o gap.svg
for f in whole kept; do
	tr -d '\n ' <$f.json | grep -oE '"segments(_outside)?":[0-9]+'
done
