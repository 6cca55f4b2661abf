#include <math.h>
#include <string.h>

#include "netan/base/vec.h"
#include "tests/accuracy/draw.h"
#include "tests/accuracy/sync/world.h"

enum {
	TRANSFERS_MIN = 5000,
	TRANSFERS_MAX = 60000,
	STEPS_MIN = 15,
	STEPS_USUAL = 30,
	STEPS_MAX = 60,
	SEGMENTS = 150000
};

static const char *const kind_names[SY_KINDS] = {
	"healthy", "congested", "clock", "compute", "input", "tx",
	"rx",      "flap",      "lossy", "spine",   "tor",   "two",
	"between", "three"};

const char *sy_kind_name(enum sy_kind kind)
{
	return kind_names[kind];
}

const char *sy_place_name(enum sy_place place)
{
	static const char *const names[SY_PLACES] = {
		"src",         "dst",           "host",
		"rack_uplink", "rack_downlink", "rack_pair"};

	return names[place];
}

const char *sy_type_name(enum sy_pattern pattern)
{
	static const char *const names[SY_PATTERNS] = {
		"ALL_GATHER", "REDUCE_SCATTER", "ALL_REDUCE", "ALL_GATHER",
		"ALL_REDUCE", "ALL_GATHER",     "ALL_REDUCE", "ALL_TO_ALL",
		"ONE_TO_ONE", "ONE_TO_ONE"};

	return names[pattern];
}

double sy_draw(const struct sy_plan *p, uint32_t what, uint64_t a, uint64_t b)
{
	return fl_hash_uniform(fl_hash(p->key + what, a), b);
}

/* ---- hosts, racks, links */

static void draw_size(struct sy_plan *p, struct na_rng *rng)
{
	static const uint8_t sizes[][2] = {/* racks, hosts of each */
					   {2, 2}, {2, 4}, {4, 2}, {2, 6},
					   {4, 4}, {2, 8}, {4, 4}, {3, 8},
					   {6, 4}, {4, 8}, {8, 4}};
	const uint8_t *s;

	do {
		s = sizes[fl_pick(rng, NA_LEN(sizes))];
		p->n_racks = s[0];
		p->n_hosts = (uint32_t)s[0] * s[1];
	} while (p->kind > SY_TWO && p->n_hosts != 8 && p->n_hosts != 16);
	p->n_spines = 2 + fl_pick(rng, SY_SPINES - 1);
	p->hosts_per_slice = p->n_hosts >= 8 && fl_chance(rng, 0.3) ? 2 : 1;
	p->n_devices = UINT32_C(1) << fl_pick(rng, 3);
}

/* Hosts rack by rack; in a third of the sessions slices are scattered. */
static void draw_racks(struct sy_plan *p, struct na_rng *rng)
{
	uint32_t per = p->n_hosts / p->n_racks, slice = p->hosts_per_slice;
	bool scattered = fl_chance(rng, 0.33);

	for (uint32_t h = 0; h < p->n_hosts; h++)
		p->rack_of[h] = h / per;
	for (uint32_t i = p->n_hosts / slice - 1; scattered && i > 0; i--) {
		uint32_t j = fl_pick(rng, i + 1);

		for (uint32_t k = 0; k < slice; k++) {
			uint32_t *a = &p->rack_of[i * slice + k];
			uint32_t *b = &p->rack_of[j * slice + k];
			uint32_t was = *a;

			*a = *b;
			*b = was;
		}
	}
}

static void draw_fabric(struct sy_plan *p, struct na_rng *rng)
{
	static const double nics[] = {50, 100, 100, 200};
	static const double usual[] = {1, 1, 1.5, 2};
	static const int64_t timers_ms[] = {5, 10, 40, 200};
	bool congested = p->kind == SY_CONGESTED;

	p->nic_gbps = nics[fl_pick(rng, NA_LEN(nics))];
	p->oversubscription = congested ? fl_between(rng, 2.5, 6)
					: usual[fl_pick(rng, NA_LEN(usual))];
	p->link_gbps = p->nic_gbps * p->n_hosts / p->n_racks / p->n_spines /
		       p->oversubscription;
	p->segment_ns = (int64_t)fl_between(rng, 500, 3000);
	p->hop_ns = (int64_t)fl_between(rng, 3000, 12000);
	p->ack_ns = (int64_t)fl_between(rng, 8000, 30000);
	p->spray = fl_chance(rng, 0.25);
	p->load = congested ? fl_between(rng, 0.2, 0.5)
			    : fl_between(rng, 0, 0.12);
	p->nic_load = fl_between(rng, 0, congested ? 0.1 : 0.04);
	p->load_ns = (int64_t)fl_log_between(rng, 3e5, 2e7);
	p->buffer_ns = congested ? (int64_t)fl_between(rng, 1e6, 4e6) : 0;
	p->loss = fl_chance(rng, 0.5) ? fl_log_between(rng, 1e-6, 2e-5) : 0;
	p->timer_ns = timers_ms[fl_pick(rng, NA_LEN(timers_ms))] * 1000000;
}

/* ---- what the job does */

static uint64_t moves_of(const struct sy_plan *p, const struct sy_collective *c)
{
	return (uint64_t)c->program.n_moves * p->hosts_per_slice * p->n_devices;
}

static uint64_t moves_of_step(const struct sy_plan *p)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < p->n_collectives; k++)
		sum += moves_of(p, &p->collectives[k]);
	return sum;
}

/* Rings are the most common, and point to point the least. */
static enum sy_pattern draw_pattern(struct na_rng *rng)
{
	static const uint8_t weights[SY_PATTERNS] = {3, 3, 3, 1, 2,
						     2, 2, 2, 1, 1};
	uint32_t at = fl_pick(rng, 20), i = 0;

	while (at >= weights[i])
		at -= weights[i++];
	return (enum sy_pattern)i;
}

static bool draw_collective(struct sy_plan *p, struct na_rng *rng)
{
	struct sy_collective *c = &p->collectives[p->n_collectives];

	*c = (struct sy_collective){0};
	c->pattern = draw_pattern(rng);
	c->bytes = (int64_t)fl_log_between(rng, 4096, 67108864);
	c->bytes -= c->bytes % 512;
	c->number = 40 * p->n_collectives + fl_pick(rng, 40);
	p->n_collectives++;
	return sy_program_make(&c->program, c->pattern,
			       p->n_hosts / p->hosts_per_slice);
}

static void drop_largest(struct sy_plan *p)
{
	uint32_t most = 0;

	for (uint32_t k = 1; k < p->n_collectives; k++)
		if (p->collectives[k].program.n_moves >
		    p->collectives[most].program.n_moves)
			most = k;
	sy_program_fini(&p->collectives[most].program);
	p->collectives[most] = p->collectives[--p->n_collectives];
	p->collectives[p->n_collectives] = (struct sy_collective){0};
}

/* As many as a step has, on fewer devices where steps would get few. */
static bool draw_collectives(struct sy_plan *p, struct na_rng *rng)
{
	uint32_t want = 3 + fl_pick(rng, SY_COLLECTIVES - 3);
	double total = fl_log_between(rng, TRANSFERS_MIN, TRANSFERS_MAX);
	double steps;
	bool ok = true;

	while (ok && p->n_collectives < want)
		ok = draw_collective(p, rng);
	while (ok && p->n_devices > 1 &&
	       (double)moves_of_step(p) * STEPS_USUAL > total)
		p->n_devices /= 2;
	while (ok && moves_of_step(p) > TRANSFERS_MAX / STEPS_MIN)
		drop_largest(p);
	while (ok && p->n_collectives < SY_COLLECTIVES &&
	       moves_of_step(p) * STEPS_MAX < TRANSFERS_MIN)
		ok = draw_collective(p, rng);
	if (!ok)
		return false;
	steps = total / (double)moves_of_step(p);
	p->n_steps = (uint32_t)(steps < STEPS_MIN   ? STEPS_MIN
				: steps > STEPS_MAX ? STEPS_MAX
						    : steps);
	return true;
}

/* Bytes that the busiest host sends in a step. */
static double bytes_of_step(const struct sy_plan *p)
{
	double sum[SY_HOSTS] = {0}, most = 0;

	for (uint32_t k = 0; k < p->n_collectives; k++) {
		const struct sy_collective *c = &p->collectives[k];

		for (uint32_t i = 0; i < c->program.n_moves; i++)
			sum[c->program.moves[i].src] += (double)c->bytes *
							p->n_devices;
	}
	for (uint32_t r = 0; r < SY_HOSTS; r++)
		most = sum[r] > most ? sum[r] : most;
	return most;
}

static void halve_largest(struct sy_plan *p)
{
	struct sy_collective *most = NULL;

	for (uint32_t k = 0; k < p->n_collectives; k++) {
		struct sy_collective *c = &p->collectives[k];

		if (!most ||
		    (double)c->bytes * c->program.n_moves >
			    (double)most->bytes * most->program.n_moves)
			most = c;
	}
	most->bytes = most->bytes / 2 > 4096 ? most->bytes / 2 : 4096;
}

/* The compute of a step, cut at random, and bytes that a good network moves
 * in a share of that time. */
static void draw_balance(struct sy_plan *p, struct na_rng *rng)
{
	double step_ns = fl_log_between(rng, 1.5e7, 1e8), sum = 0;
	double room = step_ns * fl_between(rng, 0.15, 0.6) * p->nic_gbps / 8;
	double parts[SY_COLLECTIVES + 1];
	uint32_t n = p->n_collectives;

	for (int i = 0; bytes_of_step(p) > room && i < 200; i++)
		halve_largest(p);
	for (uint32_t k = 0; k <= n; k++) {
		parts[k] = fl_chance(rng, 0.2) ? 0.002
					       : fl_log_between(rng, 0.1, 1);
		sum += parts[k];
	}
	for (uint32_t k = 0; k <= n; k++)
		p->compute_ns[k] = (int64_t)(step_ns * parts[k] / sum);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t lag = fl_pick(rng, 4);

		p->collectives[k].wait_after = k + lag < n ? k + lag : n;
	}
}

static void draw_transport(struct sy_plan *p)
{
	double segments = 65536, total;

	total = 0;
	for (uint32_t k = 0; k < p->n_collectives; k++)
		total += (double)p->collectives[k].bytes *
			 (double)moves_of(p, &p->collectives[k]) * p->n_steps;
	while (total / segments > SEGMENTS)
		segments *= 1.25;
	p->segment_bytes = (int64_t)segments;
	/* What fills a path whose round trip takes 150 us, and at least four
	 * segments. */
	p->window_bytes = (int64_t)(p->nic_gbps / 8 * 150e3);
	if (p->window_bytes < 4 * p->segment_bytes)
		p->window_bytes = 4 * p->segment_bytes;
}

static void draw_job(struct sy_plan *p, struct na_rng *rng)
{
	p->jitter = fl_log_between(rng, 0.003, 0.03);
	p->pause = fl_chance(rng, 0.3) ? fl_log_between(rng, 1e-4, 5e-3) : 0;
	p->posts_in_turn = fl_chance(rng, 0.5);
	p->old_style = fl_chance(rng, 0.25);
	p->latency_waits = fl_chance(rng, 0.4);
	p->local_end = fl_chance(rng, 0.25);
}

static void draw_clocks(struct sy_plan *p, struct na_rng *rng)
{
	static const double classes_us[] = {5, 200, 1500};
	int64_t off_ns;

	p->clock_us = classes_us[fl_pick(rng, NA_LEN(classes_us))];
	for (uint32_t h = 0; h < p->n_hosts; h++) {
		p->offset_ns[h] =
			(int64_t)(fl_between(rng, -1, 1) * p->clock_us * 1e3);
		p->drift_ppm[h] = fl_between(rng, -1, 1) *
				  (p->clock_us < 100 ? 0.2 : 8);
	}
	p->bad_clock = SY_ANY;
	if (p->kind != SY_CLOCK)
		return;
	p->bad_clock = fl_pick(rng, p->n_hosts);
	off_ns = (int64_t)fl_log_between(rng, 3e5, 1e7);
	p->offset_ns[p->bad_clock] += fl_chance(rng, 0.5) ? off_ns : -off_ns;
}

/* ---- faults */

static double bytes_of_job(const struct sy_plan *p)
{
	return bytes_of_step(p) * p->n_steps;
}

static void draw_nic_fault(struct sy_plan *p, struct na_rng *rng,
			   struct sy_fault *f)
{
	double slow = fl_log_between(rng, 1.3, 4);

	f->host = fl_pick(rng, p->n_hosts);
	f->how = fl_chance(rng, 0.5) ? SY_RATE : SY_SERVICE;
	f->factor = slow;
	f->place = f->kind == SY_TX                            ? SY_SRC
		   : f->kind == SY_RX                          ? SY_DST
		   : f->kind == SY_FLAP && fl_chance(rng, 0.2) ? SY_HOST
		   : fl_chance(rng, 0.5)                       ? SY_SRC
							       : SY_DST;
	if (f->kind == SY_FLAP) {
		f->factor = 1 + slow;
		f->window_ns = (int64_t)fl_log_between(rng, 3e7, 6e8);
		f->on_share = fl_between(rng, 0.1, 0.3);
	} else if (f->kind == SY_LOSSY) {
		f->how = SY_LOSS;
		f->factor = 1;
		/* so that some 10 to 150 segments are lost */
		f->loss = fl_log_between(rng, 10, 150) /
			  (bytes_of_job(p) / (double)p->segment_bytes + 200);
		f->loss = f->loss > 0.05 ? 0.05 : f->loss;
	}
}

static void draw_link_fault(struct sy_plan *p, struct na_rng *rng,
			    struct sy_fault *f)
{
	f->how = SY_RATE;
	f->rack = fl_pick(rng, p->n_racks);
	f->place = fl_chance(rng, 0.5) ? SY_UPLINK : SY_DOWNLINK;
	f->factor = fl_log_between(rng, 1.5, 5);
	if (f->kind == SY_TOR)
		return;
	f->spine = fl_pick(rng, p->n_spines);
	f->factor = fl_log_between(rng, 2, 10);
	if (fl_chance(rng, 0.5)) {
		f->place = SY_PATH;
		f->toward = (f->rack + 1 + fl_pick(rng, p->n_racks - 1)) %
			    p->n_racks;
	}
}

/* All from one rack to another, and in half of the sessions all back. */
static void draw_between(struct sy_plan *p, struct na_rng *rng)
{
	struct sy_fault *f = &p->faults[0];

	*f = (struct sy_fault){.kind = SY_BETWEEN,
			       .place = SY_PATH,
			       .how = SY_RATE,
			       .host = SY_ANY,
			       .spine = SY_ANY,
			       .factor = fl_log_between(rng, 1.5, 8)};
	f->rack = fl_pick(rng, p->n_racks);
	f->toward = (f->rack + 1 + fl_pick(rng, p->n_racks - 1)) % p->n_racks;
	p->n_faults = 1 + fl_chance(rng, 0.5);
	p->faults[1] = *f;
	p->faults[1].rack = f->toward;
	p->faults[1].toward = f->rack;
}

static void draw_three(struct sy_plan *p, struct na_rng *rng)
{
	uint32_t first = fl_pick(rng, p->n_hosts), at = 0;
	enum sy_how how = fl_chance(rng, 0.5) ? SY_RATE : SY_SERVICE;

	for (p->n_faults = 0; p->n_faults < 3; p->n_faults++) {
		p->faults[p->n_faults] = (struct sy_fault){
			.kind = SY_THREE,
			.place = SY_HOST,
			.how = how,
			.host = (first + at) % p->n_hosts,
			.rack = SY_ANY,
			.toward = SY_ANY,
			.spine = SY_ANY,
			.factor = fl_log_between(rng, 1.8, 4)};
		at += 1 + fl_pick(rng, (p->n_hosts - at - 1) / 2);
	}
}

static void draw_fault(struct sy_plan *p, struct na_rng *rng, enum sy_kind kind)
{
	struct sy_fault *f = &p->faults[p->n_faults++];

	*f = (struct sy_fault){.kind = kind,
			       .host = SY_ANY,
			       .rack = SY_ANY,
			       .toward = SY_ANY,
			       .spine = SY_ANY};
	if (kind == SY_SPINE || kind == SY_TOR)
		draw_link_fault(p, rng, f);
	else
		draw_nic_fault(p, rng, f);
}

static void draw_late_host(struct sy_plan *p, struct na_rng *rng)
{
	double step_ns = 0;

	for (uint32_t k = 0; k <= p->n_collectives; k++)
		step_ns += (double)p->compute_ns[k];
	p->late_host = fl_pick(rng, p->n_hosts);
	p->late_share = fl_chance(rng, 0.6) ? 1 : fl_between(rng, 0.3, 0.8);
	if (p->kind == SY_COMPUTE)
		p->late_factor = fl_log_between(rng, 1.05, 1.6);
	else
		p->late_ns =
			(int64_t)(step_ns * fl_log_between(rng, 0.05, 0.5));
}

static void draw_faults(struct sy_plan *p, struct na_rng *rng)
{
	enum sy_kind first, second;

	p->late_host = SY_ANY;
	p->late_factor = 1;
	p->infeed = fl_chance(rng, 0.5);
	if (p->kind == SY_COMPUTE || p->kind == SY_INPUT)
		draw_late_host(p, rng);
	if (p->kind == SY_BETWEEN)
		draw_between(p, rng);
	if (p->kind == SY_THREE)
		draw_three(p, rng);
	if (p->kind < SY_TX || p->kind > SY_TWO)
		return;
	first = p->kind;
	if (p->kind == SY_TWO)
		first = (enum sy_kind)(SY_TX +
				       (int)fl_pick(rng, SY_TWO - SY_TX));
	draw_fault(p, rng, first);
	if (p->kind != SY_TWO)
		return;
	second = (enum sy_kind)(SY_TX + (int)fl_pick(rng, SY_TWO - SY_TX));
	do {
		p->n_faults = 1;
		draw_fault(p, rng, second);
	} while (p->faults[0].host == p->faults[1].host &&
		 p->faults[0].rack == p->faults[1].rack);
}

bool sy_plan_make(struct sy_plan *p, enum sy_kind kind, uint64_t seed)
{
	struct na_rng rng;

	*p = (struct sy_plan){.seed = seed, .kind = kind};
	na_rng_seed(&rng, fl_hash(seed, 7000 + (uint64_t)kind));
	p->key = na_rng_next(&rng);
	draw_size(p, &rng);
	draw_racks(p, &rng);
	draw_fabric(p, &rng);
	if (!draw_collectives(p, &rng))
		return false;
	draw_balance(p, &rng);
	draw_transport(p);
	draw_job(p, &rng);
	draw_clocks(p, &rng);
	draw_faults(p, &rng);
	p->noise_ns = fl_log_between(&rng, 500, 6000);
	return true;
}

void sy_plan_fini(struct sy_plan *p)
{
	for (uint32_t k = 0; k < p->n_collectives; k++)
		sy_program_fini(&p->collectives[k].program);
	*p = (struct sy_plan){0};
}
