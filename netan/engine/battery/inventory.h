/*
 * What a session holds, as a result that checks can read: the exhibit
 * "session".
 */
#ifndef NETAN_ENGINE_BATTERY_INVENTORY_H
#define NETAN_ENGINE_BATTERY_INVENTORY_H

#include "netan/engine/battery/battery.h"

/* The envelope, as na_battery_told_by() has it, and in the side tree what the
 * table "session" of members.def declares.  NULL when memory is short. */
struct na_result *na_inventory(struct na_battery *b);

#endif
