# On a terminal a plain fault takes a screen, and -v prints the rest; a pipe
# has all of it, unless --short asks for less.
netan synth -q --hosts 4 --steps 10 --fault slow-sender:host-3:3 -o job
COLUMNS=80 netan check job >screen
[ "$(wc -l <screen)" -le 25 ] && [ "$(wc -w <screen)" -le 220 ] && echo short
netan check job --short | grep -e ^error -e ^info -e '^[0-9]* checks' | cut -c 1-40
netan check job --short -v 2>&1 | grep -c -e ^passed -e '^Skipped checks'
netan check job --short --format json >a
netan check job --format json | cmp - a && echo same
