/* The indices of a region, dealt out to the threads of a pool.
 * Lives here: who may draw which index. May not: threads, when a region begins or ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_SHARES_H
#define IRR_KERNEL_SHARES_H

#include "kernel/parallel.h"

#include <stdatomic.h>

#define IRR_MOST_WORKERS 1023u
enum { IRR_LINE = 128 }; /* lines are fetched in pairs */

/* One seat's. */
typedef struct irr_share {
    _Alignas(IRR_LINE) atomic_size_t next; /* index to draw */
    atomic_bool attended;
} irr_share_t;

/* Divisions are made once a region. */
typedef struct irr_sharing {
    irr_task_f task; /* of each index */
    void *argument;
    irr_share_t *shares; /* of each seat */
    uint32_t seats;
    bool apart;
    size_t share, rest; /* the first `rest` seats have one more than `share` */
} irr_sharing_t;

/* Deals `count` indices before the region opens: its task and seats are known. The shares are the
 * caller's, until it has closed. */
void irr_shares_deal(irr_sharing_t *sharing, size_t count);
/* What the thread of this seat does in it: first its own share, then what others leave. The deal by
 * value, for it is asked at each index. */
void irr_shares_draw(irr_sharing_t sharing, uint32_t seat);

#endif
