# A typo gets a suggestion, nonsense does not, control characters are shown.
for c in timelin tiemline inof xyzzy --bogus "$(printf 'a\033[31m')"; do
	netan "$c"
	echo "exit $?"
done
netan help tmieline
# An input where the command should be; its name is pasted as one word.
mkdir 'a dir;x'
netan 'a dir;x'
# The query before the inputs.
netan sql 'SELECT 1' 'a dir;x'
