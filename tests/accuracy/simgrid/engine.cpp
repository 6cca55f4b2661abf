/*
 * Runs a job on a network of SimGrid's flow model and prints when it did what.
 *
 * Reads a plan from standard input: links, hosts (one for each device),
 * routes, messages, semaphores and barriers, and a program of operations for
 * each actor.  The plan holds every random number, so two plans that differ
 * in one link differ in nothing else.  SimGrid alone decides how long a
 * message takes: flows share links as its model LV08 shares them.
 *
 * A connection carries one message at a time.  A stall, the time that TCP
 * waits before it sends the last segment again, is added to the message and
 * blocks its connection.
 *
 * Prints "issue wire arrival taken" of each message, then "from to" of each
 * operation in the order of the plan, all in ns.
 *
 * Plan, in this order; links and hosts count from 0 as they appear:
 *   links N, then N times: bytes_per_s latency_s
 *   hosts N
 *   routes N: source destination count link...
 *   connections N, semaphores N, barriers N (each: actors)
 *   messages N: source destination connection bytes stall_s
 *   actors N (each: host daemon operations), then its operations:
 *     w s          work           s m s   send m after s of work
 *     r m s        receive m      p q / a q   release, acquire semaphore
 *     b i          barrier        x l bytes_per_s   change link
 *     t src dst bytes   a burst of flows of another job, until they end
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

struct message {
	int src, dst, connection;
	double bytes, stall;
	double issue = 0, wire = 0, arrival = 0, taken = 0;
	sg4::SemaphorePtr in;
};

struct operation {
	char what;
	int a = 0, b = 0;
	double x = 0;
	double from = 0, to = 0;
};

struct actor {
	int host, daemon;
	std::vector<operation> program;
};

static std::vector<sg4::Link *> links;
static std::vector<sg4::Host *> hosts;
static std::vector<sg4::MutexPtr> connections;
static std::vector<sg4::SemaphorePtr> semaphores;
static std::vector<sg4::BarrierPtr> barriers;
static std::vector<message> messages;
static std::vector<actor> actors;
static int running;

template <typename T> static T read()
{
	T value;

	if (!(std::cin >> value))
		throw std::runtime_error("the plan ends early");
	return value;
}

/* Reads the word of a section, and how many rows follow. */
static int section(const char *word)
{
	if (read<std::string>() != word)
		throw std::runtime_error(std::string("no section ") + word);
	return read<int>();
}

static void read_network()
{
	auto *zone = sg4::create_full_zone("fabric");

	for (int i = 0, n = section("links"); i < n; i++) {
		auto *link = zone->create_link("l" + std::to_string(i),
					       read<double>());

		links.push_back(link->set_latency(read<double>())->seal());
	}
	for (int i = 0, n = section("hosts"); i < n; i++)
		hosts.push_back(zone->create_host("h" + std::to_string(i), 1e9)
					->seal());
	for (int i = 0, n = section("routes"); i < n; i++) {
		auto *src = hosts.at(read<int>())->get_netpoint();
		auto *dst = hosts.at(read<int>())->get_netpoint();
		std::vector<sg4::LinkInRoute> route;

		for (int k = read<int>(); k > 0; k--)
			route.emplace_back(links.at(read<int>()));
		zone->add_route(src, dst, nullptr, nullptr, route, false);
	}
	zone->seal();
}

static void read_messages()
{
	for (int i = section("connections"); i > 0; i--)
		connections.push_back(sg4::Mutex::create());
	for (int i = section("semaphores"); i > 0; i--)
		semaphores.push_back(sg4::Semaphore::create(0));
	for (int i = section("barriers"); i > 0; i--)
		barriers.push_back(sg4::Barrier::create(read<int>()));
	messages.resize(section("messages"));
	for (auto &m : messages) {
		m.src = read<int>();
		m.dst = read<int>();
		m.connection = read<int>();
		m.bytes = read<double>();
		m.stall = read<double>();
		m.in = sg4::Semaphore::create(0);
	}
}

static operation read_operation()
{
	operation o;

	o.what = read<char>();
	if (o.what != 'w')
		o.a = read<int>();
	if (o.what == 't')
		o.b = read<int>();
	if (std::string("wsrxt").find(o.what) != std::string::npos)
		o.x = read<double>();
	return o;
}

static void read_actors()
{
	actors.resize(section("actors"));
	for (auto &a : actors) {
		a.host = read<int>();
		a.daemon = read<int>();
		for (int i = read<int>(); i > 0; i--)
			a.program.push_back(read_operation());
	}
}

static double now()
{
	return sg4::Engine::get_clock();
}

/* Carries one message, in an actor of its own. */
static void carry(message *m)
{
	auto &connection = connections.at(m->connection);

	connection->lock();
	m->wire = now();
	sg4::Comm::sendto(hosts.at(m->src), hosts.at(m->dst), m->bytes);
	if (m->stall > 0)
		sg4::this_actor::sleep_for(m->stall);
	m->arrival = now();
	connection->unlock();
	m->in->release();
}

static void send(message *m, double work)
{
	m->issue = now();
	sg4::this_actor::sleep_for(work);
	sg4::Actor::create("m", hosts.at(m->src), carry, m);
}

static void receive(message *m, double work)
{
	m->in->acquire();
	sg4::this_actor::sleep_for(work);
	m->taken = now();
}

/* As many flows at once as a busy job of another tenant has. */
static void burst(sg4::Host *src, sg4::Host *dst, double bytes)
{
	const int flows = 4;
	std::vector<sg4::CommPtr> comms;

	for (int i = 0; i < flows; i++)
		comms.push_back(sg4::Comm::sendto_async(src, dst,
							bytes / flows));
	sg4::Comm::wait_all(comms);
}

static void run(operation &o)
{
	o.from = now();
	switch (o.what) {
	case 'w': sg4::this_actor::sleep_for(o.x); break;
	case 's': send(&messages.at(o.a), o.x); break;
	case 'r': receive(&messages.at(o.a), o.x); break;
	case 'p': semaphores.at(o.a)->release(); break;
	case 'a': semaphores.at(o.a)->acquire(); break;
	case 'b': barriers.at(o.a)->wait(); break;
	case 'x': links.at(o.a)->set_bandwidth(o.x); break;
	case 't': burst(hosts.at(o.a), hosts.at(o.b), o.x); break;
	default: throw std::runtime_error("unknown operation");
	}
	o.to = now();
}

static long long ns(double s)
{
	return std::llround(s * 1e9);
}

static void print_times()
{
	for (const auto &m : messages)
		std::printf("%lld %lld %lld %lld\n", ns(m.issue), ns(m.wire),
			    ns(m.arrival), ns(m.taken));
	for (const auto &a : actors)
		for (const auto &o : a.program)
			std::printf("%lld %lld\n", ns(o.from), ns(o.to));
}

/* The last actor of the job prints, and ends the flows of other jobs. */
static void run_actor(actor *a)
{
	if (a->daemon)
		sg4::Actor::self()->daemonize();
	for (auto &o : a->program)
		run(o);
	if (a->daemon || --running)
		return;
	print_times();
	std::fflush(stdout);
	std::_Exit(std::ferror(stdout) ? 1 : 0);
}

int main(int argc, char **argv)
{
	sg4::Engine engine(&argc, argv);

	sg4::Engine::set_config("network/crosstraffic:0");
	sg4::Engine::set_config("contexts/stack-size:64");
	std::ios::sync_with_stdio(false);
	try {
		read_network();
		read_messages();
		read_actors();
	} catch (const std::exception &problem) {
		std::fprintf(stderr, "engine: %s\n", problem.what());
		return 1;
	}
	for (auto &a : actors) {
		running += !a.daemon;
		sg4::Actor::create("a", hosts.at(a.host), run_actor, &a);
	}
	engine.run();
	std::fprintf(stderr, "engine: the actors wait for each other\n");
	return 1;
}
