"""Draws a synchronous training job with one fault, and runs it in SimGrid.

draw() chooses the job, the network and the fault of a seed.  A plan holds
every random number of the run; run() gives it to the engine with and
without the fault, so that what the fault does is the difference.

The network is a fabric of leaves and spines.  A route is: link of the device
(its bus), NIC, and between racks the uplink of a spine, the core from that
spine to the other rack, the downlink; then NIC and device.  A hash of the two
devices picks the spine.  A job of other tenants adds flows between racks.

Each device has two actors: one computes forward, then slices of backward,
and one executes the collective of each slice as soon as it is computed.  A
step ends when all collectives did and the optimizer ran.
"""

import math
import random
import subprocess

KINDS = ["healthy", "nic_tx", "nic_rx", "nic_both", "one_nic", "path",
         "rack_up", "rack_down", "rack_spine", "loss", "flap", "straggler",
         "input", "healthy", "healthy"]
MIN_TRANSFERS, MAX_TRANSFERS = 2000, 20000
CORE_BYTES_PER_S = 1e13         # of a core that is not faulty: no limit


class Job:
    pass


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def draw_network(j, r, bare):
    j.hosts = r.choice([6, 8, 12, 16, 16, 24, 32])
    j.devices = r.choice([1, 1, 2, 4])
    j.nics = r.choice([n for n in (1, 2, 4) if n <= j.devices])
    j.rack_size = r.choice([n for n in (2, 3, 4, 8)
                            if n * 2 <= j.hosts and j.hosts % n == 0])
    j.racks = j.hosts // j.rack_size
    j.spines = r.choice([2, 2, 3, 4])
    j.nic_bytes_per_s = r.choice([12.5e9, 25e9])
    over = r.choice([1, 1.5, 2, 3, 4])
    j.oversubscription = 1 if bare else over
    place = list(range(j.hosts))
    if r.random() < .4:
        r.shuffle(place)
    j.rack = [p // j.rack_size for p in place]


def draw_job(j, r, bare):
    patterns = r.choice([["a2a"], ["ring"], ["ring", "a2a"], ["tree"],
                         ["tree", "a2a"]])
    sizes = [n for n in range(3, 17) if j.hosts % n == 0]
    j.group = r.choice([n for n in sizes if n >= j.hosts / 4])
    count = r.randint(1, 4)
    j.collectives = [(patterns[k % len(patterns)],
                      int(log_uniform(r, 1 << 17, 16 << 20)))
                     for k in range(count)]
    j.steps = r.randint(20, 40)
    share = r.uniform(.3, 1.1)      # of wire time in computing time
    wire_s = sum(b * 2 * j.group for _, b in j.collectives) \
        * j.devices / j.nics / j.nic_bytes_per_s * j.oversubscription
    j.compute_s = min(1.5, max(.02, wire_s / share))
    j.jitter = .003 if bare else r.uniform(.005, .03)
    j.late_share = 0 if bare else r.choice([0, .01, .03])
    j.base_loss = 0 if bare else r.choice([0, 0, 1e-4])
    j.timeout_s = r.choice([.005, .02, .05, .2])
    j.tenants = 0 if bare else r.choice([0, .1, .3])
    j.stack_s = r.uniform(8e-6, 2.5e-5)


def draw_record(j, r, bare):
    """How the job is recorded: by which clocks, in which convention."""
    sync_s = r.choice([5e-6, 5e-6, 2e-4, 1.5e-3])
    j.clock_s = [0 if bare else r.gauss(0, sync_s) for _ in range(j.hosts)]
    j.drift = [0 if bare else r.gauss(0, 5e-7) for _ in range(j.hosts)]
    j.untimed_share = 0 if bare else .02
    j.style = ["new", "new", "old"][(j.seed + j.seed // len(KINDS)) % 3]
    j.wall_clock = r.random() < .2  # in the lines, not in a plane of its own
    j.start = r.choice(["issue", "issue", "wire"])
    j.end = r.choice(["arrival", "arrival", "taken"])
    j.input_in_step = r.random() < .5


def draw_fault(j, r):
    """A fault as {kind of truth, ...}; {} of a healthy job."""
    kind, host = j.kind, r.randrange(j.hosts)
    f = {"factor": log_uniform(r, 1.5, 6), "share": 1.0, "host": host}
    side = r.choice(["src", "dst"])
    if kind == "flap":
        f["share"] = r.uniform(.2, .6)
        kind = r.choice(["nic_tx", "nic_rx", "nic_both", "one_nic", "path"])
    if kind in ("nic_tx", "nic_rx", "nic_both"):
        f["kind"] = {"tx": "src", "rx": "dst", "both": "host"}[kind[4:]]
        f["devices"] = list(range(j.devices))
    elif kind == "one_nic":
        f["kind"] = side
        f["bus"] = j.devices > 1 and (j.nics == 1 or r.random() < .4)
        f["device"] = r.randrange(j.devices if f["bus"] else j.nics)
        f["devices"] = [f["device"]] if f["bus"] else \
            list(range(f["device"], j.devices, j.nics))
    elif kind in ("rack_up", "rack_down", "rack_spine"):
        f["kind"] = {"rack_up": "rack_uplink", "rack_down": "rack_downlink"} \
            .get(kind, r.choice(["rack_uplink", "rack_downlink"]))
        f["rack"] = r.randrange(j.racks)
        f["spines"] = [r.randrange(j.spines)] if kind == "rack_spine" \
            else list(range(j.spines))
    elif kind == "path":
        f["kind"] = r.choice(["pair", "pair", "rack_pair"])
        f["pick"] = r.random()      # of the paths that the job uses
    elif kind == "loss":
        f.update(kind=r.choice(["src", "dst", "host"]), factor=None,
                 probability=log_uniform(r, .02, .1))
    elif kind == "straggler":
        f.update(kind="compute", factor=r.uniform(1.08, 1.5))
    elif kind == "input":
        f.update(kind="input", factor=None, share=r.uniform(.2, 1),
                 stall_s=log_uniform(r, .1, .6) * j.compute_s)
    f["steps"] = sorted(r.sample(range(j.steps),
                                 max(3, round(f["share"] * j.steps))))
    return f if "kind" in f else {}


def transfers_per_step(j):
    n, groups = j.group, j.hosts // j.group
    one = {"ring": 2 * n * (n - 1) * groups, "a2a": 2 * n * (n - 1) * groups,
           "tree": 2 * (j.hosts - j.racks) + 2 * j.racks * (j.racks - 1)}
    return j.devices * sum(one[p] for p, _ in j.collectives)


def draw(seed, bare=False):
    r = random.Random(seed)
    j = Job()
    j.seed, j.kind, j.bare = seed, KINDS[(seed - 1) % len(KINDS)], bare
    while True:
        draw_network(j, r, bare)
        draw_job(j, r, bare)
        size = transfers_per_step(j) * j.steps
        if MIN_TRANSFERS <= size <= MAX_TRANSFERS and \
                (j.kind != "one_nic" or j.devices > 1):
            break
    draw_record(j, r, bare)
    j.fault = draw_fault(j, random.Random(seed + 1000000))
    return j


def phases(j, k):
    """Of collective k: (source, destination) of its messages, by phase."""
    pattern, groups = j.collectives[k][0], j.hosts // j.group
    members = [list(range(g, j.hosts, groups)) for g in range(groups)]
    ring = lambda m: [(a, m[(i + 1) % len(m)]) for i, a in enumerate(m)]
    if pattern == "ring":
        return [sum(map(ring, members), [])] * (2 * (j.group - 1))
    if pattern == "a2a":
        everyone = [(a, m[(i + o) % len(m)]) for m in members
                    for i, a in enumerate(m) for o in range(1, len(m))]
        return [everyone, everyone]
    racks = [[h for h in range(j.hosts) if j.rack[h] == x]
             for x in range(j.racks)]
    leaders = [m[k % len(m)] for m in racks]
    up = [(h, leaders[j.rack[h]]) for h in range(j.hosts)
          if h not in leaders]
    return [up] + [ring(leaders)] * (2 * (j.racks - 1)) + \
        [[(b, a) for a, b in up]]


class Plan:
    """The plan of one run, as text, and which row of it is what."""

    def __init__(self, j, fault):
        self.j, self.fault = j, fault
        self.r = random.Random(j.seed + 2000000)
        self.links, self.routes, self.actors = [], {}, []
        self.messages, self.rows, self.connections = [], [], {}
        self.where = {}             # (what, step, host, device, k): row
        self.row_count = 0
        self.add_network()
        self.add_collectives()
        self.add_fault()
        self.add_programs()
        if j.tenants:
            self.add_tenants()

    def link(self, rate, latency=3e-7):
        self.links.append((rate, latency))
        return len(self.links) - 1

    def add_network(self):
        j, nic = self.j, self.j.nic_bytes_per_s
        hosts, racks, spines = range(j.hosts), range(j.racks), range(j.spines)
        up = nic * j.nics * j.rack_size / j.spines / j.oversubscription
        self.bus = {(s, h, d): self.link(1.1 * nic) for s in ("src", "dst")
                    for h in hosts for d in range(j.devices)}
        self.nic = {(s, h, n): self.link(nic * (1 + self.r.gauss(0, .005)))
                    for s in ("src", "dst") for h in hosts
                    for n in range(j.nics)}
        self.rack_link = {(s, x, p): self.link(up)
                          for s in ("rack_uplink", "rack_downlink")
                          for x in racks for p in spines}
        self.core = {(x, y): self.link(CORE_BYTES_PER_S)
                     for x in racks for y in racks if x != y}
        self.pair = {}

    def path(self, a, b, d):
        """The links from device d of host a to device d of host b."""
        j, n = self.j, d % self.j.nics
        x, y = j.rack[a], j.rack[b]
        p = (a * 7919 + b * 104729 + d * 31 + j.seed) % 65521 % j.spines
        if (a, b) not in self.pair:
            self.pair[a, b] = self.link(CORE_BYTES_PER_S, 1e-7)
        across = [] if x == y else [self.rack_link["rack_uplink", x, p],
                                    self.core[x, y],
                                    self.rack_link["rack_downlink", y, p]]
        return [self.bus["src", a, d], self.nic["src", a, n],
                self.pair[a, b]] + across + \
            [self.nic["dst", b, n], self.bus["dst", b, d]]

    def add_collectives(self):
        """Routes of all pairs that communicate, and the order of phases."""
        j = self.j
        self.phases = [phases(j, k) for k in range(len(j.collectives))]
        for pair in sorted({p for c in self.phases for f in c for p in f}):
            for d in range(j.devices):
                ends = tuple(h * j.devices + d for h in pair)
                self.routes[ends] = self.path(*pair, d)

    def slow(self, links, factor, alone=None):
        """The fault divides the rate of links by a factor while active."""
        for x in links:
            rate = alone or self.links[x][0]
            self.changes.append((x, rate / factor, self.links[x][0]))

    def add_fault(self):
        f, j = self.fault, self.j
        self.changes = []
        kind, host = f.get("kind"), f.get("host")
        if kind in ("compute", "input", None) or f.get("probability"):
            return
        if kind == "pair":
            used = sorted(self.pair)
            f["src"], f["dst"] = used[int(f["pick"] * len(used))]
            flows = j.group - 1 if j.collectives[0][0] == "a2a" else 1
            self.slow([self.pair[f["src"], f["dst"]]], f["factor"],
                      j.nic_bytes_per_s / flows)
        elif kind == "rack_pair":
            used = sorted({(j.rack[a], j.rack[b]) for a, b in self.pair
                           if j.rack[a] != j.rack[b]})
            f["rack"], f["rack2"] = used[int(f["pick"] * len(used))]
            self.slow([self.core[f["rack"], f["rack2"]]], f["factor"],
                      j.nic_bytes_per_s * j.nics)
        elif kind.startswith("rack"):
            self.slow([self.rack_link[kind, f["rack"], p]
                       for p in f["spines"]], f["factor"])
        else:
            sides = [kind] if kind != "host" else ["src", "dst"]
            port = self.bus if f.get("bus") else self.nic
            which = [f["device"]] if "device" in f else range(j.nics)
            self.slow([port[s, host, n] for s in sides for n in which],
                      f["factor"])

    def stall(self, a, b, step):
        """How long a timeout holds a message; 0 of most."""
        f, u, v = self.fault, self.r.random(), self.r.random()
        p = self.j.base_loss
        if f.get("probability") and step in f["steps"] and \
                ((a == f["host"] and f["kind"] != "dst") or
                 (b == f["host"] and f["kind"] != "src")):
            p += f["probability"]
        if u >= p:
            return 0
        return min(.2, self.j.timeout_s * (2 if v < .1 else 1))

    def message(self, step, k, phase, a, b, d):
        ends = (a * self.j.devices + d, b * self.j.devices + d)
        link = self.connections.setdefault(ends, len(self.connections))
        stall = self.stall(a, b, step)
        size = self.j.collectives[k][1]
        self.messages.append(dict(step=step, coll=k, phase=phase, src=a,
                                  dst=b, dev=d, size=size, stall=stall))
        self.rows.append("%d %d %d %d %.9g" % (*ends, link, size, stall))
        return len(self.messages) - 1

    def add_programs(self):
        """Two actors of each device: computing, and collectives."""
        j, keys = self.j, range(len(self.j.collectives))
        self.programs = {(w, h, d): [] for h in range(j.hosts)
                         for d in range(j.devices) for w in ("comp", "comm")}
        self.semaphores = {}
        for step in range(j.steps):
            for h in range(j.hosts):
                for d in range(j.devices):
                    self.compute(step, h, d)
            for k in keys:
                for d in range(j.devices):
                    self.collective(step, k, d)
        for (_, h, d), program in self.programs.items():
            self.actor(h * j.devices + d, 0, program)

    def actor(self, host, daemon, program):
        for row, (op, key) in enumerate(program, self.row_count):
            if key:
                self.where[key] = row
        self.row_count += len(program)
        self.actors.append("%d %d %d\n%s" % (
            host, daemon, len(program), " ".join(op for op, _ in program)))

    def semaphore(self, *name):
        return self.semaphores.setdefault(name, len(self.semaphores))

    def work(self, seconds):
        return "w %.9g" % (seconds * math.exp(self.r.gauss(0, self.j.jitter)))

    def compute(self, step, h, d):
        j, f, n = self.j, self.fault, len(self.j.collectives)
        out = self.programs["comp", h, d]
        add = lambda op, *key: out.append((op, key and (*key[:1], step, h, d,
                                                        *key[1:])))
        at_fault = f and h == f["host"] and step in f["steps"]
        factor = f["factor"] if at_fault and f["kind"] == "compute" else 1
        stall = f["stall_s"] if at_fault and f["kind"] == "input" else 0
        if h == 0 and d == 0:
            on = step in f.get("steps", [])
            for x, slow, fast in self.changes:
                add("x %d %.9g" % (x, slow if on else fast))
        add("w %.9g" % (self.r.uniform(5e-5, 3e-4) + stall), "input")
        add(self.work(.32 * j.compute_s * factor), "fwd")
        for k in range(n):
            add(self.work(.6 / n * j.compute_s * factor), "bwd", k)
            add("b %d" % h)
            add("w %.9g" % self.r.uniform(1e-4, 2e-4), "ici", k)
            add("p %d" % self.semaphore("ready", h, d))
        for k in range(n):
            add("a %d" % self.semaphore("done", h, d))
        add(self.work(.08 * j.compute_s * factor), "opt")

    def collective(self, step, k, d):
        """One collective of device d on all hosts."""
        j, r, size = self.j, self.r, self.j.collectives[k][1]
        start = [0] * j.hosts
        copy = 1e-5 + 2 * size / 20e9
        stack = lambda: j.stack_s * math.exp(r.gauss(0, .3))
        out = [self.programs["comm", h, d] for h in range(j.hosts)]
        for h in range(j.hosts):
            late = r.random(), r.expovariate(1 / (.1 * j.compute_s))
            out[h].append(("a %d" % self.semaphore("ready", h, d), None))
            if late[0] < j.late_share:
                out[h].append(("w %.9g" % late[1], None))
            out[h].append((self.work(copy), ("d2h", step, h, d, k)))
        for number, pairs in enumerate(self.phases[k]):
            rows = [(a, b, self.message(step, k, number, a, b, d))
                    for a, b in pairs]
            for a, _, m in rows:
                out[a].append(("s %d %.9g" % (m, stack()), None))
            for _, b, m in rows:
                out[b].append(("r %d %.9g" % (m, stack()), None))
        for h in range(j.hosts):
            out[h].append((self.work(copy), ("h2d", step, h, d, k)))
            out[h].append(("p %d" % self.semaphore("done", h, d), None))

    def add_tenants(self):
        """Bursts of flows between racks, one after another on each uplink."""
        j, r, base = self.j, self.r, self.j.hosts * self.j.devices
        up = self.links[self.rack_link["rack_uplink", 0, 0]][0]
        burst_s = log_uniform(r, 3e-3, 3e-2)
        gap_s = burst_s * (1 / j.tenants - 1)
        bursts = min(400, int(j.steps * j.compute_s * 4 / burst_s))
        for x in range(j.racks):
            for p in range(j.spines):
                program = []
                for _ in range(bursts):
                    y = r.choice([y for y in range(j.racks) if y != x])
                    ends = (base + x * j.spines + p, base + y * j.spines + p)
                    self.routes[ends] = [self.rack_link["rack_uplink", x, p],
                                         self.rack_link["rack_downlink", y, p]]
                    program.append(("w %.9g" % r.expovariate(1 / gap_s), None))
                    program.append(("t %d %d %.9g" % (*ends, up * burst_s),
                                    None))
                self.actor(0, 1, program)

    def text(self):
        j = self.j
        hosts = j.hosts * j.devices + j.racks * j.spines
        rows = ["%d %d %d %s" % (*e, len(p), " ".join(map(str, p)))
                for e, p in self.routes.items()]
        section = lambda word, x: "%s %d\n%s\n" % (word, len(x), "\n".join(x))
        return section("links", ["%.9g %.9g" % x for x in self.links]) + \
            "hosts %d\n" % hosts + section("routes", rows) + \
            "connections %d\nsemaphores %d\n" % (len(self.connections),
                                                 len(self.semaphores)) + \
            section("barriers", ["%d" % j.devices] * j.hosts) + \
            section("messages", self.rows) + section("actors", self.actors)

    def touched(self):
        """Of each message: does it meet the fault?"""
        f, slow = self.fault, {x for x, _, _ in self.changes}
        on = {e: bool(slow & set(p)) for e, p in self.routes.items()}
        n = self.j.devices
        return [m["step"] in f.get("steps", []) and
                (m["stall"] > 0 if f.get("probability") else
                 on[m["src"] * n + m["dev"], m["dst"] * n + m["dev"]])
                for m in self.messages]


    def pairs_of(self, kind, hosts):
        """The pairs (source, destination) of the job that go through it."""
        across = lambda a, b: self.j.rack[a] != self.j.rack[b]
        test = {"src": lambda a, b: a in hosts,
                "dst": lambda a, b: b in hosts,
                "host": lambda a, b: a in hosts or b in hosts,
                "pair": lambda a, b: [a, b] == hosts,
                "rack_uplink": lambda a, b: a in hosts and across(a, b),
                "rack_downlink": lambda a, b: b in hosts and across(a, b),
                "rack_pair": lambda a, b: a in hosts and b in hosts and
                across(a, b)}[kind]
        return {p for p in self.pair if test(*p)}

    def alike(self, kind, hosts):
        """What no transfer tells from it: it has the very same pairs."""
        j = self.j
        racks = [[h for h in range(j.hosts) if j.rack[h] == x]
                 for x in range(j.racks)]
        units = [(k, [h]) for k in ("src", "dst", "host")
                 for h in range(j.hosts)]
        units += [("pair", list(p)) for p in sorted(self.pair)]
        units += [(k, m) for k in ("rack_uplink", "rack_downlink")
                  for m in racks]
        units += [("rack_pair", a + b) for a in racks for b in racks if a < b]
        mine = self.pairs_of(kind, hosts)
        return [u for u in units if self.pairs_of(*u) == mine and
                u != (kind, hosts)]


def run(j, fault, engine):
    """Runs the job: its plan, with the times of messages, and of rows."""
    plan = Plan(j, fault)
    done = subprocess.run([engine, "--log=root.thresh:error"], text=True,
                          input=plan.text(), stdout=subprocess.PIPE,
                          check=True)
    lines = [tuple(map(int, x.split())) for x in done.stdout.splitlines()]
    for m, times in zip(plan.messages, lines):
        m["issue"], m["wire"], m["arrival"], m["taken"] = times
    rows = lines[len(plan.messages):]
    plan.times = {key: rows[row] for key, row in plan.where.items()}
    plan.end_ns = max(t[1] for key, t in plan.times.items()
                      if key[0] == "opt")
    return plan
