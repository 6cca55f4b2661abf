/* The ledger and the culprits of an analysis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "netan/base/vec.h"
#include "netan/cli/commands/ledger.h"
#include "netan/engine/hashing.h"

static const char *text(const struct na_value *row, const char *name)
{
	return na_text_or(row, name, NULL);
}

static bool run_id(struct na_session *s, char id[17])
{
	char(*hex)[NA_SHA256_HEX] = na_calloc(s->n_inputs + 1, NA_SHA256_HEX);
	const char **list = na_calloc(s->n_inputs + 1, sizeof(*list));
	struct na_hashing hashing;
	bool ok = na_hashing_start(&hashing, s->request) && hex && list;

	na_hashing_end(&hashing, na_threads_of(s->request));
	for (size_t i = 0; ok && i < s->n_inputs; i++) {
		na_hash_of(&hashing, &s->inputs[i], hex[i]);
		list[i] = hex[i];
	}
	if (ok)
		na_ledger_id(list, s->n_inputs, id);
	na_hashing_close(&hashing);
	free(hex);
	free(list);
	return ok;
}

/* A fabric link has no host to blame. */
static size_t suspects_of(const struct na_value *culprits,
			  struct na_suspect *list)
{
	size_t n = 0;

	na_for_each (v, culprits) {
		const char *host = text(v, "host");

		if (!host)
			host = text(v, M_src_host);
		if (!host)
			continue;
		list[n++] = (struct na_suspect){
			.host = host,
			.peer = text(v, M_dst_host),
			.kind = text(v, "kind"),
			.cause = text(v, "channel"),
			.events = (uint64_t)na_count_at(v, M_transfers),
			.excess = na_number_at(v, M_excess),
			.p_value = na_number_at(v, M_p_value)};
	}
	return n;
}

enum na_exit na_ledger_note_session(const struct na_cli *cli,
				    struct na_session *s, struct na_result *r)
{
	const struct na_value *culprits = na_get(na_result_body(r), M_culprits);
	const struct na_value *origin = na_get(na_result_doc(r),
					       M_origin_unix_ns);
	struct na_suspect *list = na_calloc((culprits ? culprits->n : 0) + 1,
					    sizeof(*list));
	struct na_ledger_run run = {.by = cli->command->info->name};
	struct na_err err = {.status = NA_OK};

	run.when_ns = na_int_of(origin, INT64_MIN);
	if (list && run_id(s, run.id)) {
		run.suspects = list;
		run.n = suspects_of(culprits, list);
		na_in_err(na_ledger_note(cli, &run, r, &err));
	} else {
		na_fail_nomem(&err);
	}
	free(list);
	return na_say_failed(cli, &err);
}
