/* What control groups allow, CPUs and memory: of both versions, the tightest of all above a
 * process. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "kernel/available_cpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "cgroup-XXXXXX";

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int enter(void **state) {
    static const char *const directories[] = {
        "a",        "a/b",        "cpu,cpuacct",    "cpu,cpuacct/c",   "memory",
        "memory/c", "memory/c/d", "cpuacct,cpuset", "cpuacct,cpuset/c"};
    (void)state;
    if (!mkdtemp(root) || chdir(root) != 0) return -1;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        if (mkdir(directories[i], 0700) != 0) return -1;
    return 0;
}

static int leave(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", root);
    return chdir("..") != 0 || system(command) != 0;
}

static uint32_t cpus(void) { return irr_quota_cpus_in("membership", "."); }

static void quotas_bound_cpus(void **state) {
    (void)state;
    write_file("membership", "3:memory:/a\n0::/a/b\n");
    assert_int_equal(irr_quota_cpus_in("missing", "."), UINT32_MAX);
    assert_int_equal(cpus(), UINT32_MAX);
    write_file("a/b/cpu.max", "max 100000\n");
    assert_int_equal(cpus(), UINT32_MAX);
    write_file("a/cpu.max", "250000 100000\n"); /* the parent's counts */
    assert_int_equal(cpus(), 3);
    write_file("a/b/cpu.max", "5000 100000\n");
    assert_int_equal(cpus(), 1);
    write_file("membership", "4:cpu,cpuacct:/c\n");
    write_file("cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    write_file("cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cpus(), UINT32_MAX);
    write_file("cpu,cpuacct/c/cpu.cfs_quota_us", "200000\n");
    assert_int_equal(cpus(), 2);
    write_file("cpuacct,cpuset/c/cpu.cfs_quota_us", "200000\n");
    write_file("cpuacct,cpuset/c/cpu.cfs_period_us", "100000\n");
    write_file("membership", "4:cpuacct,cpuset:/c\n"); /* another's, though its name begins alike */
    assert_int_equal(cpus(), UINT32_MAX);
}

static uint64_t bytes(void) { return irr_memory_limit_bytes_in("membership", "."); }

static void limits_bound_memory(void **state) {
    (void)state;
    uint64_t all = irr_memory_limit_bytes_in("missing", ".");
    assert_true(all > 1 << 20);
    write_file("membership", "0::/a/b\n");
    assert_int_equal(bytes(), all);
    write_file("a/b/memory.max", "max\n");
    assert_int_equal(bytes(), all);
    write_file("a/memory.max", "1048576\n"); /* the parent's counts */
    assert_int_equal(bytes(), 1 << 20);
    write_file("a/b/memory.max", "65536\n");
    assert_int_equal(bytes(), 1 << 16);
    write_file("membership", "5:cpu,cpuacct:/c\n4:memory:/c/d\n0::/\n");
    write_file("memory/c/d/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    assert_int_equal(bytes(), all);
    write_file("memory/c/memory.limit_in_bytes", "2097152\n");
    assert_int_equal(bytes(), 2 << 20);
    write_file("memory/memory.limit_in_bytes", "4096\n"); /* where they are mounted */
    assert_int_equal(bytes(), 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotas_bound_cpus),
                                       cmocka_unit_test(limits_bound_memory)};
    return cmocka_run_group_tests(tests, enter, leave);
}
