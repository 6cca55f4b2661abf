#include "netan/engine/session/listing.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/discover.h"
#include "netan/base/order.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"

NA_ORDER(by_name, struct na_listed, NA_UP(run),
	 na_natural_order(x->path, y->path), strcmp(x->path, y->path))

static bool said(struct na_listing *l, const struct na_request_input *of,
		 const char *text, bool refused)
{
	if (!text ||
	    !na_grow(&l->said, &l->cap_said, l->n_said + 1, sizeof(*l->said)))
		return false;
	l->said[l->n_said++] = (struct na_list_said){of, text, refused};
	return true;
}

static size_t run_of(const struct na_request *q, const char *label)
{
	size_t run = 0;

	while (!na_same_label(q->inputs[run].label, label))
		run++;
	return run;
}

static bool list_one(const struct na_request *q,
		     const struct na_request_input *in, struct na_arena *a,
		     struct na_listing *l, struct na_found *found)
{
	struct na_err err = {.status = NA_OK};
	size_t run = run_of(q, in->label);

	if (na_discover(in->path, a, found, &err) != NA_OK)
		return said(l, in, na_arena_strn(a, err.text, strlen(err.text)),
			    true);
	if (found->note && !said(l, in, found->note, false))
		return false;
	if (!na_grow(&l->files, &l->cap, l->n + found->n, sizeof(*l->files)))
		return false;
	l->one_each &= found->n == 1;
	for (size_t k = 0; k < found->n; k++) {
		na_hide(q, NA_ALIAS_INPUT, found->paths[k]);
		l->files[l->n++] = (struct na_listed){found->paths[k],
						      in->label, run};
	}
	return true;
}

bool na_list_inputs(const struct na_request *q, struct na_arena *a,
		    struct na_listing *l)
{
	bool ok = true;

	*l = (struct na_listing){.one_each = true};
	for (size_t i = 0; ok && i < q->n_inputs; i++) {
		struct na_found found = {.paths = NULL};

		ok = list_one(q, &q->inputs[i], a, l, &found);
		free(found.paths);
	}
	na_sort(l->files, l->n, by_name);
	return ok;
}

void na_listing_fini(struct na_listing *l)
{
	free(l->files);
	free(l->said);
}
