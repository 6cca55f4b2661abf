#include "netan/model/packed.h"

#define LOW(bits) ((UINT64_C(1) << (bits)) - 1)

static inline uint64_t length(int64_t start_ps, int64_t end_ps)
{
	return (uint64_t)end_ps - (uint64_t)start_ps;
}

bool na_pack_transfer(struct na_packed_transfer *p, const struct na_transfer *t,
		      struct na_chunk_list *wide)
{
	uint64_t length_ps = length(t->start_ps, t->end_ps);
	bool timed = t->action_ps != NA_UNKNOWN_PS;
	uint64_t action_ps = timed ? (uint64_t)t->action_ps : 0;
	bool part = t->chunk != NA_UNKNOWN_I32;
	uint32_t chunk = part ? (uint32_t)t->chunk : 0;
	uint32_t iteration = t->iteration + 1, type = t->type + 1;
	uint8_t level = (uint8_t)(t->level + 1);

	if (length_ps >> 44 ||
	    (action_ps | (action_ps + timed) | t->size_bytes) >> 48 ||
	    (chunk | (chunk + part) | iteration | type) >> 16 || level >> 4) {
		*p = (struct na_packed_transfer){.wide = na_chunks_push(wide),
						 .klass = NA_N_CLASSES,
						 .side = t->side & LOW(1)};
		if (p->wide)
			*p->wide = *t;
		return p->wide;
	}
	*p = (struct na_packed_transfer){
		.start_ps = t->start_ps,
		.length_ps = length_ps & LOW(44),
		.input = t->input & NA_INPUTS_MAX,
		.action_ps = (action_ps + timed) & LOW(48),
		.chunk = (chunk + part) & LOW(16),
		.size_bytes = t->size_bytes & LOW(48),
		.iteration = iteration & LOW(16),
		.src = t->src,
		.dst = t->dst,
		.collective = t->collective,
		.launch = t->launch,
		.step = t->step,
		.type = (uint16_t)type,
		.level = level & LOW(4),
		.component = t->component & LOW(4),
		.style = t->style & LOW(2),
		.klass = t->klass & LOW(3),
		.side = t->side & LOW(1),
	};
	return true;
}

bool na_pack_exec(struct na_packed_exec *p, const struct na_exec *e,
		  struct na_chunk_list *wide)
{
	uint64_t length_ps = length(e->start_ps, e->end_ps);
	uint32_t device = e->device + 1, collective = e->collective + 1;
	uint32_t type = e->type + 1, step = e->step + 1;

	if (length_ps >> 44 || e->size_bytes >> 40 || step >> 24 ||
	    (device | collective) >> 20 || type >> 17) {
		*p = (struct na_packed_exec){.wide = na_chunks_push(wide),
					     .style = NA_N_STYLES};
		if (p->wide)
			*p->wide = *e;
		return p->wide;
	}
	*p = (struct na_packed_exec){
		.start_ps = e->start_ps,
		.length_ps = length_ps & LOW(44),
		.device = device & LOW(20),
		.size_bytes = e->size_bytes & LOW(40),
		.step = step & LOW(24),
		.collective = collective & LOW(20),
		.type = type & LOW(17),
		.input = e->input & NA_INPUTS_MAX,
		.kind = e->kind & LOW(4),
		.style = e->style & LOW(3),
	};
	return true;
}
