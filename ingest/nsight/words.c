/* What texts mean: names of kernels and of ranges. */
#include "ingest/nsight/nsight.h"
#include "netan/base/similar.h"
#include "netan/base/text.h"
#include "netan/model/gpu/kernels.h"

/* "ProfilerStep#12", "step 12", "iteration_12", "iter: 12" */
static bool is_step(struct na_text text, int64_t *number)
{
	static const char *const words[] = {
		"ProfilerStep", "train_step", "step", "iteration", "iter",
	};
	uint64_t n;

	for (size_t i = 0; i < NA_LEN(words); i++) {
		struct na_text rest;
		size_t between = 0;

		if (!na_starts_nocase(text.s, text.n, words[i]))
			continue;
		rest = na_text_from(text, strlen(words[i]));
		while (between < rest.n && strchr("#_:= ", rest.s[between]) &&
		       rest.s[between])
			between++;
		if (between &&
		    na_text_number(na_text_from(rest, between), &n) &&
		    n <= INT64_MAX) {
			*number = (int64_t)n;
			return true;
		}
	}
	return false;
}

static enum na_ns_kind kind_of(struct na_text text, struct na_ns_word *word)
{
	if (is_step(text, &word->number))
		return NS_STEP;
	if (!na_text_begins(text, "nccl") ||
	    na_contains_nocase(text.s, text.n, "kernel"))
		return NS_OTHER;
	if (na_text_is(text, "ncclGroupStart"))
		return NS_GROUP_START;
	if (na_text_is(text, "ncclGroupEnd"))
		return NS_GROUP_END;
	if (na_text_begins(text, "ncclCommInit") ||
	    na_text_begins(text, "ncclCommSplit"))
		return NS_INIT;
	word->opcode = na_call_opcode(text);
	if (na_text_begins(text, "nccl:"))
		return NS_RECORD;
	return word->opcode == NA_OPCODE_OTHER ? NS_OTHER : NS_CALL;
}

bool na_ns_word(struct na_ns *x, struct na_text text, struct na_ns_word *word)
{
	/* PyTorch's ", seq = 45330, op_id = 990356" */
	size_t comma = na_text_first(text, ',');
	struct na_text name = text;

	*word = (struct na_ns_word){.number = -1};
	if (!text.n)
		return false;
	if (comma != SIZE_MAX)
		name.n = comma;
	word->kind = (uint8_t)kind_of(name, word);
	if (word->kind == NS_OTHER) {
		word->talks = na_kernel_talks(text);
		if (!word->talks)
			return false;
		name = na_kernel_short(text);
		word->opcode = na_kernel_opcode(name);
	}
	word->name = na_strtab_add(&x->names, name.s, name.n);
	return true;
}
