# What a saved bundle calls its NICs and routes, and what files are called, is
# no command: all that netan prints to be pasted is pasted here, and nothing
# but these commands runs.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
bad='eth0;touch PWNED;$(touch PWNED)`touch PWNED`|&'
host h
mv h/sys/class/net/eth1 "h/sys/class/net/$bad"
put "h/sys/class/net/$bad/mtu" 1500
put "h/sys/class/net/$bad/statistics/rx_crc_errors" 17
put "h/sys/class/net/$bad/statistics/rx_errors" 17
put "h/sys/class/net/$bad/statistics/rx_missed_errors" 9
put h/proc/sys/net/core/somaxconn 128
printf '%s\n' 'default via 10.0.0.1 dev eth0;touch${IFS}PWNED proto static' \
	'10.9.0.0/16 via $(touch${IFS}PWNED) dev eth0' >h/routes.txt
cp -r h "it's h; touch PWNED"
netan synth -o 'a;touch PWNED' --hosts 2 --steps 2 >said
netan sysctl --root "it's h; touch PWNED" --format json >sysctl.json
netan check 'a;touch PWNED' --format json >check.json
netan check 'a;touch PWNED' 'no such;touch PWNED' >>said 2>&1
netan report 'a;touch PWNED' -o r.html >>said 2>&1

sh=$(command -v sh)
mkdir bin
for c in netan ip sysctl ethtool sudo echo; do
	printf '#!/bin/sh\nexit 0\n' >bin/$c
	chmod +x bin/$c
done
printf '#!/bin/sh\n: >"%s/PWNED"\n' "$PWD" >bin/touch
chmod +x bin/touch
PATH=$PWD/bin "$sh" -c "true;touch PWNED"
ls PWNED && rm PWNED # so it would be seen
{
	grep -h -o '"\(remedy\|command\)": "[^"]*\(\\"[^"]*\)*"' sysctl.json check.json |
		sed 's/^"[a-z]*": "//; s/"$//; s/\\"/"/g; s/\\\\/\\/g'
	sed -n 's/^next: //p; s/.*\(netan [a-z]* .*PWNED.*\)/\1/p' said
	sed -n 's/.*<code>\(netan [^<]*\)<.*/\1/p' r.html |
		sed "s/&#39;/'/g; s/&amp;/\&/g; s/&#x27;/'/g"
} >pasted
# Sentences hold commands behind a colon or a semicolon.
sed 's/.*\(ethtool -S\)/\1/' pasted >>pasted.more
cat pasted pasted.more | while IFS= read -r line; do
	PATH=$PWD/bin "$sh" -c "$line" </dev/null >/dev/null 2>&1
done
grep -c PWNED pasted | awk '{ print ($1 > 3 ? "many" : "few") " were pasted" }'
ls PWNED* 2>/dev/null || echo "nothing else ran"
grep -h 'mtu 8896\|ethtool' pasted
