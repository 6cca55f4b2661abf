/*
 * --anonymize: hosts, addresses, users and paths of the inputs are numbered
 * names in all that is printed, drawn or written.  Analyses work on the
 * names as they are (filters name them); results are gone over once they are
 * complete, messages before they are printed.
 *
 * Who reads names that no session does (logs, settings) says so with
 * na_hide(), before the first message that could quote them.
 */
#ifndef NETAN_ENGINE_ANONYMIZE_H
#define NETAN_ENGINE_ANONYMIZE_H

#include "netan/base/pseudonyms.h"
#include "netan/engine/request.h"
#include "netan/model/hosts/settings.h"
#include "netan/result/result.h"

struct na_session;

/* One name, from now on; nothing for NULL or without --anonymize.  Of many,
 * reserve all first (na_hide_later), so that none looks like a pseudonym. */
void na_hide(const struct na_request *q, enum na_alias kind, const char *name);
void na_hide_later(const struct na_request *q, const char *name);

/* Names that stand in a result under such a member's name, as text or in a
 * list of texts: of hosts (and what is one), jobs, files.  Numbers are no
 * names. */
struct na_hidden {
	const char *member; /* NULL ends */
	enum na_alias kind;
};
void na_hide_members(const struct na_request *q, const struct na_value *in,
		     const struct na_hidden *members);

/* What others said in words of theirs, under such members' names (NULL ends):
 * it is not quoted, for nobody could tell which of it are names. */
void na_leave_out(const struct na_request *q, struct na_value *in,
		  const char *const *members);

/* A network interface; "eth0" and what else systems call them tell nothing. */
void na_hide_nic(const struct na_request *q, const char *name);
/* A host's name and those of its interfaces. */
void na_hide_settings(const struct na_request *q, const struct na_settings *s);

/* What may be shown of a text: a copy, to be freed; NULL when memory is
 * short. */
char *na_shown(const struct na_request *q, const char *text);
/* All texts of a complete result; again is no harm. */
void na_hide_result(const struct na_request *q, struct na_result *r);

/* What a session knows by now: hosts of inputs, addresses, --hosts,
 * --topology. */
void na_hide_session(const struct na_session *s);

#endif
