/* Files below a root that somebody else filled; settings, NICs and counters
 * of a host; what is hostile there. */
#include <fcntl.h>
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

/* "=TEXT", or why not. */
static const char *content(const char *below)
{
	static char out[600];
	struct na_err err = {.status = NA_OK};
	struct na_chroot root;
	struct na_arena a;
	const char *bytes;
	size_t n;

	memset(&a, 0, sizeof(a));
	assert_int_equal(na_chroot_open(&root, tree.top, &err), NA_OK);
	if (na_chroot_read(&root, below, 100, &a, &bytes, &n, &err) == NA_OK)
		snprintf(out, sizeof(out), "=%s", bytes);
	else
		snprintf(out, sizeof(out), "%s", err.text);
	na_chroot_close(&root);
	na_arena_fini(&a);
	return out;
}

static void links_stay_below_the_root(void **state)
{
	(void)state;
	tree_put(&tree, "etc/passwd", "inside");
	tree_put(&tree, "a/b/c", "deep");
	tree_link(&tree, "absolute", "/etc/passwd");
	tree_link(&tree, "up", "../../../../../etc/passwd");
	tree_link(&tree, "a/back", "../a/b");
	tree_link(&tree, "a/b/root", "/");
	assert_string_equal(content("absolute"), "=inside");
	assert_string_equal(content("up"), "=inside");
	assert_string_equal(content("../../etc/passwd"), "=inside");
	assert_string_equal(content("/etc/passwd"), "=inside");
	assert_string_equal(content("a/back/c"), "=deep");
	assert_string_equal(content("a/b/root/a/./b//c"), "=deep");
	assert_string_equal(content("a/b/root/etc/hostname"), "is not there");
}

static void links_in_a_circle(void **state)
{
	char long_path[1200];

	(void)state;
	tree_link(&tree, "x", "y");
	tree_link(&tree, "y", "x");
	tree_link(&tree, "self", "self/self");
	tree_link(&tree, "here", ".");
	tree_put(&tree, "file", "f");
	assert_non_null(strstr(content("x"), "symbolic links"));
	assert_non_null(strstr(content("self"), "symbolic links"));
	assert_string_equal(content("here/here/here/file"), "=f");
	long_path[0] = '\0';
	for (int i = 0; i < 41; i++)
		strcat(long_path, "here/");
	strcat(long_path, "file");
	assert_non_null(strstr(content(long_path), "symbolic links"));
	long_path[0] = '\0';
	for (int i = 0; i < 50; i++)
		strcat(long_path, "d/");
	strcat(long_path, "f");
	tree_put(&tree, long_path, "f");
	assert_non_null(strstr(content(long_path), "cannot be read"));
}

static void what_is_no_file_is_not_opened(void **state)
{
	char big[102];

	(void)state;
	assert_int_equal(mkfifo(tree_at(&tree, "pipe"), 0644), 0);
	tree_link(&tree, "device", "/dev/zero");
	tree_link(&tree, "to-pipe", "pipe");
	assert_int_equal(mkdir(tree_at(&tree, "folder"), 0755), 0);
	memset(big, 'x', 101);
	big[101] = '\0';
	tree_put(&tree, "big", big);
	tree_put(&tree, "fits", big + 1);
	assert_string_equal(content("pipe"), "is a pipe, not a regular file");
	assert_string_equal(content("to-pipe"),
			    "is a pipe, not a regular file");
	assert_string_equal(content("device"), "is not there");
	assert_string_equal(content("folder"), "is a directory");
	assert_string_equal(content("big"), "holds more than 100 bytes");
	assert_int_equal(strlen(content("fits")), 101);
	assert_string_equal(content("fits/more"), "is not there");
	assert_string_equal(content("nothing"), "is not there");
}

static void an_endless_file_ends(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_chroot root;
	struct na_arena a;
	const char *bytes;
	size_t n;
	int fd;

	(void)state;
	fd = open(tree_at(&tree, "endless"), O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	close(fd);
	memset(&a, 0, sizeof(a));
	assert_int_equal(na_chroot_open(&root, tree.top, &err), NA_OK);
	assert_int_equal(na_chroot_read(&root, "endless", 1 << 20, &a, &bytes,
					&n, &err),
			 NA_ELIMIT);
	na_chroot_close(&root);
	na_arena_fini(&a);
}

static void numbers_are_strict(void **state)
{
	/* clang-format off */
	static const char *const bad[] = {
		"", " ", "x", "1x", "0x10", "1.5", "+1", "--1", "1 2",
		"9223372036854775808", "-9223372036854775809", "1\x01", "-",
	};
	/* clang-format on */
	int64_t v[3];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(na_settings_numbers(bad[i], v, 1));
	assert_true(na_settings_numbers(" -12\n", v, 1));
	assert_int_equal(v[0], -12);
	assert_true(na_settings_numbers("9223372036854775807", v, 1));
	assert_true(v[0] == INT64_MAX);
	assert_true(na_settings_numbers("1\t2\t3\n", v, 3));
	assert_int_equal(v[2], 3);
	assert_false(na_settings_numbers("1\t2\n", v, 3));
}

static void counters_by_name(void **state)
{
	static const char text[] = "Ip: A OutSegs\nIp: 1 5\n"
				   "Tcp: A OutSegs Z\nTcp: -1 42 x\n"
				   "TcpExt: OutSegs\nTcpExt: 7\nTcp: late\n";
	int64_t v = 0;

	(void)state;
	assert_true(
		na_settings_counter(text, strlen(text), "Tcp", "OutSegs", &v));
	assert_int_equal(v, 42);
	assert_true(na_settings_counter(text, strlen(text), "TcpExt", "OutSegs",
					&v));
	assert_int_equal(v, 7);
	assert_false(na_settings_counter(text, strlen(text), "Tcp", "Z", &v));
	assert_false(
		na_settings_counter(text, strlen(text), "Tcp", "late", &v));
	assert_false(na_settings_counter(text, strlen(text), "Udp", "A", &v));
	/* A line of numbers that is cut off. */
	assert_false(
		na_settings_counter("Tcp: A B\nTcp: 1", 15, "Tcp", "B", &v));
}

static struct na_settings read_tree(const char *below, const char *routes,
				    enum na_status wanted)
{
	char dir[1200];
	const struct na_settings_from from = {.root = dir,
					      .routes = routes,
					      .routes_bytes =
						      routes ? strlen(routes)
							     : 0,
					      .by_directory = true};
	struct na_err err = {.status = NA_OK};
	struct na_settings s;

	snprintf(dir, sizeof(dir), "%s/%s", tree.top, below);
	assert_int_equal(na_settings_read(&s, &from, &err), wanted);
	assert_true(wanted == NA_OK || strstr(err.text, tree.top) ||
		    strstr(err.text, "route"));
	return s;
}

static void a_whole_host(void **state)
{
	struct na_settings s;

	(void)state;
	tree_good(&tree, "h");
	s = read_tree("h/", NULL, NA_OK);
	assert_string_equal(s.host, "h");
	assert_string_equal(s.setting[NA_SET_TCP_RMEM].text,
			    "4096 131072 16777216");
	assert_int_equal(s.setting[NA_SET_TCP_RMEM].v[2], 16777216);
	assert_string_equal(s.setting[NA_SET_QDISC].text, "fq");
	assert_null(s.setting[NA_SET_RTO_MIN].text);
	assert_true(s.setting[NA_SET_RTO_MIN].absent);
	assert_int_equal(s.n_nics, 1);
	assert_int_equal(s.nics[0].kind, NA_NIC_PHYSICAL);
	assert_string_equal(s.nics[0].driver, "gve");
	assert_int_equal(s.nics[0].mtu_bytes, 8896);
	assert_int_equal(s.nics[0].speed_mbps, 200000);
	assert_int_equal(s.nics[0].counter[NA_NIC_RX_CRC], 0);
	assert_int_equal(s.counter[NA_TCP_OUT_SEGS], 1000000);
	assert_int_equal(s.counter[NA_TCP_PRUNE_CALLED], 0);
	assert_int_equal(s.routes.n, 1);
	assert_int_equal(s.routes.items[0].rto_min_us, 5000);
	assert_int_equal(s.n_refused, 0);
	na_settings_fini(&s);
	tree_put(&tree, "h/hostname", "host-7\n");
	s = read_tree("h", "10.0.0.0/8 dev eth0\n", NA_OK);
	assert_string_equal(s.host, "host-7");
	assert_int_equal(s.routes.n, 1);
	assert_string_equal(s.routes.items[0].dst, "10.0.0.0/8");
	na_settings_fini(&s);
	s = read_tree("h", "no route at all\n", NA_EFORMAT);
	na_settings_fini(&s);
}

static void what_cannot_be_read_is_unknown(void **state)
{
	struct na_settings s;
	const struct na_setting_value *f;

	(void)state;
	tree_put(&tree, "h/proc/sys/net/ipv4/tcp_mtu_probing", "0 1\n");
	tree_put(&tree, "h/proc/sys/net/ipv4/tcp_no_metrics_save", "\n");
	tree_put(&tree, "h/proc/sys/net/ipv4/tcp_rmem", "1 2\n");
	tree_put(&tree, "h/proc/sys/net/core/default_qdisc", "f\x1bq\n");
	tree_put(&tree, "h/proc/sys/net/ipv4/tcp_congestion_control",
		 "\xff\xfe\n");
	assert_int_equal(mkfifo(tree_at(&tree, "h/proc/sys/net/core/somaxconn"),
				0644),
			 0);
	tree_link(&tree, "h/proc/sys/net/core/optmem_max", "optmem_max");
	tree_put(&tree, "h/sys/class/net/bonding_masters", "bond0\n");
	tree_put(&tree, "h/sys/class/net/v0/mtu", "1500\n");
	tree_put(&tree, "h/sys/class/net/v0/speed", "-1\n");
	tree_put(&tree, "h/sys/class/net/v0/type", "1\n");
	tree_put(&tree, "h/sys/class/net/dummy/type", "772\n");
	tree_put(&tree, "h/sys/class/net/ens4/statistics/rx_errors", "1\n");
	tree_put(&tree, "h/sys/class/net/docker0/mtu", "1500\n");
	tree_link(&tree, "h/sys/class/net/away", "../../../../../etc");
	tree_put(&tree, "h/routes.txt", "[{\"dst\":\"default\"}]\n");
	s = read_tree("h", NULL, NA_OK);
	for (size_t i = 0; i < NA_N_SETTINGS; i++) {
		assert_null(s.setting[i].text);
		assert_non_null(s.setting[i].why);
	}
	f = s.setting;
	assert_string_equal(f[NA_SET_MTU_PROBING].why, "is not a number");
	assert_string_equal(f[NA_SET_NO_METRICS].why, "is empty");
	assert_string_equal(f[NA_SET_TCP_RMEM].why, "is not three numbers");
	assert_string_equal(f[NA_SET_QDISC].why, "is not one line of text");
	assert_string_equal(f[NA_SET_SOMAXCONN].why,
			    "is a pipe, not a regular file");
	assert_int_equal(s.n_refused, 2);
	assert_int_equal(s.n_nics, 4);
	assert_int_equal(s.nics[0].kind, NA_NIC_VIRTUAL);
	assert_int_equal(s.nics[1].kind, NA_NIC_LOOPBACK);
	/* Of ens4 the bundle kept no more than its counters. */
	assert_int_equal(s.nics[2].kind, NA_NIC_PHYSICAL);
	assert_int_equal(s.nics[3].kind, NA_NIC_VIRTUAL);
	assert_true(s.nics[3].speed_mbps == NA_NOT_KNOWN);
	assert_true(s.counter[NA_TCP_OUT_SEGS] == NA_NOT_KNOWN);
	assert_non_null(strstr(s.routes.why, "JSON"));
	na_settings_fini(&s);
}

static void no_settings_at_all(void **state)
{
	struct na_settings s;

	(void)state;
	tree_put(&tree, "other/file", "x");
	s = read_tree("other", NULL, NA_EDOMAIN);
	na_settings_fini(&s);
	s = read_tree("nowhere", NULL, NA_EIO);
	na_settings_fini(&s);
	s = read_tree("other/file", NULL, NA_EIO);
	na_settings_fini(&s);
}

static void more_nics_than_are_kept(void **state)
{
	struct na_settings s;
	char path[100];

	(void)state;
	for (int i = 0; i < NA_NICS_MAX + 3; i++) {
		snprintf(path, sizeof(path), "h/sys/class/net/v%d/mtu", i);
		tree_put(&tree, path, "1500\n");
	}
	s = read_tree("h", NULL, NA_OK);
	assert_int_equal(s.n_nics, NA_NICS_MAX);
	assert_int_equal(s.nics_left_out, 3);
	assert_string_equal(s.nics[10].name, "v10");
	na_settings_fini(&s);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(links_stay_below_the_root),
		CASE(links_in_a_circle),
		CASE(what_is_no_file_is_not_opened),
		CASE(an_endless_file_ends),
		CASE(numbers_are_strict),
		CASE(counters_by_name),
		CASE(a_whole_host),
		CASE(what_cannot_be_read_is_unknown),
		CASE(no_settings_at_all),
		CASE(more_nics_than_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
