# Where calls that put or read a member of a result name it by a string instead
# of by its identifier (netan/result/member.h):
#
#	awk -f tests/literals.awk FILE...
#
# The name is the third argument of a builder and the second of a reader.

# Whether argument `want` of a call, whose arguments begin `args`, holds a
# string other than the "." of a path.
function is_literal(args, want,    at, depth, c, n)
{
	for (at = 1; at <= length(args); at++) {
		c = substr(args, at, 1)
		if (c == "\"") {
			match(substr(args, at + 1), /^([^"\\]|\\.)*"/)
			if (n == want && substr(args, at, 3) != "\".\"")
				return 1
			at += RLENGTH
		} else if (c ~ /[([{]/) {
			depth++
		} else if (c ~ /[])}]/) {
			if (depth-- == 0)
				return 0
		} else if (c == "," && depth == 0 && ++n > want) {
			return 0
		}
	}
	return 0
}

function look_through(file, text,    calls, n, i, line, name)
{
	# Each piece but the first begins with the arguments of a call.
	gsub(/[^a-z_0-9]na_(put_(object|list|null|bool|int|id|real|text|textf|reals|rows|alias|amount|whole)|get|dig|first|length|reals_at|columns_add|(number|count|text|flag)_(at|or))\(/,
		"&\001", text)
	n = split(text, calls, "\001")
	line = 1 + gsub(/\n/, "\n", calls[1])
	for (i = 2; i <= n; i++) {
		if (is_literal(calls[i], calls[i - 1] ~ /na_put_[a-z]+\($/ ? 2 : 1))
			print file ":" line
		line += gsub(/\n/, "\n", calls[i])
	}
}

FNR == 1 {
	if (NR > 1)
		look_through(file, text)
	file = FILENAME
	text = ""
}

{ text = text $0 "\n" }

END { look_through(file, text) }
