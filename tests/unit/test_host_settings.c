/* What is judged of a host's settings, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/host/settings.h"
#include "netan/analyses/sysctl/sysctl.h"
#include "tests/unit/settings_tree.h"

struct judged {
	struct tree tree;
	struct na_settings s, before;
	struct na_host_asked asked;
	struct na_result *r;
	struct na_host_judged j;
};

static void begin(struct judged *x)
{
	memset(x, 0, sizeof(*x));
	tree_init(&x->tree);
	tree_good(&x->tree, "h");
}

static void take(struct judged *x, const char *below, struct na_settings *s)
{
	char dir[100];
	const struct na_settings_from from = {.root = dir};
	struct na_err err = {.status = NA_OK};

	snprintf(dir, sizeof(dir), "%s/%s", x->tree.top, below);
	assert_int_equal(na_settings_read(s, &from, &err), NA_OK);
}

static void judge(struct judged *x)
{
	take(x, "h", &x->s);
	x->r = na_result_new();
	x->j = na_host_settings_put(&x->s, &x->asked, x->r,
				    na_result_body(x->r));
	na_host_settings_views(&x->j, "h", x->r);
	assert_true(na_result_ok(x->r));
}

static void end(struct judged *x)
{
	na_result_free(x->r);
	na_settings_fini(&x->s);
	if (x->asked.before)
		na_settings_fini(&x->before);
	tree_fini(&x->tree);
}

static const struct na_value *row(const struct judged *x, const char *list,
				  const char *name)
{
	const struct na_value *v = na_get(na_result_body(x->r), list);

	for (v = v->u.of.first; v; v = v->next) {
		if (strcmp(na_text_of(na_get(v, "name"), ""), name) == 0)
			return v;
	}
	fail_msg("%s: no %s", list, name);
	return NULL;
}

static void assert_row(const struct judged *x, const char *list,
		       const char *name, const char *state, const char *remedy)
{
	const struct na_value *v = row(x, list, name);

	assert_string_equal(na_text_of(na_get(v, "state"), "?"), state);
	assert_string_equal(na_text_of(na_get(v, "remedy"), ""), remedy);
}

static void all_is_well(void **state)
{
	struct judged x;

	(void)state;
	begin(&x);
	judge(&x);
	assert_int_equal(x.j.bad, 0);
	assert_int_equal(x.j.unknown, 0);
	/* 15 settings, a NIC, 6 counters */
	assert_int_equal(x.j.ok, 22);
	assert_int_equal(x.j.worst, NA_SEV_NONE);
	end(&x);
}

/* Each one past its limit, and what mends it. */
static void each_setting_wrong(void **state)
{
	/* clang-format off */
	static const struct {
		const char *path, *text, *name, *remedy;
	} rows[] = {
		{"proc/sys/net/ipv4/tcp_slow_start_after_idle", "1",
		 "net.ipv4.tcp_slow_start_after_idle",
		 "sysctl -w net.ipv4.tcp_slow_start_after_idle=0"},
		{"proc/sys/net/ipv4/tcp_no_metrics_save", "0",
		 "net.ipv4.tcp_no_metrics_save",
		 "sysctl -w net.ipv4.tcp_no_metrics_save=1"},
		{"routes.txt", "default via 10.0.0.1 dev eth0 metric 9",
		 "rto_min",
		 "ip route change default via 10.0.0.1 dev eth0 metric 9 "
		 "rto_min 5ms"},
		{"sys/module/tcp_cubic/parameters/hystart_detect", "3",
		 "tcp_cubic.hystart_detect",
		 "echo 2 > /sys/module/tcp_cubic/parameters/hystart_detect"},
		{"proc/sys/net/core/somaxconn", "4095", "net.core.somaxconn",
		 "sysctl -w net.core.somaxconn=4096"},
		{"proc/sys/net/ipv4/tcp_max_syn_backlog", "4095",
		 "net.ipv4.tcp_max_syn_backlog",
		 "sysctl -w net.ipv4.tcp_max_syn_backlog=4096"},
		{"proc/sys/net/ipv4/tcp_mtu_probing", "1",
		 "net.ipv4.tcp_mtu_probing",
		 "sysctl -w net.ipv4.tcp_mtu_probing=0"},
		{"proc/sys/net/core/optmem_max", "131071",
		 "net.core.optmem_max", "sysctl -w net.core.optmem_max=131072"},
		{"proc/sys/net/core/rmem_max", "16777215", "net.core.rmem_max",
		 "sysctl -w net.core.rmem_max=16777216"},
		{"proc/sys/net/core/wmem_max", "212992", "net.core.wmem_max",
		 "sysctl -w net.core.wmem_max=16777216"},
		{"proc/sys/net/ipv4/tcp_rmem", "4096 131072 16777215",
		 "net.ipv4.tcp_rmem",
		 "sysctl -w net.ipv4.tcp_rmem=\"4096 131072 16777216\""},
		{"proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304",
		 "net.ipv4.tcp_wmem",
		 "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 16777216\""},
		{"proc/sys/net/core/default_qdisc", "fq_codel",
		 "net.core.default_qdisc",
		 "sysctl -w net.core.default_qdisc=fq"},
		{"sys/class/net/eth0/mtu", "4081", "mtu",
		 "# only if all hosts, switches and routers of the job carry "
		 "8896 bytes: ip link set dev eth0 mtu 8896"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judged x;
		char path[200];

		begin(&x);
		snprintf(path, sizeof(path), "h/%s", rows[i].path);
		tree_put(&x.tree, path, rows[i].text);
		judge(&x);
		assert_row(&x, "settings", rows[i].name, "bad", rows[i].remedy);
		assert_int_equal(x.j.bad, 1);
		assert_int_equal(x.j.worst, NA_SEV_WARNING);
		end(&x);
	}
}

static void nothing_seen_is_nothing_said(void **state)
{
	struct judged x;
	const struct na_value *v;

	(void)state;
	memset(&x, 0, sizeof(x));
	tree_init(&x.tree);
	tree_put(&x.tree, "h/sys/class/net/veth0/mtu", "1500");
	judge(&x);
	assert_int_equal(x.j.ok, 0);
	assert_int_equal(x.j.bad, 0);
	assert_int_equal(x.j.worst, NA_SEV_NONE);
	for (v = na_get(na_result_body(x.r), "settings")->u.of.first; v;
	     v = v->next) {
		assert_string_equal(na_text_of(na_get(v, "state"), ""),
				    "unknown");
		assert_int_equal(na_get(v, "value")->kind, NA_V_NULL);
	}
	assert_non_null(
		strstr(na_text_of(na_get(na_result_body(x.r), "verdict"), ""),
		       "cannot tell"));
	end(&x);
}

/* bandwidth x round trip: 100 Gbit/s x 20 ms = 250 MB. */
static void sockets_hold_the_path(void **state)
{
	struct judged x;

	(void)state;
	begin(&x);
	x.asked.window_bytes = 100e9 * 20e-3 / 8;
	judge(&x);
	assert_row(&x, "settings", "net.core.rmem_max", "bad",
		   "sysctl -w net.core.rmem_max=250000000");
	assert_row(&x, "settings", "net.core.optmem_max", "ok", "");
	assert_int_equal(x.j.bad, 4);
	end(&x);
	begin(&x);
	x.asked.window_bytes = 1000; /* 16 MiB all the same */
	tree_put(&x.tree, "h/proc/sys/net/core/rmem_max", "2000");
	judge(&x);
	assert_row(&x, "settings", "net.core.rmem_max", "bad",
		   "sysctl -w net.core.rmem_max=16777216");
	end(&x);
}

/* routes, tcp_rto_min_us, what is said. */
static void minimum_timeouts(void **state)
{
	/* clang-format off */
	static const struct {
		const char *routes, *us, *state;
		double ms;
	} rows[] = {
		/* The route's own, whatever the host's is. */
		{"default dev eth0 rto_min lock 10ms\n", "200000", "ok", 10},
		{"default dev eth0 rto_min lock 11ms\n", "5000", "bad", 11},
		/* None: the host's, or on older kernels 200 ms. */
		{"default dev eth0\n", "5000", "ok", 5},
		{"default dev eth0\n", "200000", "bad", 200},
		{"default dev eth0\n", NULL, "bad", 200},
		/* The kernel does not heed what is not locked. */
		{"default dev eth0 rto_min unlocked 5ms\n", NULL, "bad", 200},
		/* The worst route counts; what training does not take, not. */
		{"default dev eth0 rto_min lock 5ms\n10.0.0.0/8 dev eth0\n",
		 NULL, "bad", 200},
		{"default dev eth0 rto_min lock 5ms\nlocal 10.0.0.1 dev eth0\n"
		 "blackhole 10.0.0.0/8\nfe80::/64 dev eth0\n"
		 "172.17.0.0/16 dev docker0 linkdown\n127.0.0.0/8 dev lo\n",
		 NULL, "ok", 5},
		/* A value that is there and cannot be read: not 200 ms. */
		{"default dev eth0\n", "many", "unknown", -1},
		/* No route to judge. */
		{"local 10.0.0.1 dev eth0\n", NULL, "unknown", -1},
		{"local 10.0.0.1 dev eth0\n", "5000", "ok", 5},
		{"local 10.0.0.1 dev eth0\n", "200000", "unknown", -1},
		{"[]\n", NULL, "unknown", -1},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judged x;
		const struct na_value *v;

		begin(&x);
		tree_put(&x.tree, "h/routes.txt", rows[i].routes);
		if (rows[i].us)
			tree_put(&x.tree, "h/proc/sys/net/ipv4/tcp_rto_min_us",
				 rows[i].us);
		judge(&x);
		v = row(&x, "settings", "rto_min");
		assert_string_equal(na_text_of(na_get(v, "state"), ""),
				    rows[i].state);
		assert_true(
			na_real_of(na_get(na_result_body(x.r), "rto_min_ms"),
				   -1) == rows[i].ms);
		end(&x);
	}
}

static void several_next_hops_are_not_made_one(void **state)
{
	struct judged x;

	(void)state;
	begin(&x);
	tree_put(&x.tree, "h/routes.txt",
		 "default\n\tnexthop via 10.0.0.1 dev eth0\n"
		 "\tnexthop via 10.0.0.2 dev eth1\n");
	judge(&x);
	assert_row(&x, "settings", "rto_min", "bad",
		   "ip route change default rto_min 5ms nexthop via 10.0.0.1 "
		   "dev eth0 nexthop via 10.0.0.2 dev eth1");
	end(&x);
	begin(&x);
	tree_put(&x.tree, "h/routes.txt",
		 "default nhid 7\n\tnexthop via 10.0.0.1 dev eth0\n"
		 "\tnexthop via 10.0.0.2 dev eth1\n");
	judge(&x);
	assert_row(&x, "settings", "rto_min", "bad",
		   "# ip route change default with all its 2 next hops, and "
		   "rto_min 5ms");
	end(&x);
	/* What a shell would take for a command of its own. */
	begin(&x);
	tree_put(&x.tree, "h/routes.txt", "default via 10.0.0.1 dev a;b\n");
	judge(&x);
	assert_row(&x, "settings", "rto_min", "bad",
		   "# change that route, with all that it has, and rto_min "
		   "5ms");
	end(&x);
}

/* Of CUBIC alone; of another congestion control nobody asks for it. */
static void not_in_use(void **state)
{
	struct judged x;
	const struct na_value *v;

	(void)state;
	for (int cubic = 0; cubic < 2; cubic++) {
		begin(&x);
		tree_put(&x.tree,
			 "h/sys/module/tcp_cubic/parameters/hystart_detect",
			 "3");
		tree_put(&x.tree, "h/proc/sys/net/ipv4/tcp_congestion_control",
			 cubic ? "cubic" : "bbr");
		judge(&x);
		v = row(&x, "settings", "tcp_cubic.hystart_detect");
		assert_string_equal(na_text_of(na_get(v, "state"), ""),
				    cubic ? "bad" : "ok");
		assert_int_equal(
			strcmp(na_text_of(na_get(v, "why"), ""),
			       "not in use: congestion control is bbr") == 0,
			!cubic);
		end(&x);
	}
}

static void mtus(void **state)
{
	struct judged x;

	(void)state;
	begin(&x);
	tree_put(&x.tree, "h/sys/class/net/eth1/device/uevent", "");
	tree_put(&x.tree, "h/sys/class/net/eth1/mtu", "4082");
	judge(&x);
	assert_row(&x, "settings", "mtu", "bad",
		   "# only if all hosts, switches and routers of the job carry "
		   "8896 bytes: ip link set dev eth1 mtu 8896");
	end(&x);
	/* One whose link is down does not count, nor a virtual one. */
	begin(&x);
	tree_put(&x.tree, "h/sys/class/net/eth1/device/uevent", "");
	tree_put(&x.tree, "h/sys/class/net/eth1/mtu", "1500");
	tree_put(&x.tree, "h/sys/class/net/eth1/operstate", "down");
	tree_put(&x.tree, "h/sys/class/net/docker0/mtu", "1500");
	judge(&x);
	assert_row(&x, "settings", "mtu", "ok", "");
	end(&x);
}

static void errors_of_nics(void **state)
{
	/* clang-format off */
	static const struct {
		const char *counter, *before, *now, *state;
		enum na_severity worst;
	} rows[] = {
		{"rx_crc_errors", NULL, "3", "bad", NA_SEV_WARNING},
		{"rx_dropped", NULL, "3", "bad", NA_SEV_INFO},
		{"rx_crc_errors", "3", "3", "ok", NA_SEV_NONE},
		{"rx_crc_errors", "3", "4", "bad", NA_SEV_ERROR},
		{"rx_dropped", "3", "4", "bad", NA_SEV_WARNING},
		{"rx_crc_errors", "4", "3", "unknown", NA_SEV_NONE},
		{"rx_packets", "3", "9", "ok", NA_SEV_NONE},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judged x;
		char path[100];

		begin(&x);
		snprintf(path, sizeof(path),
			 "h/sys/class/net/eth0/"
			 "statistics/%s",
			 rows[i].counter);
		if (rows[i].before) {
			tree_put(&x.tree, path, rows[i].before);
			take(&x, "h", &x.before);
			x.asked.before = &x.before;
		}
		tree_put(&x.tree, path, rows[i].now);
		judge(&x);
		assert_string_equal(na_text_of(na_get(row(&x, "nics", "eth0"),
						      "state"),
					       ""),
				    rows[i].state);
		assert_int_equal(x.j.worst, rows[i].worst);
		end(&x);
	}
}

static void retransmitted_shares(void **state)
{
	/* clang-format off */
	static const struct {
		const char *sent, *again, *state;
	} rows[] = {
		{"1000000", "99", "ok"},
		{"1000000", "100", "bad"},
		{"10000", "0", "ok"},
		{"10000", "1", "bad"},
		{"9999", "0", "unknown"}, /* too few to tell */
		{"9999", "9", "unknown"},
		{"9999", "10", "bad"}, /* so many of however few */
		{"0", "0", "unknown"},
		{"x", "5", "unknown"},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct judged x;
		char text[200];

		begin(&x);
		snprintf(text, sizeof(text),
			 "Tcp: OutSegs RetransSegs\nTcp: %s %s\n", rows[i].sent,
			 rows[i].again);
		tree_put(&x.tree, "h/proc/net/snmp", text);
		judge(&x);
		assert_string_equal(na_text_of(na_get(row(&x, "counters",
							  "RetransSegs"),
						      "state"),
					       ""),
				    rows[i].state);
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well),
		cmocka_unit_test(each_setting_wrong),
		cmocka_unit_test(nothing_seen_is_nothing_said),
		cmocka_unit_test(sockets_hold_the_path),
		cmocka_unit_test(minimum_timeouts),
		cmocka_unit_test(several_next_hops_are_not_made_one),
		cmocka_unit_test(not_in_use),
		cmocka_unit_test(mtus),
		cmocka_unit_test(errors_of_nics),
		cmocka_unit_test(retransmitted_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
