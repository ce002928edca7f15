/* How many CPUs this process may use: its affinity mask, bounded by the CPU quotas of its control
 * groups (version 2's cpu.max, version 1's cpu.cfs_*), rounded up.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/available_cpus.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Callers' stacks may be small: one path, and names that are put behind it. */
enum { NAME_BYTES = 32 };
typedef struct {
    char text[PATH_MAX + NAME_BYTES];
    size_t length;
} directory_t;

/* How many numbers a file begins with, up to two; -1: it is not there. */
static int read_numbers(directory_t *directory, const char *name, long long numbers[2]) {
    snprintf(directory->text + directory->length, NAME_BYTES, "/%s", name);
    FILE *file = fopen(directory->text, "re");
    directory->text[directory->length] = '\0';
    if (!file) return -1;
    int count = fscanf(file, "%lld %lld", &numbers[0], &numbers[1]);
    fclose(file);
    return count;
}

/* quota / period of version 2 ("max 100000" is none) or version 1 (-1 is none), rounded up. */
static uint32_t quota_in(directory_t *directory) {
    long long quota[2], period[2];
    int count = read_numbers(directory, "cpu.max", quota);
    if (count < 0 && read_numbers(directory, "cpu.cfs_quota_us", quota) >= 1 &&
        read_numbers(directory, "cpu.cfs_period_us", period) >= 1) {
        quota[1] = period[0];
        count = 2;
    }
    if (count < 2 || quota[0] <= 0 || quota[1] <= 0) return UINT32_MAX;
    long long cpus = quota[0] / quota[1] + (quota[0] % quota[1] != 0);
    return cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
}

/* The tightest quota from the group's directory up to where they are mounted, the path's first
 * `mount` bytes; a group hidden by a container has no files. */
static uint32_t quota_above(directory_t *directory, size_t mount) {
    uint32_t cpus = UINT32_MAX;
    for (;;) {
        uint32_t here = quota_in(directory);
        if (here < cpus) cpus = here;
        char *slash = strrchr(directory->text + mount, '/');
        if (!slash) return cpus;
        *slash = '\0';
        directory->length = (size_t)(slash - directory->text);
    }
}

/* Of a line such as "4:cpu,cpuacct:/group" or "0::/group". */
static uint32_t quota_of(char *line, const char *root) {
    directory_t directory;
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group) return UINT32_MAX;
    *group++ = '\0';
    bool version2 = *controllers == '\0';
    if (!version2 && strcmp(controllers, "cpu") != 0 && !strstr(controllers, "cpu,") &&
        !strstr(controllers, ",cpu"))
        return UINT32_MAX;
    int length = snprintf(directory.text, PATH_MAX, "%s%s%s%s", root, version2 ? "" : "/",
                          controllers, group);
    if (length < 0 || length >= PATH_MAX) return UINT32_MAX;
    directory.length = (size_t)length;
    return quota_above(&directory, directory.length - strlen(group));
}

uint32_t irr_quota_cpus_in(const char *membership, const char *root) {
    FILE *file = fopen(membership, "re");
    if (!file) return UINT32_MAX;
    uint32_t cpus = UINT32_MAX;
    char line[PATH_MAX];
    while (fgets(line, sizeof line, file)) {
        uint32_t here = quota_of(line, root);
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
