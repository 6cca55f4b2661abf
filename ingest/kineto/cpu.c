/* What operations on the CPU say of themselves. */
#include "ingest/json/json.h"
#include "ingest/kineto/kineto.h"
#include "netan/base/similar.h"
#include "netan/model/device.h"

uint64_t kt_type_bytes(struct na_text type)
{
	/* clang-format off */
	static const struct {
		const char *name;
		uint8_t bytes;
	} types[] = {
		{"Float", 4}, {"BFloat16", 2}, {"Half", 2}, {"Long", 8},
		{"Int", 4}, {"Double", 8}, {"Byte", 1}, {"Char", 1},
		{"Bool", 1}, {"Short", 2}, {"ComplexFloat", 8},
		{"ComplexDouble", 16}, {"ComplexHalf", 4},
		{"long int", 8}, {"short int", 2}, {"unsigned char", 1},
		{"signed char", 1},
	};
	/* clang-format on */

	(void)na_text_past(&type, "c10::");
	for (size_t i = 0; i < NA_LEN(types); i++) {
		if (na_same_nocase(type.s, type.n, types[i].name))
			return types[i].bytes;
	}
	return na_starts_nocase(type.s, type.n, "Float8") ? 1 : 0;
}

/* Of a tensor, behind the bracket of its shape; false: no shape. */
static bool elements(struct na_json *j, uint64_t *n)
{
	uint64_t x;

	*n = 1;
	while (na_json_next(j) == NA_JSON_NUMBER) {
		if (!na_json_count(j->text, &x) ||
		    __builtin_mul_overflow(*n, x, n))
			return false;
	}
	return j->kind == NA_JSON_ARRAY_END;
}

uint64_t kt_input_bytes(const struct kt_args *a)
{
	struct na_json dims = na_json_of(a->dims, 0);
	struct na_json types = na_json_of(a->types, 0);
	uint64_t sum = 0, n;

	if (!a->dims.s || !a->types.s || na_json_next(&dims) != NA_JSON_ARRAY ||
	    na_json_next(&types) != NA_JSON_ARRAY)
		return NA_UNKNOWN_U64;
	while (na_json_next(&dims) == NA_JSON_ARRAY) {
		if (!elements(&dims, &n) ||
		    na_json_next(&types) != NA_JSON_STRING ||
		    __builtin_mul_overflow(n, kt_type_bytes(types.text), &n) ||
		    !n || __builtin_add_overflow(sum, n, &sum))
			return NA_UNKNOWN_U64;
	}
	return sum && dims.kind == NA_JSON_ARRAY_END ? sum : NA_UNKNOWN_U64;
}

bool kt_is_p2p_call(struct na_text name)
{
	return name.n && name.s[0] == 'c' &&
	       (na_text_is(name, "c10d::send") ||
		na_text_is(name, "c10d::recv_"));
}

/* Tensors, group, peer, tag. */
int64_t kt_called_peer(const struct kt_args *call)
{
	struct na_json j = na_json_of(call->inputs, 0);
	uint64_t peer;

	if (!call->inputs.s || na_json_next(&j) != NA_JSON_ARRAY)
		return -1;
	for (int i = 0; i < 3; i++) {
		if (na_json_next(&j) != NA_JSON_STRING)
			return -1;
	}
	return na_text_number(j.text, &peer) && peer <= INT32_MAX
		       ? (int64_t)peer
		       : -1;
}
