/* Which CPUs, and how many, this process may use. SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_KERNEL_AVAILABLE_CPUS_H
#define IRR_KERNEL_AVAILABLE_CPUS_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

/* 8,192 CPUs: one set of 1,024 would make the kernel refuse larger machines. */
typedef struct {
    cpu_set_t sets[8];
} irr_cpus_t;

/* Those of a thread's affinity mask, 0: the caller's; none if the thread is gone. */
irr_cpus_t irr_cpus_of_thread(pid_t thread);
/* Those that threads which work for any caller may use: the caller's and those of the process's
 * first thread. A caller's alone may be one CPU, which a host has tied it to. */
irr_cpus_t irr_cpus_of_workers(void);
uint32_t irr_count_cpus(const irr_cpus_t *cpus);
/* The control groups' quota, UINT32_MAX if there is none; from the files of these, `membership` is
 * such as /proc/self/cgroup, `root` where they are mounted. */
uint32_t irr_quota_cpus(void);
uint32_t irr_quota_cpus_in(const char *membership, const char *root);
/* How many the caller may use: its affinity mask and the quota, at least 1. */
uint32_t irr_available_cpus(void);

#endif
