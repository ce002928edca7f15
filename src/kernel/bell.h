/* Whether it pays to wake threads, judged by what waking them took before.
 * Lives here: figures and what follows from them. May not: threads, clocks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_BELL_H
#define IRR_KERNEL_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* To ring costs a system call, and a worker is awake some time later: 5 and 40 us where a CPU
 * leaves an idle state of its own, 10 to 30 and 40 to 200 in virtual machines. */
enum { IRR_USUAL_RING_NS = 5000, IRR_USUAL_WAKE_NS = 40000, IRR_MOST_WAKE_NS = 500000 };

/* What is believed. Whoever has the pool reads and writes; a worker that wakes up notes so. */
typedef struct {
    int64_t ring_ns;
    atomic_int_fast64_t wake_ns; /* from the ringing on */
} irr_bell_t;

/* Is a worker awake early enough for work that takes one thread so long? 0: it is very long. */
bool irr_bell_pays(const irr_bell_t *bell, uint64_t alone_ns);
/* Such work did without: a bell that stays silent measures nothing, and what it goes by may be from
 * a moment when others kept the machine busy, so that fades where it made the difference. */
void irr_bell_fade(irr_bell_t *bell, uint64_t alone_ns);
void irr_bell_note_ring(irr_bell_t *bell, int64_t measured_ns);
void irr_bell_note_wake(irr_bell_t *bell, int64_t measured_ns);

#endif
