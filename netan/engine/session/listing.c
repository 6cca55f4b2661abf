#include "netan/engine/session/listing.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/discover.h"
#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"

int na_listed_order(const struct na_listed *x, const struct na_listed *y)
{
	return NA_THEN(NA_UP(run), na_natural_order(x->path, y->path),
		       strcmp(x->path, y->path));
}

static int by_name(const void *a, const void *b)
{
	return na_listed_order(a, b);
}

static bool said(struct na_listing *l, const struct na_request_input *of,
		 const char *text, const char *named, bool refused)
{
	if (!text ||
	    !na_grow(&l->said, &l->cap_said, l->n_said + 1, sizeof(*l->said)))
		return false;
	l->said[l->n_said++] = (struct na_list_said){of, text, named, refused};
	return true;
}

static size_t run_of(const struct na_request *q, const char *label)
{
	size_t run = 0;

	while (!na_same_label(q->inputs[run].label, label))
		run++;
	return run;
}

static bool list_found(const struct na_request *q,
		       const struct na_request_input *in,
		       const struct na_found *found, struct na_listing *l)
{
	size_t run = run_of(q, in->label);

	if (found->note && !said(l, in, found->note, found->named, false))
		return false;
	na_hide(q, NA_ALIAS_PATH, found->named);
	if (!na_grow(&l->files, &l->cap, l->n + found->n, sizeof(*l->files)))
		return false;
	l->one_each &= found->n == 1;
	for (size_t k = 0; k < found->n; k++) {
		l->files[l->n++] = (struct na_listed){found->paths[k],
						      in->label, run};
	}
	return true;
}

static bool list_path(const struct na_request *q,
		      const struct na_request_input *in, const char *path,
		      struct na_arena *a, struct na_listing *l)
{
	struct na_found found = {.paths = NULL};
	struct na_err err = {.status = NA_OK};
	bool ok;

	if (na_discover(path, a, &found, &err) == NA_OK)
		ok = list_found(q, in, &found, l);
	else
		ok = said(l, in, na_arena_strn(a, err.text, strlen(err.text)),
			  NULL, true);
	free(found.paths);
	return ok;
}

/* What this node has of it, which may be nothing. */
static bool list_glob(const struct na_request *q,
		      const struct na_request_input *in, struct na_arena *a,
		      struct na_listing *l)
{
	glob_t g;
	int e = glob(in->path, 0, NULL, &g);
	bool ok = e == 0 || e == GLOB_NOMATCH;

	for (size_t i = 0; e == 0 && ok && i < g.gl_pathc; i++) {
		const char *path = na_arena_strn(a, g.gl_pathv[i],
						 strlen(g.gl_pathv[i]));

		ok = path && list_path(q, in, path, a, l);
	}
	if (e == 0)
		globfree(&g);
	return ok;
}

bool na_list_inputs(const struct na_request *q, struct na_arena *a,
		    struct na_listing *l)
{
	bool ok = true;

	*l = (struct na_listing){.one_each = true};
	for (size_t i = 0; ok && i < q->n_inputs; i++) {
		const struct na_request_input *in = &q->inputs[i];

		ok = q->local.n ? list_glob(q, in, a, l)
				: list_path(q, in, in->path, a, l);
	}
	na_sort(l->files, l->n, by_name);
	/* Whoever hears of them does so in this order. */
	for (size_t i = 0; i < l->n; i++)
		na_hide(q, NA_ALIAS_INPUT, l->files[i].path);
	return ok;
}

bool na_request_names(const struct na_request *q, const char *path)
{
	bool is = false;

	for (size_t i = 0; i < q->n_inputs && !is; i++)
		is = !q->inputs[i].found &&
		     strcmp(q->inputs[i].path, path) == 0;
	return is;
}

void na_listing_fini(struct na_listing *l)
{
	free(l->files);
	free(l->said);
}
