# A typo gets a suggestion, nonsense does not, control characters are shown.
for c in timelin tiemline inof xyzzy --bogus "$(printf 'a\033[31m')"; do
	netan "$c"
	echo "exit $?"
done
netan help tmieline
