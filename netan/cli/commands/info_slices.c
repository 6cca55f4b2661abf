/* info: which of the files are slices. */
#include "members.h"
#include "netan/cli/commands/info.h"

void na_info_put_slice(struct na_result *r, struct na_value *row,
		       const struct na_input *in)
{
	if (in->cut)
		na_put_text(r, row, M_cut, in->cut);
}

void na_info_note_slices(struct na_result *r, const struct na_session *s)
{
	const struct na_input *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++) {
		first = first || !s->inputs[i].cut ? first : &s->inputs[i];
		n += s->inputs[i].cut != NULL;
	}
	if (n == 1)
		na_result_note(r, "%s is a slice: %s", first->path, first->cut);
	else if (n)
		na_result_note(r, "%zu files are slices; %s: %s", n,
			       first->path, first->cut);
}
