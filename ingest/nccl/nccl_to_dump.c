#include "ingest/nccl/nccl_to_dump.h"

#include <string.h>

struct na_fr_dump *na_nccl_dump_of(struct na_nccl_dumps *t, int64_t rank,
				   enum na_hang_evidence by)
{
	struct na_flight_record *x = t->ranks;
	struct na_fr_dump d = {
		.path = t->path,
		.rank = (int32_t)rank,
		.host = NA_NO_NAME,
		.version = NA_NO_NAME,
		.library = NA_NO_NAME,
		.all = true,
		.oldest_ns = INT64_MIN,
		.newest_ns = INT64_MIN,
	};
	size_t at = (size_t)rank;

	while (t->dumps.n <= at) {
		if (!na_add(&t->dumps, 0))
			return NULL;
	}
	if (!t->dumps.v[at]) {
		if (!na_add(&x->dumps, d))
			return NULL;
		t->dumps.v[at] = (uint32_t)x->dumps.n;
	}
	x->dumps.v[t->dumps.v[at] - 1].evidence |= (uint32_t)by;
	return &x->dumps.v[t->dumps.v[at] - 1];
}

void na_nccl_dumps_fini(struct na_nccl_dumps *t)
{
	na_vec_free(&t->dumps);
}

bool na_nccl_dump_place(struct na_fr_dump *d, uint32_t group, int64_t enqueued,
			int64_t completed)
{
	struct na_fr_place *p = na_fr_place(d, group);

	if (!p)
		return false;
	p->told = true;
	p->enqueued = enqueued > p->enqueued ? enqueued : p->enqueued;
	p->completed = completed > p->completed ? completed : p->completed;
	return true;
}

bool na_nccl_dump_holds(struct na_fr_dump *d, uint32_t group, int64_t sequence,
			uint32_t operation, uint64_t elements,
			int64_t called_ns)
{
	const struct na_fr_entry e = {
		.record = (int64_t)d->n_entries,
		.sequence = sequence,
		.created_ns = called_ns,
		.started_ns = INT64_MIN,
		.completed_ns = INT64_MIN,
		.in_elements = elements,
		.out_elements = UINT64_MAX,
		.size_bytes = UINT64_MAX,
		.timeout_ms = -1,
		.group = group,
		.operation = operation,
		.type = NA_NO_NAME,
		.peer = -1,
		.state = NA_FR_SCHEDULED,
	};

	d->n_entries++;
	return na_add(&d->entries, e);
}

uint32_t na_nccl_dump_operation(struct na_flight_record *x,
				struct na_text function)
{
	char word[64];
	size_t n = 0;

	for (size_t i = 0; i < function.n && n + 2 < sizeof(word); i++) {
		char c = function.s[i];
		bool capital = c >= 'A' && c <= 'Z';

		if (capital && i && function.s[i - 1] >= 'a' &&
		    function.s[i - 1] <= 'z')
			word[n++] = '_';
		word[n++] = (char)(capital ? c - 'A' + 'a' : c);
	}
	return na_strtab_add(&x->names, word, n);
}
