/* Shares of a region's indices: shares.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/shares.h"

#include "kernel/patience.h"

/* How long a task may take that finds its data in a cache. */
enum { CACHED_TASK_NS = 3000 };

/* Each thread has a share of the indices, the same at each call: what it read last time is in its
 * own cache, and may be there alone: others would get it six times as slowly. Then they help out
 * where a share's thread is not there, or is at one index for longer than one that is in a cache.
 */
static size_t share_begin(const irr_sharing_t *sharing, uint32_t seat) {
    return sharing->share * seat + (seat < sharing->rest ? seat : sharing->rest);
}

/* Does the thread whose share it is leave an index to others? False: it has drawn them all. */
static bool leaves_some(const irr_share_t *share, size_t end, bool apart) {
    irr_patience_t patience = {0};
    size_t seen = 0, now;
    while ((now = atomic_load_explicit(&share->next, memory_order_relaxed)) < end) {
        if (!apart || !atomic_load_explicit(&share->attended, memory_order_relaxed)) return true;
        if (now != seen) patience = (irr_patience_t){0};
        seen = now;
        if (!irr_spin(&patience, CACHED_TASK_NS)) return true;
    }
    return false;
}

void irr_shares_deal(irr_sharing_t *sharing, size_t count) {
    sharing->share = count / sharing->seats;
    sharing->rest = count % sharing->seats;
    for (uint32_t seat = 0; seat < sharing->seats; seat++) {
        irr_share_t *share = &sharing->shares[seat];
        size_t begin = share_begin(sharing, seat);
        atomic_store_explicit(&share->next, begin, memory_order_relaxed);
        atomic_store_explicit(&share->attended, false, memory_order_relaxed);
    }
}

void irr_shares_draw(irr_sharing_t sharing, uint32_t seat) {
    if (seat >= sharing.seats) seat %= sharing.seats;
    atomic_store_explicit(&sharing.shares[seat].attended, true, memory_order_relaxed);
    for (uint32_t k = 0; k < sharing.seats; k++) {
        size_t index, end = share_begin(&sharing, seat + 1);
        irr_share_t *share = &sharing.shares[seat];
        while (leaves_some(share, end, sharing.apart && k > 0) &&
               (index = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed)) < end)
            sharing.task(sharing.argument, index);
        seat = seat + 1 < sharing.seats ? seat + 1 : 0;
    }
}
