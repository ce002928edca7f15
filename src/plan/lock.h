/* The locks of planning. A thread that forks while another one plans would leave the child a lock
 * that nobody opens, and oneDNN's own in whatever state they are: so a fork waits until no thread
 * plans. Lives here: short locks, never two at once. May not: anything on the path of an infer
 * whose plan is there. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_PLAN_LOCK_H
#define IRR_PLAN_LOCK_H

/* The lock of this object, which may be that of others too: hold one at a time. */
void irr_lock(const void *object);
void irr_unlock(const void *object);

#endif
