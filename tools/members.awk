# What the tables of members (members.def) become:
#
#	awk -f tools/members.awk -v make=h FILE...   identifiers, tables
#	awk -f tools/members.awk -v make=c FILE...   the tables as C
#
# A row is read by its first words alone; all else is the C compiler's work.

function word(n,    parts) {
	split($0, parts, /[(,) \t]+/)
	return parts[n]
}

/^(MAYBE_)?(VALUE|WORD|OBJECT|LIST|NAMED|JSON|HIDDEN)\(/ {
	name = word(2)
	if (!(name in names))
		order[++n] = name
	names[name] = 1
}

/^(TABLE|INLINE|NULLABLE|DEFINE)\(/ { tables[++n_tables] = word(2) "_" word(3) }

FNR == 1 { files[++n_files] = FILENAME }

function put_header(    k) {
	print "/* Generated from the tables of members: members.def. */"
	print "#ifndef GEN_MEMBERS_H\n#define GEN_MEMBERS_H\n"
	print "#include \"netan/result/member.h\"\n"
	for (k = 1; k <= n; k++)
		printf "#define M_%s \"%s\"\n", order[k], order[k]
	print ""
	for (k = 1; k <= n_tables; k++)
		printf "extern const struct na_table na_table_%s;\n", tables[k]
	print "\n#endif"
}

function put_pass(pass,    k) {
	printf "\n#define NA_PASS_%s\n#include \"netan/result/member_rows.h\"\n", pass
	for (k = 1; k <= n_files; k++)
		printf "#include \"%s\"\n", files[k]
	if (pass == "DOCUMENTS")
		print "{NULL, NULL, NULL}\n};"
	printf "#undef NA_PASS_%s\n", pass
}

function put_source(    k) {
	print "/* Generated from the tables of members: members.def. */"
	print "#include <stddef.h>\n\n#include \"members.h\""
	put_pass("ROWS")
	put_pass("TABLES")
	print "\nconst struct na_table *const na_tables[] = {"
	for (k = 1; k <= n_tables; k++)
		printf "\t&na_table_%s,\n", tables[k]
	print "\tNULL\n};"
	print "\nconst struct na_document na_documents[] = {"
	put_pass("DOCUMENTS")
}

END {
	if (make == "h")
		put_header()
	else
		put_source()
}
