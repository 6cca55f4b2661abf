# Measures C sources for tools/house.sh.  Reads files in full; prints rows
#
#	ROOM<TAB>lines<TAB>comment lines<TAB>phrases<TAB>words
#	@<TAB>function<TAB>file<TAB>static or external
#
# A phrase is a string literal of three words or more; adjacent literals are
# one.  A function definition is a header that starts in the first column and
# is followed by a line with nothing but its opening brace.

function room_of(file,   part, n)
{
	n = split(file, part, "/")
	return part[1] == "netan" && n > 2 ? part[1] "/" part[2] : part[1]
}

function end_phrase(   n, word)
{
	gsub(/%[-+ #0-9.*]*(l|ll|z|h|j)?[a-zA-Z]/, " ", phrase)
	gsub(/\\./, " ", phrase)
	n = gsub(/[A-Za-z][A-Za-z'-]+/, "&", phrase)
	if (n >= 3) {
		phrases[room]++
		words[room] += n
	}
	phrase = ""
}

# Takes comments out of the line; counts it as a comment if it held one.
function strip(line,   at, held)
{
	held = 0
	while (1) {
		if (in_comment) {
			held = 1
			at = index(line, "*/")
			if (!at) {
				line = ""
				break
			}
			line = substr(line, at + 2)
			in_comment = 0
		}
		if (!match(line, /"([^"\\]|\\.)*"|\/\*|\/\//))
			break
		if (substr(line, RSTART, 1) == "\"") {
			kept = kept substr(line, 1, RSTART + RLENGTH - 1)
			line = substr(line, RSTART + RLENGTH)
			continue
		}
		held = 1
		kept = kept substr(line, 1, RSTART - 1)
		if (substr(line, RSTART, 2) == "//") {
			line = ""
			break
		}
		line = substr(line, RSTART + 2)
		in_comment = 1
	}
	comments[room, kind] += held
	line = kept line
	kept = ""
	return line
}

# Adds the literals of a line to the phrase, which ends at any other code.
function read_literals(line,   rest)
{
	while (match(line, /"([^"\\]|\\.)*"/)) {
		rest = substr(line, 1, RSTART - 1)
		if (rest ~ /[^ \t]/)
			end_phrase()
		phrase = phrase substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, RSTART + RLENGTH)
	}
	if (line ~ /[^ \t]/)
		end_phrase()
}

FNR == 1 {
	end_phrase()
	room = room_of(FILENAME)
	kind = FILENAME ~ /\.h$/ ? "h" : "c"
	in_comment = 0
	header = ""
}

{
	lines[room, kind]++
	code = strip($0)
	if (code ~ /^#/) {
		end_phrase()
		next
	}
	read_literals(code)
	if (code ~ /^[a-z].*\(/ && code !~ /;/)
		header = code
	else if (code == "{" && header != "") {
		name = header
		sub(/\(.*/, "", name)
		sub(/.*[ *]/, "", name)
		print "@\t" name "\t" FILENAME "\t" \
			(header ~ /^static/ ? "static" : "external")
		header = ""
	} else if (code ~ /[;}]/)
		header = ""
}

END {
	end_phrase()
	for (k in lines) {
		split(k, part, SUBSEP)
		rooms[part[1]] = 1
	}
	for (r in rooms)
		printf "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", r,
			lines[r, "c"], comments[r, "c"], lines[r, "h"],
			comments[r, "h"], phrases[r], words[r]
}
