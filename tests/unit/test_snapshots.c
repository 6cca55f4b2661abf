/* Snapshots written and read again; which host is which; what the settings
 * of a job's hosts become among the checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/host/settings.h"
#include "netan/analyses/sysctl/sysctl.h"
#include "netan/checks/check.h"
#include "netan/cli/commands/host_settings.h"
#include "netan/engine/snapshot.h"
#include "tests/unit/settings_tree.h"

static struct tree tree;

static int setup(void **state)
{
	(void)state;
	tree_init(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_fini(&tree);
	return 0;
}

static void take(const char *below, struct na_settings *s)
{
	char dir[200];
	const struct na_settings_from from = {.root = dir,
					      .by_directory = true};
	struct na_err err = {.status = NA_OK};

	snprintf(dir, sizeof(dir), "%s/%s", tree.top, below);
	assert_int_equal(na_settings_read(s, &from, &err), NA_OK);
}

static void a_snapshot_is_the_host_again(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_settings a, b;
	char dir[200];

	(void)state;
	tree_good(&tree, "host-3");
	tree_put(&tree, "host-3/sys/class/net/eth1/device/other", "");
	snprintf(dir, sizeof(dir), "%s/kept", tree.top);
	take("host-3", &a);
	assert_int_equal(na_snapshot_write(&a, dir, &err), NA_OK);
	take("kept", &b);
	assert_string_equal(b.host, "host-3");
	assert_int_equal(b.n_nics, 2);
	assert_int_equal(b.nics[1].kind, NA_NIC_PHYSICAL);
	assert_int_equal(b.routes.n, a.routes.n);
	assert_int_equal(b.n_files, a.n_files + 1); /* hostname */
	for (size_t i = 0; i < NA_N_SETTINGS; i++) {
		const struct na_setting_value *x = &a.setting[i], *y = &b.setting[i];

		assert_string_equal(x->text ? x->text : x->why,
				    y->text ? y->text : y->why);
	}
	assert_memory_equal(a.counter, b.counter, sizeof(a.counter));
	/* Nothing is written over, not even by the same. */
	assert_int_equal(na_snapshot_write(&a, dir, &err), NA_EIO);
	assert_non_null(strstr(err.text, "there already"));
	na_settings_fini(&a);
	na_settings_fini(&b);
}

static void nothing_is_left_of_a_snapshot_that_fails(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_settings s;
	char dir[200];

	(void)state;
	tree_good(&tree, "h");
	take("h", &s);
	/* A path that a file stands in the way of. */
	s.files[s.n_files - 1].path = "proc/net/snmp/below";
	assert_int_equal(mkdir(tree_at(&tree, "out/"), 0755), -1);
	snprintf(dir, sizeof(dir), "%s/out/kept/", tree.top);
	assert_int_equal(na_snapshot_write(&s, dir, &err), NA_EIO);
	/* The directory that was to hold it is empty. */
	snprintf(dir, sizeof(dir), "%s/out", tree.top);
	assert_int_equal(rmdir(dir), 0);
	na_settings_fini(&s);
}

static void where_snapshots_may_go(void **state)
{
	static const char *const bad[] = {"file", "full", "link", "file/below"};
	static const char *const good[] = {"empty", "new/", "no/where/yet"};
	char dir[200];

	(void)state;
	tree_put(&tree, "file", "x");
	tree_put(&tree, "full/file", "x");
	tree_at(&tree, "empty/");
	tree_link(&tree, "link", "empty");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct na_err err = {.status = NA_OK};

		snprintf(dir, sizeof(dir), "%s/%s", tree.top, bad[i]);
		assert_int_equal(na_snapshot_check(dir, &err), NA_EIO);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct na_err err = {.status = NA_OK};

		snprintf(dir, sizeof(dir), "%s/%s", tree.top, good[i]);
		assert_int_equal(na_snapshot_check(dir, &err), NA_OK);
	}
}

static void which_host_is_meant(void **state)
{
	/* clang-format off */
	static const char *const hosts[] = {
		"host-1", "host-2.pod.local", "host-10", "a.x", "a.y",
		"10.0.0.1", "10.0.0.2",
	};
	static const struct { const char *name; size_t want; } rows[] = {
		{"host-1", 0}, {"host-1.pod.local", 0}, {"host-2", 1},
		{"host-2.pod.local", 1}, {"host-2.other", 1}, {"host-10", 2},
		{"host", 7}, {"host-3", 7}, {"a", 7}, {"a.x", 3},
		{"10.0.0.1", 5}, {"10.0.0.3", 7}, {"10", 7}, {"", 7},
		{".pod.local", 7},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(na_same_host(rows[i].name, hosts, 7),
				 rows[i].want);
}

/* ---- among the checks */

struct bench {
	struct na_result *rpc, *settings, *r;
	struct na_exhibit exhibits[2];
	const char *only;
	int worst;
};

static bool wanted(void *ctx, const struct na_check *check)
{
	const struct bench *b = ctx;

	return b->only ? strcmp(check->id, b->only) == 0
		       : strcmp(check->id, "rpc-latency") == 0 ||
				 strcmp(check->id, "host-settings") == 0;
}

static void put_mode(struct bench *b, struct na_value *list, double ms,
		     const char *cause, const char *host)
{
	struct na_value *m = na_put_object(b->rpc, list, NULL), *hosts;

	na_put_real(b->rpc, m, "latency_ms", ms);
	na_put_text(b->rpc, m, "cause", cause);
	na_put_int(b->rpc, m, "count", 20);
	na_put_real(b->rpc, m, "share", 0.002);
	hosts = na_put_list(b->rpc, m, "hosts");
	if (host)
		na_put_text(b->rpc, hosts, NULL, host);
}

static struct na_value *begin(struct bench *b)
{
	struct na_value *body;

	memset(b, 0, sizeof(*b));
	b->rpc = na_result_new();
	b->settings = na_result_new();
	b->r = na_result_new();
	body = na_result_body(b->rpc);
	na_put_text(b->rpc, body, "verdict", "RTO-like");
	na_put_int(b->rpc, na_put_object(b->rpc, body, "overall"), "transfers",
		   10000);
	na_put_list(b->settings, na_result_body(b->settings), "hosts");
	na_put_list(b->settings, na_result_body(b->settings), "without");
	return na_put_list(b->rpc, body, "modes");
}

static void put_host(struct bench *b, const char *name)
{
	const struct na_host_asked asked = {.brief = true};
	const struct na_value *body = na_result_body(b->settings);
	/* The list that begin() made. */
	struct na_value *list = body->u.of.first;
	struct na_value *to = na_put_object(b->settings, list, NULL);
	struct na_settings s;

	take(name, &s);
	na_put_text(b->settings, to, "command", "netan sysctl");
	na_put_text(b->settings, to, "trace_host", name);
	na_host_settings_put(&s, &asked, b->settings, to);
	na_settings_fini(&s);
}

static const char *rest_of(void *ctx, const char *name, enum na_inputs_of of)
{
	(void)ctx;
	(void)name;
	(void)of;
	return "log";
}

static void judge(struct bench *b)
{
	static const struct na_limits limits;
	const struct na_checks_asked asked = {.exhibits = b->exhibits,
					      .n_exhibits = 2,
					      .limits = &limits,
					      .rest = rest_of,
					      .wanted = wanted,
					      .ctx = b};
	struct na_err err = {.status = NA_OK};

	b->exhibits[0] = (struct na_exhibit){"rpc", b->rpc, NULL};
	b->exhibits[1] = (struct na_exhibit){"settings", b->settings, NULL};
	assert_int_equal(na_checks_run(&asked, b->r, &b->worst, &err), NA_OK);
}

static void end(struct bench *b)
{
	na_result_free(b->rpc);
	na_result_free(b->settings);
	na_result_free(b->r);
}

static size_t count(const struct bench *b, const char *list)
{
	return na_get(na_result_body(b->r), list)->n;
}

static const struct na_value *finding(const struct bench *b, size_t i)
{
	const struct na_value *v = na_get(na_result_body(b->r), "findings");

	for (v = v->u.of.first; v && i; i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

static bool says(const struct na_value *f, const char *name, const char *part)
{
	return strstr(na_text_of(na_get(f, name), ""), part) != NULL;
}

/* host-1 as it should be, host-2 without a minimum timeout of its own. */
static void two_hosts(struct bench *b)
{
	tree_good(&tree, "host-1");
	tree_good(&tree, "host-2");
	tree_put(&tree, "host-2/routes.txt", "default via 10.0.0.1 dev eth0");
	put_host(b, "host-1");
	put_host(b, "host-2");
}

static void one_finding_for_a_timer_and_its_setting(void **state)
{
	struct bench b;
	struct na_value *modes = begin(&b);

	(void)state;
	put_mode(&b, modes, 200, "retransmission timeout", "host-2");
	two_hosts(&b);
	judge(&b);
	assert_int_equal(count(&b, "findings"), 1);
	assert_true(says(finding(&b, 0), "id", "rpc-latency"));
	assert_true(says(finding(&b, 0), "also", "host-settings"));
	assert_true(says(finding(&b, 0), "title", "200 ms on host-2"));
	assert_true(says(finding(&b, 0), "remedy",
			 "ip route change default via 10.0.0.1 dev eth0 "
			 "rto_min 5ms"));
	assert_int_equal(count(&b, "passed"), 0);
	assert_int_equal(count(&b, "not_run"), 0);
	assert_int_equal(b.worst, NA_SEV_WARNING);
	end(&b);
}

static void without_rpc_latency_the_setting_says_it(void **state)
{
	struct bench b;
	struct na_value *modes = begin(&b);

	(void)state;
	put_mode(&b, modes, 400, "retransmission timeout", NULL);
	two_hosts(&b);
	b.only = "host-settings";
	judge(&b);
	assert_int_equal(count(&b, "findings"), 1);
	assert_true(says(finding(&b, 0), "id", "host-settings"));
	assert_true(says(finding(&b, 0), "title", "on 1 of 2 hosts (host-2)"));
	assert_true(says(finding(&b, 0), "title", "400 ms late"));
	end(&b);
}

/* Another host, another timer, another cause: two findings. */
static void what_does_not_belong_together(void **state)
{
	/* clang-format off */
	static const struct {
		double ms;
		const char *cause, *host;
	} rows[] = {
		{200, "retransmission timeout", "host-1"},
		{1000, "initial retransmission timeout", "host-2"},
		{40, "delayed acknowledgement", "host-2"},
		{5, "retransmission timeout, lowered minimum", "host-2"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench b;
		struct na_value *modes = begin(&b);

		put_mode(&b, modes, rows[i].ms, rows[i].cause, rows[i].host);
		two_hosts(&b);
		judge(&b);
		assert_int_equal(count(&b, "findings"), 2);
		for (size_t k = 0; k < 2; k++)
			assert_null(na_get(finding(&b, k), "also"));
		end(&b);
	}
}

static void settings_over_hosts(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	for (int i = 1; i <= 3; i++) {
		char host[20];

		snprintf(host, sizeof(host), "host-%d", i);
		tree_good(&tree, host);
	}
	tree_put(&tree, "host-2/proc/sys/net/core/somaxconn", "128");
	tree_put(&tree, "host-3/proc/sys/net/core/somaxconn", "");
	tree_put(&tree, "host-3/proc/sys/net/ipv4/tcp_congestion_control",
		 "bbr");
	tree_put(&tree, "host-1/sys/class/net/eth0/statistics/rx_crc_errors",
		 "7");
	for (int i = 1; i <= 3; i++) {
		char host[20];

		snprintf(host, sizeof(host), "host-%d", i);
		put_host(&b, host);
	}
	judge(&b);
	assert_int_equal(count(&b, "findings"), 3);
	assert_true(says(finding(&b, 0), "title",
			 "eth0 of host-1 (rx_crc_errors 7)"));
	assert_true(says(finding(&b, 1), "title",
			 "net.core.somaxconn is 128 on 1 of 2 hosts (host-2)"));
	assert_true(says(finding(&b, 2), "title",
			 "tcp_congestion_control cubic on host-1 and host-2, "
			 "bbr on host-3"));
	assert_true(says(finding(&b, 2), "severity", "info"));
	end(&b);
}

static void passed_only_if_all_was_seen(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	tree_good(&tree, "host-1");
	put_host(&b, "host-1");
	judge(&b);
	assert_int_equal(count(&b, "findings"), 0);
	assert_int_equal(count(&b, "not_run"), 0);
	end(&b);
	/* One file less: not known, so not passed. */
	begin(&b);
	unlink(tree_at(&tree, "host-1/proc/sys/net/core/somaxconn"));
	put_host(&b, "host-1");
	judge(&b);
	assert_int_equal(count(&b, "findings"), 0);
	assert_int_equal(count(&b, "not_run"), 1);
	end(&b);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_snapshot_is_the_host_again),
		CASE(nothing_is_left_of_a_snapshot_that_fails),
		CASE(where_snapshots_may_go),
		CASE(which_host_is_meant),
		CASE(one_finding_for_a_timer_and_its_setting),
		CASE(without_rpc_latency_the_setting_says_it),
		CASE(what_does_not_belong_together),
		CASE(settings_over_hosts),
		CASE(passed_only_if_all_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
