# debian/changelog out of CHANGELOG.md, an entry for each "## VERSION - DATE";
# what is under "## Unreleased" is a state behind the last release, which sorts
# between it and the next one.
#
#	awk -f changelog.awk -v version=0.1.0 -v state=20261123.1713.1a2b3c4
#		-v date='Mon, 23 Nov 2026 ...' -v maintainer='NAME <MAIL>'

function put(item,   words, n, i, line)
{
	gsub(/`/, "", item)
	n = split(item, words, " ")
	line = "  *"
	for (i = 1; i <= n; i++) {
		if (length(line) + 1 + length(words[i]) > 78) {
			text = text line "\n"
			line = "   "
		}
		line = line " " words[i]
	}
	text = text line "\n"
}
function end_item()
{
	if (item != "")
		put(item)
	item = ""
}
function end_entry()
{
	end_item()
	if (name != "" && text != "")
		printf "netan (%s) unstable; urgency=medium\n\n%s\n -- %s  %s\n\n",
			name, text, maintainer, when
	text = ""
}
# RFC 5322, of 2026-11-23.
function mail_date(iso,   d, y, m, k, day)
{
	split(iso, d, "-")
	y = d[1] - (d[2] < 3)
	m = substr("032503514624", d[2], 1)
	day = (y + int(y / 4) - int(y / 100) + int(y / 400) + m + d[3]) % 7
	return sprintf("%s, %02d %s %d 00:00:00 +0000",
		substr("SunMonTueWedThuFriSat", 3 * day + 1, 3), d[3],
		substr("JanFebMarAprMayJunJulAugSepOctNovDec", 3 * d[2] - 2, 3),
		d[1])
}
/^## / {
	end_entry()
	if ($2 == "Unreleased") {
		name = version "+git" state
		when = date
	} else {
		name = $2
		when = $4 ? mail_date($4) : date
	}
	next
}
/^- / { end_item(); item = substr($0, 3); next }
/^[ \t]*$/ { end_item(); next }
name != "" { item = item " " $0 }
END { end_entry() }
