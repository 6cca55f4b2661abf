# Every command has help, no line of it wider than 80 columns, and a page.
for c in $(netan completion bash | sed -n "s/.*compgen -W '\(.*\) --help --version'.*/\1/p"); do
	netan help "$c" >text || echo "$c: exit $?"
	sed -n 1p text | grep -q "^netan $c - ." || echo "$c: no question"
	grep -q "^Usage: netan $c " text || echo "$c: no usage"
	# options only: an example may be long
	sed '/^Example/,$d' text | grep -n '^ .\{80\}' && echo "$c: too wide"
	netan help --man "$c" >page || echo "$c: exit $?"
	grep -q '^\.SH OPTIONS' page || echo "$c: no page"
	LC_ALL=C grep -n '[^ -~]' page && echo "$c: not ASCII"
	if command -v groff >/dev/null; then
		groff -man -Tascii -ww -z page 2>&1
	fi
done
netan help --man netan | sed -n 1,3p
