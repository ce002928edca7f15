/* What waking threads takes: bell.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/bell.h"

/* What is less is believed soon; what is more, with what others may have to do, slowly. What is
 * not measured any more is half forgotten after some 350 calls that it kept alone: where it is
 * true, one of some ten such calls rings in vain, for a tenth of what it takes. */
enum { SOON = 2, SLOWLY = 16, FADING = 512 };

static int64_t believe(int64_t believed, int64_t measured) {
    if (measured > IRR_MOST_WAKE_NS) measured = IRR_MOST_WAKE_NS;
    return believed + (measured - believed) / (measured < believed ? SOON : SLOWLY);
}

/* Half of what follows after a worker is awake is saved. */
static bool pays(int64_t ring_ns, int64_t wake_ns, uint64_t alone_ns) {
    return alone_ns == 0 || alone_ns > (uint64_t)(2 * ring_ns + wake_ns);
}

bool irr_bell_pays(const irr_bell_t *bell, uint64_t alone_ns) {
    return pays(bell->ring_ns, atomic_load_explicit(&bell->wake_ns, memory_order_relaxed),
                alone_ns);
}

void irr_bell_fade(irr_bell_t *bell, uint64_t alone_ns) {
    if (!pays(IRR_USUAL_RING_NS, IRR_USUAL_WAKE_NS, alone_ns)) return;
    int64_t wake_ns = atomic_load(&bell->wake_ns);
    bell->ring_ns -= (bell->ring_ns - IRR_USUAL_RING_NS) / FADING;
    atomic_store(&bell->wake_ns, wake_ns - (wake_ns - IRR_USUAL_WAKE_NS) / FADING);
}

void irr_bell_note_ring(irr_bell_t *bell, int64_t measured_ns) {
    bell->ring_ns = believe(bell->ring_ns, measured_ns);
}

void irr_bell_note_wake(irr_bell_t *bell, int64_t measured_ns) {
    atomic_store(&bell->wake_ns, believe(atomic_load(&bell->wake_ns), measured_ns));
}
