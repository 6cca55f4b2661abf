/*
 * The yardstick: a bare and correct walk of a whole XSpace file that decodes
 * every event and every stat and keeps nothing.  One thread, one pass, its
 * own code, plain on purpose: a byte at a time, a bounds check for each.
 *
 * Format: openxla/xla, tsl/profiler/protobuf/xplane.proto; wire format:
 * protobuf.dev, "Encoding".  Every length is checked against what is left of
 * its parent; every varint has at most ten bytes; unknown fields are
 * skipped; anything else ends the walk with a message.
 *
 *	yardstick FILE     prints counts, and sums of what was decoded
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct span {
	const uint8_t *p, *end;
};

struct sums {
	uint64_t planes, lines, events, stats, types, names;
	uint64_t ids, offset_ps, duration_ps, values, bytes;
};

/* At most ten bytes, the tenth 0 or 1. */
static bool varint(struct span *in, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned shift = 0; shift < 70 && in->p < in->end; shift += 7) {
		uint8_t b = *in->p++;

		if (shift == 63 && b > 1)
			return false;
		x |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*v = x;
			return true;
		}
	}
	return false;
}

static bool fixed64(struct span *in, uint64_t *v)
{
	if (in->end - in->p < 8)
		return false;
	memcpy(v, in->p, 8);
	in->p += 8;
	return true;
}

static bool sub(struct span *in, struct span *out)
{
	uint64_t n;

	if (!varint(in, &n) || n > (uint64_t)(in->end - in->p))
		return false;
	*out = (struct span){in->p, in->p + n};
	in->p += n;
	return true;
}

/* A field of no meaning to us. */
static bool skip(struct span *in, uint64_t tag)
{
	struct span body;
	uint64_t v;

	if (tag < 8 || tag > UINT32_MAX)
		return false;
	switch (tag & 7) {
	case 0:
		return varint(in, &v);
	case 1:
		return fixed64(in, &v);
	case 2:
		return sub(in, &body);
	case 5:
		if (in->end - in->p < 4)
			return false;
		in->p += 4;
		return true;
	}
	return false;
}

static bool add(struct span *in, uint64_t *to)
{
	uint64_t v;

	if (!varint(in, &v))
		return false;
	*to += v;
	return true;
}

static bool add_fixed64(struct span *in, uint64_t *to)
{
	uint64_t v;

	if (!fixed64(in, &v))
		return false;
	*to += v;
	return true;
}

static bool add_text(struct sums *s, struct span *in)
{
	struct span text;

	if (!sub(in, &text))
		return false;
	s->bytes += (uint64_t)(text.end - text.p);
	if (text.p < text.end)
		s->values += text.p[0];
	return true;
}

/* Tags: field << 3 | wire type. */
#define TAG(field, wire) ((field) << 3 | (wire))

static bool take_stat(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* metadata_id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 1): /* double */
			ok = add_fixed64(&in, &s->values);
			break;
		case TAG(3, 0): /* uint64 */
		case TAG(4, 0): /* int64 */
		case TAG(7, 0): /* ref */
			ok = add(&in, &s->values);
			break;
		case TAG(5, 2): /* str */
		case TAG(6, 2): /* bytes */
		case TAG(8, 2): /* compressed */
			ok = add_text(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_event(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* metadata_id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 0): /* offset_ps */
		case TAG(5, 0): /* occurrences */
			ok = add(&in, &s->offset_ps);
			break;
		case TAG(3, 0): /* duration_ps */
			ok = add(&in, &s->duration_ps);
			break;
		case TAG(4, 2): /* stats */
			s->stats++;
			ok = take_stat(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_line(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0):  /* id */
		case TAG(3, 0):  /* timestamp_ns */
		case TAG(9, 0):  /* duration_ps */
		case TAG(10, 0): /* display_id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2):  /* name */
		case TAG(11, 2): /* display_name */
			ok = add_text(s, &in);
			break;
		case TAG(4, 2): /* events */
			s->events++;
			ok = take_event(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_event_type(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2): /* name */
		case TAG(3, 2): /* metadata */
		case TAG(4, 2): /* display_name */
			ok = add_text(s, &in);
			break;
		case TAG(5, 2): /* stats */
			s->stats++;
			ok = take_stat(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_stat_name(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2): /* name */
		case TAG(3, 2): /* description */
			ok = add_text(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_type_entry(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* key */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2): /* value */
			ok = take_event_type(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_name_entry(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* key */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2): /* value */
			ok = take_stat_name(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static bool take_plane(struct sums *s, struct span *parent)
{
	struct span in;
	uint64_t tag;
	bool ok = sub(parent, &in);

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 0): /* id */
			ok = add(&in, &s->ids);
			break;
		case TAG(2, 2): /* name */
			ok = add_text(s, &in);
			break;
		case TAG(3, 2): /* lines */
			s->lines++;
			ok = take_line(s, &in);
			break;
		case TAG(4, 2): /* event_metadata */
			s->types++;
			ok = take_type_entry(s, &in);
			break;
		case TAG(5, 2): /* stat_metadata */
			s->names++;
			ok = take_name_entry(s, &in);
			break;
		case TAG(6, 2): /* stats */
			s->stats++;
			ok = take_stat(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

/* A whole file: an XSpace. */
static bool walk(struct sums *s, struct span in)
{
	uint64_t tag;
	bool ok = true;

	while (ok && in.p < in.end) {
		if (!varint(&in, &tag))
			return false;
		switch (tag) {
		case TAG(1, 2): /* planes */
			s->planes++;
			ok = take_plane(s, &in);
			break;
		case TAG(2, 2): /* errors */
		case TAG(3, 2): /* warnings */
		case TAG(4, 2): /* hostnames */
			ok = add_text(s, &in);
			break;
		default:
			ok = skip(&in, tag);
		}
	}
	return ok;
}

static void print_sums(const struct sums *s, uint64_t size)
{
	printf("bytes %" PRIu64 "\nplanes %" PRIu64 "\nlines %" PRIu64
	       "\nevents %" PRIu64 "\nstats %" PRIu64 "\nevent_types %" PRIu64
	       "\nstat_names %" PRIu64 "\n",
	       size, s->planes, s->lines, s->events, s->stats, s->types,
	       s->names);
	printf("ids %016" PRIx64 "\noffset_ps %016" PRIx64
	       "\nduration_ps %016" PRIx64 "\nvalues %016" PRIx64
	       "\ntext_bytes %" PRIu64 "\n",
	       s->ids, s->offset_ps, s->duration_ps, s->values, s->bytes);
}

int main(int argc, char **argv)
{
	struct sums s = {0};
	struct stat st;
	struct span in;
	void *map;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: yardstick FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(argv[1]);
		return 1;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	in = (struct span){map, (const uint8_t *)map + st.st_size};
	if (!walk(&s, in)) {
		fprintf(stderr, "yardstick: %s: not a whole XSpace\n", argv[1]);
		return 1;
	}
	print_sums(&s, (uint64_t)st.st_size);
	munmap(map, (size_t)st.st_size);
	close(fd);
	return 0;
}
