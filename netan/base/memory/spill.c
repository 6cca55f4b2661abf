#include "netan/base/memory/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "netan/base/memory/mapped.h"
#include "netan/base/memory/temporary.h"

/* Addresses and offsets of the file are never used twice, so that both are
 * one number; what is freed becomes a hole, or, where it is small, the next
 * of its size. */
enum { PAGE_BYTES = 4096, SMALL_BYTES = 1 << 20, GROWTH = 4 };
#define ADDRESSES_MOST  (UINT64_C(1) << 44)
#define ADDRESSES_LEAST (UINT64_C(1) << 34)
/* Not for large blocks: this share of the budget, and at most so much.  Half of
 * it is not for small ones either: libraries do not ask. */
enum { KEPT_SHARE = 4, KEPT_BYTES = 256 << 20 };
/* A sanitizer's shadow is private memory by the terabyte. */
#define SHADOW_BYTES (UINT64_C(1) << 40)

/* In front of each.  A small one lies among others, and has no room; while it
 * is spare, the next such one is behind it. */
struct block {
	_Alignas(16) size_t size, room;
};

/* Sizes of small ones: up to STEPPED_BYTES in steps of 16, from there four to
 * each doubling.  So there are few, each is used again, and a quarter of a
 * block is lost at most. */
enum { STEPPED_BYTES = 1024, PARTS = 4, DOUBLINGS = 7 };
enum { STEPS = STEPPED_BYTES / 16 };
enum { SPARE_SIZES = STEPS + PARTS * DOUBLINGS + 1 };
_Static_assert(STEPPED_BYTES << DOUBLINGS == NA_SPILL_BYTES,
	       "the largest small block has a size");

/* Of less of the inputs nothing is told: buffers weigh more than what is kept
 * of it. */
static const double TELLING_SHARE = 0.1;

static struct {
	size_t budget, kept, shadow;
	size_t before; /* in use at the begin: the program's and MPI's own */
	bool firm;
	int statm; /* /proc/self/statm */
	_Atomic size_t most;
	_Atomic double read;  /* share of the inputs */
	_Atomic bool tight;   /* so that small blocks are spilled */
	pthread_mutex_t lock; /* of what follows */
	char *begin;
	_Atomic size_t length; /* of the mapping; 0: there is none */
	size_t end;            /* of the addresses that were given out */
	uint64_t now, spilled;
	char *small; /* where the next small block goes */
	size_t small_left;
	struct block *spare[SPARE_SIZES]; /* small ones, by size_of() */
	struct na_temporary file;
	struct na_err err; /* the first cause */
	char lost[512];    /* what is said where the file fails */
	uint64_t wanted;   /* the most that was refused at once */
} memory = {.statm = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* Private memory as RLIMIT_DATA counts it; 0: nobody knows. */
static size_t in_use(void)
{
	char text[128];
	ssize_t n = pread(memory.statm, text, sizeof(text) - 1, 0);
	char *at = text;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	for (int i = 0; i < 5; i++)
		strtoull(at, &at, 10);
	return (size_t)strtoull(at, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

void na_memory_begin(size_t budget, bool firm)
{
	static atomic_flag begun = ATOMIC_FLAG_INIT;
	struct rlimit limit;
	size_t used;

	if (atomic_flag_test_and_set(&begun))
		return;
	memory.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	used = in_use();
	memory.shadow = used > SHADOW_BYTES ? used : 0;
	memory.before = used - memory.shadow;
	memory.budget = budget;
	memory.firm = firm;
	memory.kept = budget / KEPT_SHARE < KEPT_BYTES ? budget / KEPT_SHARE
						       : KEPT_BYTES;
	if (!firm || memory.shadow || getrlimit(RLIMIT_DATA, &limit) < 0 ||
	    limit.rlim_cur <= budget)
		return;
	limit.rlim_cur = budget;
	/* A wish: without it who does not ask may take more. */
	setrlimit(RLIMIT_DATA, &limit);
}

static bool is_short(size_t more, size_t kept)
{
	size_t used, most;

	if (!memory.budget)
		return false;
	used = in_use();
	used -= used < memory.shadow ? used : memory.shadow;
	most = memory.most;
	while (used > most &&
	       !atomic_compare_exchange_weak(&memory.most, &most, used))
		;
	return used + more > memory.budget - kept;
}

bool na_memory_short(size_t more)
{
	return is_short(more, memory.kept);
}

bool na_memory_short_of_small(size_t more)
{
	static _Thread_local size_t taken;

	taken += more;
	if (taken > SMALL_BYTES / 4) {
		taken = 0;
		memory.tight = is_short(0, memory.kept / 2);
	}
	return memory.tight;
}

/* ---- the file; the lock is held */

static void *failed(const char *why)
{
	na_fail(&memory.err, NA_EIO,
		"temporary file in %s: %s; set TMPDIR to a directory with room",
		memory.file.dir, why);
	return NULL;
}

static bool map_file(void)
{
	size_t n = ADDRESSES_MOST;
	void *p = MAP_FAILED;

	if (memory.begin || memory.err.status != NA_OK)
		return memory.begin;
	if (na_temporary_open(&memory.file, &memory.err) != NA_OK)
		return false;
	while (p == MAP_FAILED && n >= ADDRESSES_LEAST) {
		p = mmap(NULL, n, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, memory.file.fd, 0);
		n = p == MAP_FAILED ? n / 2 : n;
	}
	if (p == MAP_FAILED) {
		close(memory.file.fd);
		return failed(strerror(errno));
	}
	snprintf(memory.lost, sizeof(memory.lost),
		 "netan: error: temporary file in %s: its bytes are lost (the "
		 "disk is full or fails); set TMPDIR to a directory with "
		 "room\n",
		 memory.file.dir);
	na_mapped_own(p, n, memory.lost);
	memory.begin = p;
	memory.length = n;
	return true;
}

/* Bytes of the disk, now: a full one is an error here, and later a signal. */
static bool reserve(size_t from, size_t n)
{
	int e;

	do {
		e = posix_fallocate(memory.file.fd, (off_t)from, (off_t)n);
	} while (e == EINTR);
	if (e)
		return failed(strerror(e));
	memory.now += n;
	if (memory.now > memory.spilled)
		memory.spilled = memory.now;
	return true;
}

static size_t pages(size_t n)
{
	return (n + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* With addresses behind it for `room` bytes in all. */
static void *take_large(size_t n, size_t room)
{
	size_t at = memory.end, left = memory.length - at;
	struct block *b;

	n = pages(n + sizeof(*b));
	room = pages(room + sizeof(*b));
	if (room > left)
		room = n;
	if (n > left)
		return failed("it is too long");
	if (!reserve(at, n))
		return NULL;
	memory.end += room;
	b = (void *)(memory.begin + at);
	*b = (struct block){n - sizeof(*b), room - sizeof(*b)};
	return b + 1;
}

static struct block **next_spare(struct block *b)
{
	return (struct block **)(b + 1);
}

/* Which of the sizes holds n bytes, and how many it has. */
static size_t size_of(size_t n, size_t *bytes)
{
	size_t base = STEPPED_BYTES, k = STEPS, parts;

	if (n <= STEPPED_BYTES) {
		k = (n + !n + 15) / 16;
		*bytes = k * 16;
		return k;
	}
	for (; n > 2 * base; base *= 2)
		k += PARTS;
	parts = (n - base + base / PARTS - 1) / (base / PARTS);
	*bytes = base + parts * (base / PARTS);
	return k + parts;
}

static void *take_spare(size_t k)
{
	struct block *b = memory.spare[k];

	memory.spare[k] = *next_spare(b);
	return memset(b + 1, 0, b->size);
}

static void *take_small(size_t n)
{
	size_t k = size_of(n, &n);
	struct block *b;

	if (memory.spare[k])
		return take_spare(k);
	if (n + sizeof(*b) > memory.small_left) {
		memory.small = take_large(SMALL_BYTES, SMALL_BYTES);
		memory.small_left = memory.small ? SMALL_BYTES : 0;
	}
	if (!memory.small_left)
		return NULL;
	b = (void *)memory.small;
	*b = (struct block){n, 0};
	memory.small += n + sizeof(*b);
	memory.small_left -= n + sizeof(*b);
	return b + 1;
}

static void *take(size_t n, size_t room)
{
	void *p = NULL;

	pthread_mutex_lock(&memory.lock);
	if (memory.budget && n < SIZE_MAX / 2 / GROWTH && map_file())
		p = n < NA_SPILL_BYTES ? take_small(n) : take_large(n, room);
	if (!p && memory.budget && n > memory.wanted)
		memory.wanted = n;
	pthread_mutex_unlock(&memory.lock);
	return p;
}

void *na_spill(size_t n)
{
	return take(n, n);
}

size_t na_spill_size(const void *p)
{
	size_t length = memory.length;

	if (!length || (uintptr_t)p - (uintptr_t)memory.begin >= length)
		return 0;
	return ((const struct block *)p - 1)->size;
}

void *na_spill_more(void *p, size_t n)
{
	struct block *b = (struct block *)p - 1;
	bool fits = n <= b->size;
	size_t more = fits ? 0 : pages(n - b->size);
	void *new;

	if (!fits && n <= b->room) {
		pthread_mutex_lock(&memory.lock);
		fits = reserve((size_t)((char *)p - memory.begin) + b->size,
			       more);
		pthread_mutex_unlock(&memory.lock);
		b->size += fits ? more : 0;
		return fits ? p : NULL;
	}
	if (fits)
		return p;
	new = take(n, n * GROWTH);
	if (new) {
		memcpy(new, p, b->size);
		na_spill_free(p);
	}
	return new;
}

static void free_small(struct block *b)
{
	size_t n, k = size_of(b->size, &n);

	pthread_mutex_lock(&memory.lock);
	*next_spare(b) = memory.spare[k];
	memory.spare[k] = b;
	pthread_mutex_unlock(&memory.lock);
}

void na_spill_free(void *p)
{
	struct block *b = (struct block *)p - 1;
	size_t n = b->size + sizeof(*b);
	int e = errno;

	if (!b->room) {
		free_small(b);
		return;
	}
	pthread_mutex_lock(&memory.lock);
	memory.now -= n;
	pthread_mutex_unlock(&memory.lock);
	/* Where the file system has no holes, its bytes stay until the end. */
	fallocate(memory.file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)((char *)b - memory.begin), (off_t)n);
	errno = e;
}

void na_memory_read(double share)
{
	memory.read = share;
}

/* What was there before stays, and the rest grows with what is read.  0:
 * nobody knows, or it comes out at what there was, which was not enough. */
static uint64_t needed(void)
{
	double share = memory.read > 0 ? memory.read : 1;
	uint64_t all = memory.most + memory.now + memory.wanted, before;

	if (share < TELLING_SHARE)
		return 0;
	before = memory.before < all ? memory.before : all;
	if (share < 1)
		all = before + (uint64_t)((double)(all - before) / share);
	return all > memory.budget ? all : 0;
}

struct na_memory_use na_memory_use(void)
{
	struct na_memory_use use = {.budget = memory.budget,
				    .firm = memory.firm};

	pthread_mutex_lock(&memory.lock);
	use.spilled = memory.spilled;
	use.taken = memory.budget ? in_use() : 0;
	use.taken -= use.taken < memory.shadow ? use.taken : memory.shadow;
	use.read = memory.read;
	use.in_memory = memory.begin && memory.file.in_memory;
	use.needed = needed();
	snprintf(use.dir, sizeof(use.dir), "%s",
		 memory.begin ? memory.file.dir : "");
	snprintf(use.why, sizeof(use.why), "%s", memory.err.text);
	pthread_mutex_unlock(&memory.lock);
	return use;
}
