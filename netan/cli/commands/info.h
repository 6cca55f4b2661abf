/* What info says of packet captures. */
#ifndef NETAN_CLI_COMMANDS_INFO_H
#define NETAN_CLI_COMMANDS_INFO_H

#include "netan/engine/session/session.h"

/* Sum of two; times become the range of both. */
void na_info_add_capture(struct na_capture_counts *to,
			 const struct na_capture_counts *x);
void na_info_put_capture(struct na_result *r, struct na_value *row,
			 const struct na_capture_counts *x);
void na_info_view_captures(struct na_result *r, const struct na_value *rows,
			   bool labels);
void na_info_note_capture(struct na_result *r,
			  const struct na_capture_counts *all, bool damaged);

#endif
