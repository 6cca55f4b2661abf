/*
 * What the world of captures does to frames, and how it judges: a bench that
 * misjudges would be worse than none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/accuracy/tcp/account.h"
#include "tests/accuracy/tcp/choose.h"
#include "tests/accuracy/tcp/score.h"

/* ---- frames */

enum { HEAD = 14 + 20 + 20, SUPER = 4000, SEGMENT = 1448 };

/* From host 1 to host 2, ports 1000 to 7000. */
static size_t make_frame(uint8_t *frame, uint32_t payload, uint8_t flags)
{
	static const uint8_t head[HEAD] = {
		2,  0, 0,  0, 9,    2,    2,  0,   0,  0,  9,    1,    8,    0,
		69, 0, 0,  0, 0x12, 0xff, 64, 0,   64, 6,  0,    0,    10,   9,
		0,  1, 10, 9, 0,    2,    3,  232, 27, 88, 0xff, 0xff, 0xf0, 0,
		0,  0, 0,  1, 0x50, 0,    1,  0,   0,  0,  0,    0};
	uint32_t ip = payload + HEAD - 14;

	memcpy(frame, head, HEAD);
	for (uint32_t i = 0; i < payload; i++)
		frame[HEAD + i] = (uint8_t)(i * 7);
	frame[16] = (uint8_t)(ip >> 8);
	frame[17] = (uint8_t)ip;
	frame[47] = flags;
	return HEAD + payload;
}

/* RFC 1071 over what holds its own checksum. */
static bool sums_up(const uint8_t *p, size_t n, uint64_t sum)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

struct pieces {
	struct frame_view v[8];
	size_t n;
	bool ip6, sums;
};

static void take_piece(void *arg, const uint8_t *frame, size_t n)
{
	struct pieces *p = arg;
	size_t tcp = p->ip6 ? 54 : 34, from = p->ip6 ? 22 : 26;
	uint64_t pseudo = 6 + n - tcp;

	assert_true(frame_look(frame, n, &p->v[p->n++]));
	for (size_t i = from; i < tcp; i++)
		pseudo += i % 2 ? frame[i] : (uint32_t)frame[i] << 8;
	p->sums = p->sums && sums_up(frame + tcp, n - tcp, pseudo) &&
		  (p->ip6 || sums_up(frame + 14, 20, 0));
}

static void super_packets_become_segments(void **state)
{
	static uint8_t frame[FRAME_MAX];
	struct pieces p = {.sums = true};
	struct frame_view v;
	size_t n = make_frame(frame, SUPER, FRAME_PSH | FRAME_CWR | 16);

	(void)state;
	assert_true(frame_look(frame, n, &v));
	assert_true(v.tcp);
	assert_int_equal(v.payload, SUPER);
	frame_segment(frame, &v, SEGMENT, take_piece, &p);
	assert_int_equal(p.n, 3);
	assert_true(p.sums);
	for (size_t i = 0; i < p.n; i++) {
		assert_int_equal(p.v[i].ip_id, (0x12ff + i) & 0xffff);
		assert_int_equal(p.v[i].seq, v.seq + (uint32_t)i * SEGMENT);
		assert_int_equal(!!(p.v[i].flags & FRAME_PSH), i == 2);
		assert_int_equal(!!(p.v[i].flags & FRAME_CWR), i == 0);
	}
	assert_int_equal(p.v[2].payload, SUPER - 2 * SEGMENT);
}

/* The same over IPv6: no ID, no checksum of the header. */
static void super_packets_of_ip6(void **state)
{
	static uint8_t frame[FRAME_MAX];
	struct pieces p = {.ip6 = true, .sums = true};
	char text[FRAME_END_BYTES];
	struct frame_view v;

	(void)state;
	make_frame(frame, SUPER, FRAME_PSH | 16);
	memmove(frame + 54, frame + 34, 20 + SUPER);
	memset(frame + 14, 0, 40);
	frame[12] = 0x86;
	frame[13] = 0xdd;
	frame[14] = 0x60;
	frame[18] = (uint8_t)((20 + SUPER) >> 8);
	frame[19] = (uint8_t)(20 + SUPER);
	frame[20] = 6;
	frame[22] = frame[38] = 0xfd;
	frame[37] = 1;
	frame[53] = 2;
	assert_true(frame_look(frame, HEAD + 20 + SUPER, &v) && v.tcp);
	assert_string_equal(frame_end_text(&v.src, text), "[fd00::1]:1000");
	assert_string_equal(frame_end_text(&v.dst, text), "[fd00::2]:7000");
	frame_segment(frame, &v, SEGMENT, take_piece, &p);
	assert_int_equal(p.n, 3);
	assert_true(p.sums);
	assert_int_equal(p.v[2].payload, SUPER - 2 * SEGMENT);
}

static void short_frames_are_no_tcp(void **state)
{
	static uint8_t frame[FRAME_MAX];
	struct frame_view v;
	size_t n = make_frame(frame, 100, 16);

	(void)state;
	for (size_t k = 0; k < n; k++)
		assert_true(!frame_look(frame, k, &v) || !v.tcp);
	frame[46] = 0xf0; /* a header longer than the packet */
	frame[17] = 60;
	frame[16] = 0;
	assert_true(frame_look(frame, n, &v) && !v.tcp);
}

/* ---- rules */

#define MS INT64_C(1000000)

struct given {
	struct rules all;
	struct flow flow;
	struct frame_view v;
};

static struct given give(const char *rule, uint32_t payload, uint8_t flags)
{
	static uint8_t frame[FRAME_MAX];
	struct given g = {0};
	size_t n = make_frame(frame, payload, flags);

	assert_true(rule_parse(rule, &g.all.v[0]));
	g.all.n = 1;
	na_rng_seed(&g.all.rng, 1);
	assert_true(frame_look(frame, n, &g.v));
	return g;
}

static struct rule_verdict apply(struct given *g, int64_t at_ns)
{
	g->flow.frames++;
	return rule_apply(&g->all, &g->all.v[0], &g->v,
			  g->v.payload_at + g->v.payload, &g->flow, true,
			  at_ns);
}

static void rules_are_for_some_frames(void **state)
{
	static const struct {
		const char *rule;
		uint32_t payload;
		uint8_t flags;
		bool drop;
	} rows[] = {
		{"tx:1>2 drop", 100, 16, true},
		{"tx:*>* drop", 100, 16, true},
		{"tx:2>1 drop", 100, 16, false},
		{"rx:1>3 drop", 100, 16, false},
		{"tx:1>* drop only=data", 0, 16, false},
		{"tx:1>* drop only=data", 1, 16, true},
		{"tx:1>* drop only=ack", 0, 16, true},
		{"tx:1>* drop only=ack", 0, 17, false},
		{"tx:1>* drop only=syn", 0, 2, true},
		{"tx:1>* drop only=tail", 900, 24, true},
		{"tx:1>* drop only=tail", 900, 16, false},
		{"tx:1>* drop only=tail", 1448, 24, false},
		{"tx:1>* drop over=1300", 1400, 16, true},
		{"tx:1>* drop over=1300", 1200, 16, false},
		{"tx:1>* drop from_s=2", 10, 16, false},
		{"tx:1>* drop to_s=2", 10, 16, true},
		{"tx:1>* loss p=0", 10, 16, false},
		{"tx:1>* loss p=1", 10, 16, true},
		{"tx:1>* first n=1", 10, 16, true},
		{"tx:1>* every n=1", 10, 16, true},
		{"tx:1>* every n=2", 10, 16, false},
		{"tx:1>* drop flows=0", 10, 16, false},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct given g = give(rows[i].rule, rows[i].payload,
				      rows[i].flags);

		if (apply(&g, MS).drop != rows[i].drop)
			fail_msg("%s", rows[i].rule);
	}
}

static void no_rules(void **state)
{
	static const char *const rows[] = {"",
					   "tx",
					   "tx:1>2",
					   "up:1>2 drop",
					   "tx:12 drop",
					   "tx:1>2 burn",
					   "tx:1>2 loss p",
					   "tx:1>2 loss q=1",
					   "tx:1>2 loss p=x",
					   "tx:1>2 drop only=some"};
	struct rule r;

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++)
		assert_false(rule_parse(rows[i], &r));
}

static void rates_make_a_queue(void **state)
{
	/* 1000 bytes at 8 Mbit/s take 1 ms. */
	struct given g = give("tx:1>2 rate mbit=8 queue_ms=2.5", 1000 - HEAD,
			      16);

	(void)state;
	for (int64_t i = 1; i <= 3; i++)
		assert_int_equal(apply(&g, 0).at_ns, i * MS);
	assert_true(apply(&g, 0).drop);
	assert_false(apply(&g, MS).drop);
}

static void who_stands_still_goes_on(void **state)
{
	struct given g = give("tx:1>2 hold period_s=1 ms=100 keep=1", 10, 16);

	(void)state;
	assert_int_equal(apply(&g, 30 * MS).at_ns, 100 * MS);
	assert_int_equal(apply(&g, 40 * MS).at_ns, 100 * MS);
	assert_int_equal(apply(&g, 200 * MS).at_ns, 200 * MS);
	assert_int_equal(apply(&g, 1001 * MS).at_ns, 1100 * MS);
	/* Nobody overtakes. */
	assert_int_equal(apply(&g, 1099 * MS).at_ns, 1100 * MS);
}

static void bursts_are_long(void **state)
{
	struct given g = give("tx:1>2 loss p=0.1 burst=5", 10, 16);
	int lost = 0, bursts = 0;
	bool before = false;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		bool drop = apply(&g, MS).drop;

		lost += drop;
		bursts += drop && !before;
		before = drop;
	}
	assert_in_range(lost, 1500, 2500);
	assert_in_range(lost / bursts, 4, 6);
}

/* ---- views */

/* 1000 packets of host 1, a millisecond apart. */
static struct pcap_packets make_capture(void)
{
	struct pcap_packets p = {.link = PCAP_ETHERNET};
	static uint8_t frame[FRAME_MAX];
	uint32_t n = (uint32_t)make_frame(frame, 300, 16);

	for (int64_t i = 0; i < 1000; i++)
		assert_true(pcap_add(&p, i * MS, frame, n, n));
	return p;
}

static void views_leave_out(void **state)
{
	static const struct {
		struct choice choice;
		size_t least, most;
		int64_t first_ns;
		uint32_t bytes;
	} rows[] = {
		{{.cut = 96}, 1000, 1000, 0, 96},
		{{.cut = 900}, 1000, 1000, 0, HEAD + 300},
		{{.late = 0.3}, 700, 700, 300 * MS, HEAD + 300},
		{{.host = 1}, 1000, 1000, 0, HEAD + 300},
		{{.host = 2}, 0, 0, 0, 0},
		{{.lose = 0.05}, 920, 980, 0, HEAD + 300},
	};

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		struct pcap_packets p = make_capture();
		struct choice c = rows[i].choice;

		na_rng_seed(&c.rng, 1);
		choose(&p, &c);
		assert_in_range(p.all.n, rows[i].least, rows[i].most);
		if (p.all.n) {
			assert_int_equal(p.all.v[0].at_ns, rows[i].first_ns);
			assert_int_equal(p.all.v[0].n, rows[i].bytes);
			assert_int_equal(p.all.v[0].wire_n, HEAD + 300);
		}
		pcap_free(&p);
	}
}

static void ids_are_forgotten(void **state)
{
	struct pcap_packets p = make_capture();
	struct choice c = {.no_id = true};
	struct frame_view v;

	(void)state;
	choose(&p, &c);
	assert_true(frame_look(p.all.v[7].bytes, p.all.v[7].n, &v) && v.tcp);
	assert_int_equal(v.ip_id, 0);
	assert_true(sums_up(p.all.v[7].bytes + 14, 20, 0));
	pcap_free(&p);
}

/* Both ends in one file, the second one by a clock that is ahead. */
static void files_become_one(void **state)
{
	char path[] = "/tmp/test_captures.XXXXXX";
	struct pcap_packets p = make_capture(), both = {0};
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(pcap_save(path, &p));
	assert_true(choose_add(&both, path, 0));
	assert_true(choose_add(&both, path, 7 * MS + 1));
	pcap_sort(&both);
	close(fd);
	unlink(path);
	assert_int_equal(both.link, PCAP_ETHERNET);
	assert_int_equal(both.all.n, 2000);
	assert_int_equal(both.all.v[8].at_ns, 7 * MS + 1);
	assert_int_equal(both.all.v[1999].at_ns, 1006 * MS + 1);
	for (size_t i = 1; i < both.all.n; i++)
		assert_true(both.all.v[i - 1].at_ns <= both.all.v[i].at_ns);
	pcap_free(&both);
	pcap_free(&p);
}

/* ---- judging */

static const char two_hosts[] =
	"\"hosts\":[{\"name\":\"h1\",\"address\":\"10.9.0.1\"},"
	"{\"name\":\"h2\",\"address\":\"10.9.0.2\"}]";
static const char four_hosts[] =
	"\"hosts\":[{\"name\":\"h1\",\"address\":\"10.9.0.1\"},"
	"{\"name\":\"h2\",\"address\":\"10.9.0.2\"},"
	"{\"name\":\"h3\",\"address\":\"10.9.0.3\"},"
	"{\"name\":\"h4\",\"address\":\"10.9.0.4\"}]";

/* One connection from host 1 to host 2, one to host 3 where there is one. */
static char *make_truth(const char *fault, const char *hosts,
			const char *outcome, const char *accused,
			const char *verdicts, int dropped)
{
	struct na_str s = {0};

	na_str_addf(
		&s,
		"{\"condition\":\"c\",\"fault\":\"%s\",%s,"
		"\"outcome\":[%s],\"accused\":[%s],\"words\":[],"
		"\"groups\":[{\"verdicts\":[%s]},"
		"{\"verdicts\":[\"healthy\"]}],\"connections\":["
		"{\"src\":\"10.9.0.1:1\",\"dst\":\"10.9.0.2:7\",\"group\":0},"
		"{\"src\":\"10.9.0.1:2\",\"dst\":\"10.9.0.3:7\",\"group\":1}],"
		"\"wire\":{\"flows\":[{\"src\":\"10.9.0.2:7\","
		"\"dst\":\"10.9.0.1:1\",\"dropped_data\":%d},"
		"{\"src\":\"10.9.0.1:2\",\"dst\":\"10.9.0.3:7\","
		"\"dropped_data\":0}]}}",
		fault, hosts, outcome, accused, verdicts, dropped);
	assert_false(s.failed);
	return s.s;
}

static char *make_check(const char *outcome, const char *accused)
{
	struct na_str s = {0};

	if (accused)
		na_str_addf(&s,
			    "{\"result\":{\"verdict\":\"x\",\"outcome\":\"%s\","
			    "\"findings\":[],\"accused\":[%s]}}",
			    outcome, accused);
	else
		na_str_addf(&s,
			    "{\"result\":{\"verdict\":\"%s\","
			    "\"findings\":[]}}",
			    outcome);
	return s.s;
}

static char *make_tcp(const char *first, const char *second)
{
	struct na_str s = {0};

	na_str_addf(&s,
		    "{\"result\":{\"connections\":["
		    "{\"src\":\"10.9.0.1:1\",\"dst\":\"10.9.0.2:7\","
		    "\"verdict\":\"%s\",\"evidence\":[]},"
		    "{\"src\":\"10.9.0.1:2\",\"dst\":\"10.9.0.3:7\","
		    "\"verdict\":\"%s\",\"evidence\":[]}]}}",
		    first, second);
	return s.s;
}

struct judging {
	const char *outcome, *accused; /* NULL: no such member */
	const char *first, *second;    /* verdicts of the connections */
	const char *how, *of;
	enum score want;
};

static void judge_rows(const char *truth, const struct judging *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *check = make_check(rows[i].outcome, rows[i].accused);
		char *tcp = make_tcp(rows[i].first, rows[i].second);
		struct json view = {0};
		struct sight sight;
		struct scored got;
		struct truth t;
		struct said s;
		char text[96];

		assert_true(truth_read(truth, &t));
		snprintf(text, sizeof(text), "{\"how\":\"%s\",\"of\":\"%s\"}",
			 rows[i].how, rows[i].of);
		assert_true(json_read(text, &view));
		said_read(check, tcp, &s);
		sight = truth_sight(&t, &view);
		got = score_view(&t, &sight, &s);
		if (got.score != rows[i].want)
			fail_msg("row %zu: %d, not %d: %s", i, (int)got.score,
				 (int)rows[i].want, got.why);
		json_free(&view);
		said_free(&s);
		truth_free(&t);
		free(check);
		free(tcp);
	}
}

#define HEALTHY "healthy", "healthy"
#define H1      "host", "h1"
#define MID     "middle", "mid"
#define NETWORK "{\"cause\":\"network\"}"
#define SERVER  "{\"cause\":\"server\",\"host\":\"h2\"}"
#define CLIENT  "{\"cause\":\"client\",\"host\":\"h1\"}"
#define TX2     "{\"cause\":\"network\",\"kind\":\"src\",\"host\":\"h2\"}"
#define RX2     "{\"cause\":\"network\",\"kind\":\"dst\",\"host\":\"h2\"}"
#define RX3     "{\"cause\":\"network\",\"kind\":\"dst\",\"host\":\"h3\"}"

static void nothing_is_wrong(void **state)
{
	static const struct judging rows[] = {
		{"not_guilty", "", HEALTHY, H1, RIGHT},
		{"Network looks healthy", NULL, HEALTHY, H1, RIGHT},
		{"cannot_tell", "", HEALTHY, H1, FAIR},
		{"cannot_tell", "", HEALTHY, "oneway", "h1", RIGHT},
		{"", "", HEALTHY, H1, MISSED},
		{"guilty", NETWORK, HEALTHY, H1, WRONG},
		{"suspect: x", NULL, HEALTHY, H1, WRONG},
		{"not_guilty", SERVER, HEALTHY, H1, WRONG},
		{"not_guilty", "", "network_loss", "healthy", H1, WRONG},
		{"not_guilty", "", "server_slow", "healthy", H1, RIGHT},
		{"not_guilty", "", "server_slow", "server_slow", H1, WRONG},
		{"Network looks healthy, loses packets", NULL, HEALTHY, H1,
		 WRONG},
	};
	char *truth = make_truth("none", two_hosts, "\"not_guilty\"", "",
				 "\"healthy\"", 0);

	(void)state;
	judge_rows(truth, rows, NA_LEN(rows));
	free(truth);
}

static void the_server_is_slow(void **state)
{
	static const struct judging rows[] = {
		{"not_guilty", SERVER, HEALTHY, H1, RIGHT},
		{"not_guilty", "", "server_slow", "healthy", H1, RIGHT},
		{"not_guilty", "", HEALTHY, H1, MISSED},
		{"cannot_tell", "", HEALTHY, H1, FAIR},
		{"not_guilty", CLIENT, HEALTHY, H1, WRONG},
		{"guilty", NETWORK, "server_slow", "healthy", H1, WRONG},
		{"not_guilty", "{\"cause\":\"server\",\"host\":\"h1\"}",
		 HEALTHY, H1, WRONG},
	};
	char *truth = make_truth("server", two_hosts, "\"not_guilty\"", SERVER,
				 "\"server_slow\"", 0);

	(void)state;
	judge_rows(truth, rows, NA_LEN(rows));
	free(truth);
}

static void one_of_several_servers(void **state)
{
	static const struct judging rows[] = {
		{"not_guilty", SERVER, HEALTHY, H1, RIGHT},
		{"not_guilty", "{\"cause\":\"server\"}", HEALTHY, H1, FAIR},
		{"not_guilty", "{\"cause\":\"server\",\"host\":\"10.9.0.2\"}",
		 HEALTHY, H1, RIGHT},
		{"not_guilty", "{\"cause\":\"server\",\"host\":\"h3\"}",
		 HEALTHY, H1, WRONG},
		{"not_guilty", "", "healthy", "server_slow", H1, MISSED},
	};
	char *truth = make_truth("server", four_hosts, "\"not_guilty\"", SERVER,
				 "\"server_slow\"", 0);

	(void)state;
	judge_rows(truth, rows, NA_LEN(rows));
	free(truth);
}

static void packets_get_lost(void **state)
{
	static const struct judging rows[] = {
		{"guilty", TX2, HEALTHY, MID, RIGHT},
		{"guilty", RX2, HEALTHY, MID, FAIR},
		{"guilty", NETWORK, HEALTHY, MID, FAIR},
		{"guilty", RX3, HEALTHY, MID, WRONG},
		{"guilty", RX2, HEALTHY, H1, RIGHT},
		{"guilty", RX3, HEALTHY, H1, WRONG},
		{"possible cause: at h2", NULL, "network_loss", "healthy", MID,
		 RIGHT},
		{"suspect: x", NULL, "network_loss", "healthy", MID, FAIR},
		{"guilty", NETWORK, "network_loss", "network_loss", H1, WRONG},
		{"not_guilty", "", "network_loss", "healthy", H1, MISSED},
		{"cannot_tell", "", HEALTHY, H1, FAIR},
		{"guilty", SERVER, HEALTHY, H1, WRONG},
		/* Host 3 sees nothing of it. */
		{"not_guilty", "", HEALTHY, "host", "h3", RIGHT},
		{"guilty", NETWORK, HEALTHY, "host", "h3", WRONG},
	};
	char *truth = make_truth("network", four_hosts, "\"guilty\"", TX2,
				 "\"network_loss\"", 5);

	(void)state;
	judge_rows(truth, rows, NA_LEN(rows));
	free(truth);
}

static void broken_json(void **state)
{
	static const char *const rows[] = {"",           "{",        "[1,]x",
					   "{\"a\"}",    "\"a",      "[1 2]",
					   "nul",        "{\"a\":}", "{}{}",
					   "{\"a\":1,,}"};
	struct json j;
	char deep[256];

	(void)state;
	for (size_t i = 0; i < NA_LEN(rows); i++) {
		assert_false(json_read(rows[i], &j));
		json_free(&j);
	}
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_false(json_read(deep, &j));
	json_free(&j);
	assert_true(json_read("{\"a\":[\"x\\\"y\",-1.5e3,null,true]}", &j));
	assert_true(json_has(json_get(&j, "a"), "x\"y"));
	assert_true(json_get(&j, "a")->items[1].number < -1499);
	json_free(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(super_packets_become_segments),
		cmocka_unit_test(super_packets_of_ip6),
		cmocka_unit_test(short_frames_are_no_tcp),
		cmocka_unit_test(rules_are_for_some_frames),
		cmocka_unit_test(no_rules),
		cmocka_unit_test(rates_make_a_queue),
		cmocka_unit_test(who_stands_still_goes_on),
		cmocka_unit_test(bursts_are_long),
		cmocka_unit_test(views_leave_out),
		cmocka_unit_test(ids_are_forgotten),
		cmocka_unit_test(files_become_one),
		cmocka_unit_test(nothing_is_wrong),
		cmocka_unit_test(the_server_is_slow),
		cmocka_unit_test(one_of_several_servers),
		cmocka_unit_test(packets_get_lost),
		cmocka_unit_test(broken_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
