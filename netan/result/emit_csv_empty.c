/*
 * The header of a table that has no rows: the members that its command
 * declares, also those that a row may lack.  A group's key is not known then.
 */
#include <string.h>

#include "members.h"
#include "netan/result/emit_impl.h"
#include "netan/result/member.h"

struct header {
	FILE *out;
	char comma;
	size_t n;
};

static void put_name(struct header *h, const char *outer, const char *name,
		     const char *end)
{
	if (h->n++)
		putc(h->comma, h->out);
	fprintf(h->out, "%s%s%s%s", outer, *outer ? "." : "", name, end);
}

static void put_table(struct header *h, const char *outer,
		      const struct na_table *t);

static void put_member(struct header *h, const char *outer,
		       const struct na_member *m)
{
	char path[48];

	if (strcmp(m->name, M_key) == 0)
		return;
	switch (m->type) {
	case NA_T_OBJECT:
		if (strchr(outer, '.'))
			return;
		snprintf(path, sizeof(path), "%.22s%s%.22s", outer,
			 *outer ? "." : "", m->name);
		put_table(h, path, m->of);
		break;
	case NA_T_NUMBERS:
		if (!strstr(m->name, "ci95"))
			return;
		put_name(h, outer, m->name, ".lower");
		put_name(h, outer, m->name, ".upper");
		break;
	case NA_T_INTEGERS:
	case NA_T_TEXTS:
	case NA_T_LIST:
	case NA_T_JSON:
	case NA_T_HIDDEN:
		break;
	default:
		put_name(h, outer, m->name, "");
		break;
	}
}

static void put_table(struct header *h, const char *outer,
		      const struct na_table *t)
{
	if (!t)
		return;
	put_table(h, outer, t->base);
	for (const struct na_member *m = t->members; m && m->name; m++)
		put_member(h, outer, m);
}

static bool is_list(const struct na_member *m)
{
	return m && (m->type == NA_T_LIST || m->type == NA_T_TEXTS);
}

static bool is_table(const struct na_member *m)
{
	return is_list(m) || (m && m->type == NA_T_OBJECT);
}

/* Of the result itself, or of the rows of one of its lists. */
static const struct na_member *find(const struct na_table *t, const char *name)
{
	const struct na_member *found = na_member_at(t, name);

	if (is_table(found))
		return found;
	for (found = NULL; t && !is_list(found); t = t->base) {
		for (const struct na_member *m = t->members;
		     m && m->name && !is_list(found); m++) {
			if (m->type == NA_T_LIST && m->of)
				found = na_member_at(m->of, name);
		}
	}
	return is_list(found) ? found : NULL;
}

/* "netan.pairs/1" */
static const struct na_document *document_of(const struct na_result *r)
{
	const char *schema = na_text_at(na_result_get_doc(r), M_schema);
	char command[32];
	int n = 0;

	if (!schema || sscanf(schema, "netan.%31[a-z-]%n", command, &n) != 1)
		return NULL;
	return na_document_find(command);
}

bool na_csv_put_empty(const struct na_result *r, const char *name, char comma,
		      FILE *out)
{
	const struct na_document *d = document_of(r);
	const struct na_member *m =
		d && name ? find(d->result, name) : NULL;
	struct header h = {out, comma, 0};

	if (!m)
		return false;
	if (m->type != NA_T_TEXTS)
		put_table(&h, "", m->of);
	if (!h.n)
		put_name(&h, "", name, "");
	putc('\n', out);
	return true;
}
