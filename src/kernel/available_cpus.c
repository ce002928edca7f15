/* How many CPUs this process may use: its affinity mask, bounded by the CPU quotas of its control
 * groups (version 2's cpu.max, version 1's cpu.cfs_*), rounded up.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/available_cpus.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* quota / period of version 2 ("max 100000" is none) or version 1 (-1 is none), rounded up. */
static uint32_t quota_in(const char *directory) {
    char path[PATH_MAX + 32];
    long long quota = -1, period = 0;
    snprintf(path, sizeof path, "%s/cpu.max", directory);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fscanf(file, "%lld %lld", &quota, &period) != 2) quota = -1;
        fclose(file);
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", directory);
        if (!(file = fopen(path, "re"))) return UINT32_MAX;
        if (fscanf(file, "%lld", &quota) != 1) quota = -1;
        fclose(file);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", directory);
        if (!(file = fopen(path, "re"))) return UINT32_MAX;
        if (fscanf(file, "%lld", &period) != 1) period = 0;
        fclose(file);
    }
    if (quota <= 0 || period <= 0) return UINT32_MAX;
    long long cpus = quota / period + (quota % period != 0);
    return cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
}

/* The tightest quota from mount/group up to mount; a group hidden by a container has no files. */
static uint32_t quota_above(const char *mount, const char *group) {
    char directory[PATH_MAX];
    int length = snprintf(directory, sizeof directory, "%s%s", mount, group);
    if (length < 0 || (size_t)length >= sizeof directory) return UINT32_MAX;
    size_t mount_bytes = strlen(mount);
    uint32_t cpus = UINT32_MAX;
    for (;;) {
        uint32_t here = quota_in(directory);
        if (here < cpus) cpus = here;
        char *slash = strrchr(directory + mount_bytes, '/');
        if (!slash) return cpus;
        *slash = '\0';
    }
}

uint32_t irr_quota_cpus_in(const char *membership, const char *root) {
    FILE *file = fopen(membership, "re");
    if (!file) return UINT32_MAX;
    uint32_t cpus = UINT32_MAX;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) { /* "4:cpu,cpuacct:/group" or "0::/group" */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = '\0';
        controllers++;
        bool version2 = *controllers == '\0';
        if (!version2 && strcmp(controllers, "cpu") != 0 && !strstr(controllers, "cpu,") &&
            !strstr(controllers, ",cpu"))
            continue;
        char mount[PATH_MAX];
        snprintf(mount, sizeof mount, version2 ? "%s" : "%s/%s", root, controllers);
        uint32_t here = quota_above(mount, group);
        if (here < cpus) cpus = here;
    }
    fclose(file);
    return cpus;
}

uint32_t irr_quota_cpus(void) { return irr_quota_cpus_in("/proc/self/cgroup", "/sys/fs/cgroup"); }

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
