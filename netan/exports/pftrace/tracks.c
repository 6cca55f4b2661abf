/* Processes, groups and lanes, and the tracks that they are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/str.h"
#include "netan/base/units.h"
#include "netan/exports/pftrace/state.h"

enum { GROUP_RANK = 16, DEVICES_RANK = 64 };

static const char *const kind_names[NA_PFT_N_KINDS] = {
#define NA_PFT_KIND(ID, name) name,
#include "netan/exports/pftrace/kinds.def"
};

static uint64_t next_uuid(struct na_pft *x)
{
	return na_pft_uuid(++x->n_tracks);
}

static const char *kept(struct na_pft *x, const char *text)
{
	return text ? na_arena_strn(&x->arena, text, strlen(text)) : NULL;
}

struct na_pft_process *na_pft_process_new(struct na_pft *x, const char *host,
					  const char *label, bool of_rank,
					  int32_t rank)
{
	struct na_str name = {.s = NULL};
	struct na_pft_process *p;

	if (label)
		na_str_addf(&name, "%s: ", label);
	if (of_rank)
		na_str_addf(&name, "rank %" PRId32, rank);
	if (host)
		na_str_addf(&name, of_rank ? " (%s)" : "%s", host);
	p = name.failed ? NULL : na_push(&x->processes);
	if (p) {
		p->host = kept(x, host);
		p->label = kept(x, label);
		p->name = kept(x, name.s ? name.s : "unknown");
		p->uuid = next_uuid(x);
		p->uncertainty_ps = NA_TIME_MAX;
	}
	free(name.s);
	return p && p->name && (p->host || !host) && (p->label || !label)
		       ? p
		       : NULL;
}

uint32_t na_pft_group(struct na_pft *x, uint32_t process, uint32_t core,
		      enum na_pft_kind kind)
{
	uint32_t at = na_triples_add(&x->group_of,
				     (struct na_triple){process, core, kind});
	struct na_pft_group *g;

	if (at == NA_NO_TRIPLE || at < x->groups.n)
		return at;
	g = na_push(&x->groups);
	if (!g)
		return NA_NO_TRIPLE;
	g->process = process;
	g->core = core;
	g->kind = kind;
	return at;
}

/* How its clock was corrected, where it was. */
void na_pft_tell_process(struct na_pft *x, uint32_t process)
{
	struct na_pft_process *p = &x->processes.v[process];
	char ahead[NA_UNIT_BUF], known[NA_UNIT_BUF], text[160];
	struct na_pft_track t = {.uuid = p->uuid,
				 .name = p->name,
				 .pid = (int32_t)process + 1,
				 .rank = (int32_t)process};

	if (p->told)
		return;
	p->told = true;
	if (p->ahead_ps) {
		snprintf(text, sizeof(text),
			 "its clock is %s %s the first one that can be "
			 "compared with it; corrected%s%s",
			 na_print_time(ahead,
				       p->ahead_ps < 0 ? -p->ahead_ps
						       : p->ahead_ps,
				       3),
			 p->ahead_ps > 0 ? "ahead of" : "behind",
			 p->uncertainty_ps < NA_TIME_MAX ? ", +- " : "",
			 p->uncertainty_ps < NA_TIME_MAX
				 ? na_print_time(known, p->uncertainty_ps, 2)
				 : "");
		t.description = text;
	}
	na_pft_track(&x->out, &t);
}

/* The track of a device, of which its groups are children. */
static uint64_t device_track(struct na_pft *x, const struct na_pft_group *g,
			     const char *device)
{
	/* As a group that holds nothing. */
	uint32_t at = na_pft_group(x, g->process, g->core, NA_PFT_N_KINDS);
	uint64_t *uuid;

	if (at == NA_NO_TRIPLE) {
		x->out.short_of_memory = true;
		return 0;
	}
	uuid = &x->groups.v[at].lanes[0];
	if (!*uuid) {
		*uuid = next_uuid(x);
		na_pft_track(&x->out,
			     &(struct na_pft_track){
				     .uuid = *uuid,
				     .parent =
					     x->processes
						     .v[x->groups.v[at].process]
						     .uuid,
				     .name = device,
				     .rank = DEVICES_RANK});
	}
	return *uuid;
}

static uint64_t new_lane(struct na_pft *x, uint32_t group, size_t lane,
			 const char *device)
{
	struct na_pft_group g = x->groups.v[group];
	uint64_t parent, uuid;

	na_pft_tell_process(x, g.process);
	parent = device ? device_track(x, &g, device)
			: x->processes.v[g.process].uuid;
	uuid = next_uuid(x);
	x->groups.v[group].lanes[lane] = uuid;
	na_pft_track(&x->out, &(struct na_pft_track){.uuid = uuid,
						     .parent = parent,
						     .name = kind_names[g.kind],
						     .rank = GROUP_RANK +
							     (int32_t)g.kind});
	return uuid;
}

uint64_t na_pft_lane(struct na_pft *x, uint32_t group, size_t lane,
		     const char *device)
{
	uint64_t known = x->groups.v[group].lanes[lane];

	return known ? known : new_lane(x, group, lane, device);
}

uint64_t na_pft_own_track(struct na_pft *x)
{
	if (!x->netan) {
		x->netan = next_uuid(x);
		na_pft_track(&x->out, &(struct na_pft_track){.uuid = x->netan,
							     .name = "netan",
							     .rank = -1});
	}
	return x->netan;
}

uint64_t na_pft_counter(struct na_pft *x, uint32_t process, const char *name,
			enum na_pft_unit unit, int32_t rank)
{
	struct na_pft_track t = {.uuid = next_uuid(x),
				 .name = name,
				 .unit = unit,
				 .rank = rank};

	if (process == UINT32_MAX) {
		t.parent = na_pft_own_track(x);
	} else {
		na_pft_tell_process(x, process);
		t.parent = x->processes.v[process].uuid;
	}
	na_pft_track(&x->out, &t);
	return t.uuid;
}
