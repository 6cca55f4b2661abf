/*
 * Log lines that are wrapped: JSON objects of container runtimes and cloud
 * logging, logfmt, CSV exports, colours of terminals, and text in which
 * newlines are written as \n.
 */
#ifndef INGEST_LOGS_HANG_WRAPPED_H
#define INGEST_LOGS_HANG_WRAPPED_H

#include "ingest/logs/hang_shape.h"

enum { NA_HANG_WHO = 4, NA_HANG_COLUMNS = 64 /* more are not looked at */ };

struct na_hang_wrapped {
	struct na_text message;          /* of JSON and logfmt: still escaped */
	struct na_text who[NA_HANG_WHO]; /* values that name the source */
	struct na_text time;
	size_t n_who, message_rank, time_rank; /* of the names; 0 is the best */
};

/* What the name of a member or a column says of its value. */
struct na_hang_member {
	enum {
		NA_MEMBER_OTHER,
		NA_MEMBER_MESSAGE,
		NA_MEMBER_WHO,
		NA_MEMBER_TIME
	} kind;
	size_t rank;
};

/* Columns of an export, by its first line. */
struct na_hang_csv {
	char delimiter; /* 0: it is none */
	struct na_hang_member columns[NA_HANG_COLUMNS];
};

/* The next object of "{...}", "{...} {...}" or "[{...},{...}]", or the one
 * member of an object that is written over several lines; *rest moves behind
 * it.  A line that was cut may end inside.  False: there is none. */
bool na_hang_next_object(struct na_text *rest, struct na_text *object);
/* Of a line whose beginning was cut off: from the first whole object of an
 * array on; the whole of it where there is none. */
struct na_text na_hang_from_object(struct na_text line);
/* Its members, however deep.  False: there is no message in it. */
bool na_hang_unwrap(struct na_text object, struct na_hang_wrapped *w);
/* It is one, or another line of one: a bracket, a member. */
bool na_hang_is_json(struct na_text line);

/* "time=... level=error msg=\"...\""; false: it is no such line. */
bool na_hang_logfmt(struct na_text line, struct na_hang_wrapped *w);

/* Names of columns, with a message among them. */
bool na_hang_csv_head(struct na_text line, struct na_hang_csv *c);
/* Whether a field goes on in the next line; quoted: this one begins in one. */
bool na_hang_csv_quoted(const struct na_hang_csv *c, struct na_text line,
			bool quoted);
/* A record's fields; quotes are undone in place.  False: no message. */
bool na_hang_csv_fields(const struct na_hang_csv *c, char *s, size_t n,
			struct na_hang_wrapped *w);

/* Date and time, or seconds, ms, us, ns since 1970. */
void na_hang_wrapped_time(const struct na_hang_wrapped *w,
			  struct na_hang_time *t);

/* The text that an escaped one stands for, up to the quote that ends it;
 * room for in.n bytes at out, which may be where it is.  Returns its
 * length. */
size_t na_hang_unescape(struct na_text in, char *out);
/* Without colours and what else a terminal is told, without a byte-order
 * mark; in place.  Returns what is left. */
size_t na_hang_strip(char *s, size_t n);

#endif
