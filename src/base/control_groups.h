/* The control groups that this process is in, version 1's and 2's.
 * Lives here: where their files are. May not: what a file says of CPUs or memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_BASE_CONTROL_GROUPS_H
#define IRR_BASE_CONTROL_GROUPS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* A group's directory. Callers' stacks may be small: one path, and names that are put behind it. */
enum { IRR_GROUP_NAME_BYTES = 32 };
typedef struct irr_group {
    char path[PATH_MAX + IRR_GROUP_NAME_BYTES];
    size_t length;
} irr_group_t;

/* How many numbers the group's file begins with, up to two; -1: it is not there. */
int irr_group_numbers(irr_group_t *group, const char *file, long long numbers[2]);

/* What one group allows, UINT64_MAX if it has no limit. */
typedef uint64_t (*irr_group_limit_f)(irr_group_t *group);

/* The least that the controller's groups allow, from the process's own to those they lie in; a
 * group hidden by a container has no files. `membership` is such as /proc/self/cgroup, `root` where
 * groups are mounted; NULL: these of this process. */
uint64_t irr_group_limit(const char *controller, irr_group_limit_f limit, const char *membership,
                         const char *root);

#endif
