/* The indices of a region, dealt out to the threads of the pool.
 * Lives here: who may draw which index. May not: threads, when a region begins or ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_SHARES_H
#define IRR_KERNEL_SHARES_H

#include "kernel/parallel.h"

#define IRR_MOST_WORKERS 1023u
enum { IRR_LINE = 128 }; /* lines are fetched in pairs */

/* Divisions are made once a region. */
typedef struct irr_sharing {
    uint32_t seats;
    bool apart;
    size_t share, rest; /* the first `rest` seats have one more than `share` */
} irr_sharing_t;

/* Before the region opens. There is one deal at a time, as there is one pool. */
irr_sharing_t irr_shares_deal(size_t count, uint32_t seats, bool apart);
/* What the thread of this seat does in it: first its own share, then what others leave. The deal by
 * value, for it is asked at each index. */
void irr_shares_draw(irr_sharing_t sharing, uint32_t seat, irr_task_f task, void *argument);

#endif
