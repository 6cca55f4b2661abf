/*
 * Any bytes as an HLO instruction, as an op's name and as operands: what is
 * found lies within the bytes, and is the same again at another place.
 */
#include "ingest/hlo/line.h"
#include "tests/fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const struct na_text *t, const char *s, size_t n)
{
	walk_must(!t->n ||
		  (t->s >= s && t->n <= n && (size_t)(t->s - s) <= n - t->n));
}

static void check(const struct na_hlo_line *x, const char *s, size_t n)
{
	const struct na_text *all[] = {
		&x->name,          &x->opcode_name, &x->first_operand,
		&x->operands,      &x->attributes,  &x->rendezvous,
		&x->transfer_type, &x->handler,
	};
	struct na_text operand;
	size_t at = 0, count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		inside(all[i], s, n);
	walk_must(x->name.n && x->opcode_name.n);
	walk_must(x->opcode < NA_N_OPCODES && x->phase <= NA_OP_DONE);
	walk_must(x->channel == -1 || x->channel > 0);
	while (na_hlo_next_operand(&x->operands, &at, &operand)) {
		inside(&operand, s, n);
		walk_must(at <= x->operands.n && ++count <= n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size ? size : 1);
	struct na_hlo_line x;
	uint8_t phase;

	walk_must(s != NULL);
	if (size)
		memcpy(s, data, size);
	if (na_hlo_line(s, size, &x))
		check(&x, s, size);
	walk_must(na_hlo_opcode_of_name(s, size, &phase) < NA_N_OPCODES);
	walk_must(phase <= NA_OP_DONE);
	walk_must(na_hlo_type_bits(s, size) >= -1);
	free(s);
	return 0;
}
