#include "tests/accuracy/fleet.h"
bool fl_queueing(struct fl_fleet *f, struct na_rng *rng)
{
	(void)f;
	(void)rng;
	return false;
}
