#include "tests/unit/settings_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/model/hosts/settings.h"

void tree_init(struct tree *t)
{
	snprintf(t->top, sizeof(t->top), "/tmp/netan-tree-XXXXXX");
	assert_non_null(mkdtemp(t->top));
}

void tree_fini(struct tree *t)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", t->top);
	assert_int_equal(system(command), 0);
}

const char *tree_at(struct tree *t, const char *below)
{
	snprintf(t->path, sizeof(t->path), "%s/%s", t->top, below);
	for (char *p = t->path + strlen(t->top) + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(t->path, 0755);
		*p = '/';
	}
	return t->path;
}

void tree_put(struct tree *t, const char *below, const char *text)
{
	FILE *f = fopen(tree_at(t, below), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

void tree_link(struct tree *t, const char *below, const char *target)
{
	assert_int_equal(symlink(target, tree_at(t, below)), 0);
}

static void put(struct tree *t, const char *host, const char *below,
		const char *text)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", host, below);
	tree_put(t, path, text);
}

void tree_good(struct tree *t, const char *host)
{
	char path[200];

	put(t, host, "proc/sys/net/ipv4/tcp_slow_start_after_idle", "0\n");
	put(t, host, "proc/sys/net/ipv4/tcp_no_metrics_save", "1\n");
	put(t, host, "proc/sys/net/ipv4/tcp_max_syn_backlog", "8192\n");
	put(t, host, "proc/sys/net/ipv4/tcp_mtu_probing", "0\n");
	put(t, host, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t16777216\n");
	put(t, host, "proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t16777216\n");
	put(t, host, "proc/sys/net/ipv4/tcp_congestion_control", "cubic\n");
	put(t, host, "proc/sys/net/core/somaxconn", "4096\n");
	put(t, host, "proc/sys/net/core/optmem_max", "131072\n");
	put(t, host, "proc/sys/net/core/rmem_max", "16777216\n");
	put(t, host, "proc/sys/net/core/wmem_max", "16777216\n");
	put(t, host, "proc/sys/net/core/default_qdisc", "fq\n");
	put(t, host, "sys/module/tcp_cubic/parameters/hystart_detect", "2\n");
	put(t, host, "sys/class/net/eth0/device/uevent", "DRIVER=gve\n");
	put(t, host, "sys/class/net/eth0/mtu", "8896\n");
	put(t, host, "sys/class/net/eth0/type", "1\n");
	put(t, host, "sys/class/net/eth0/speed", "200000\n");
	put(t, host, "sys/class/net/eth0/operstate", "up\n");
	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++) {
		snprintf(path, sizeof(path), "sys/class/net/eth0/statistics/%s",
			 na_nic_counters[i]);
		put(t, host, path, "0\n");
	}
	put(t, host, "proc/net/snmp",
	    "Tcp: RtoMin MaxConn OutSegs RetransSegs\n"
	    "Tcp: 200 -1 1000000 99\n");
	put(t, host, "proc/net/netstat",
	    "TcpExt: PruneCalled ListenOverflows TCPLostRetransmit "
	    "TCPTimeouts TCPSynRetrans\n"
	    "TcpExt: 0 0 0 0 0\n");
	put(t, host, "routes.txt",
	    "default via 10.0.0.1 dev eth0 rto_min lock 5ms\n");
}
