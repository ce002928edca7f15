/* How many CPUs this process may use: its affinity mask, bounded by the CPU quotas of its control
 * groups (version 2's cpu.max, version 1's cpu.cfs_*), rounded up.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/available_cpus.h"

#include "base/control_groups.h"

#include <string.h>
#include <unistd.h>

/* quota / period of version 2 ("max 100000" is none) or version 1 (-1 is none), rounded up. */
static uint64_t quota_of(irr_group_t *group) {
    long long quota[2], period[2];
    int count = irr_group_numbers(group, "cpu.max", quota);
    if (count < 0 && irr_group_numbers(group, "cpu.cfs_quota_us", quota) >= 1 &&
        irr_group_numbers(group, "cpu.cfs_period_us", period) >= 1) {
        quota[1] = period[0];
        count = 2;
    }
    if (count < 2 || quota[0] <= 0 || quota[1] <= 0) return UINT64_MAX;
    return (uint64_t)(quota[0] / quota[1] + (quota[0] % quota[1] != 0));
}

uint32_t irr_quota_cpus_in(const char *membership, const char *root) {
    uint64_t cpus = irr_group_limit("cpu", quota_of, membership, root);
    return cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
}

uint32_t irr_quota_cpus(void) { return irr_quota_cpus_in(NULL, NULL); }

uint32_t irr_count_cpus(const irr_cpus_t *cpus) {
    return (uint32_t)CPU_COUNT_S(sizeof cpus->sets, cpus->sets);
}

irr_cpus_t irr_cpus_of_thread(pid_t thread) {
    irr_cpus_t cpus;
    memset(&cpus, 0, sizeof cpus);
    if (sched_getaffinity(thread, sizeof cpus.sets, cpus.sets) != 0) memset(&cpus, 0, sizeof cpus);
    return cpus;
}

irr_cpus_t irr_cpus_of_workers(void) {
    irr_cpus_t caller = irr_cpus_of_thread(0), first = irr_cpus_of_thread(getpid());
    CPU_OR_S(sizeof caller.sets, caller.sets, caller.sets, first.sets);
    return caller;
}

uint32_t irr_available_cpus(void) {
    irr_cpus_t cpus = irr_cpus_of_thread(0);
    uint32_t count = irr_count_cpus(&cpus), quota = irr_quota_cpus();
    if (quota < count) return quota;
    return count ? count : 1;
}
