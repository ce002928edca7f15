/* The control groups that this process is in: control_groups.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/control_groups.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int irr_group_numbers(irr_group_t *group, const char *file, long long numbers[2]) {
    snprintf(group->path + group->length, IRR_GROUP_NAME_BYTES, "/%s", file);
    FILE *open = fopen(group->path, "re");
    group->path[group->length] = '\0';
    if (!open) return -1;
    int count = fscanf(open, "%lld %lld", &numbers[0], &numbers[1]);
    fclose(open);
    return count < 0 ? 0 : count;
}

/* Is it one of a list such as "cpu,cpuacct"? */
static bool is_listed(const char *controller, const char *list) {
    size_t length = strlen(controller);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && memcmp(list, controller, length) == 0) return true;
    return false;
}

/* Of a line such as "4:cpu,cpuacct:/group" or, of version 2, "0::/group": from the group's own
 * directory up to where groups are mounted. */
static uint64_t limit_of(char *line, const char *root, const char *controller,
                         irr_group_limit_f limit) {
    irr_group_t group;
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':'), *name = list ? strchr(++list, ':') : NULL;
    if (!name) return UINT64_MAX;
    *name++ = '\0';
    if (*list && !is_listed(controller, list)) return UINT64_MAX;
    int length = snprintf(group.path, PATH_MAX, "%s%s%s%s", root, *list ? "/" : "", list, name);
    if (length < 0 || length >= PATH_MAX) return UINT64_MAX;
    uint64_t least = UINT64_MAX;
    for (char *end = group.path + length, *mount = end - strlen(name); end;) {
        *end = '\0';
        group.length = (size_t)(end - group.path);
        uint64_t here = limit(&group);
        if (here < least) least = here;
        end = strrchr(mount, '/');
    }
    return least;
}

uint64_t irr_group_limit(const char *controller, irr_group_limit_f limit, const char *membership,
                         const char *root) {
    FILE *file = fopen(membership ? membership : "/proc/self/cgroup", "re");
    uint64_t least = UINT64_MAX;
    char line[PATH_MAX];
    if (!file) return least;
    while (fgets(line, sizeof line, file)) {
        uint64_t here = limit_of(line, root ? root : "/sys/fs/cgroup", controller, limit);
        if (here < least) least = here;
    }
    fclose(file);
    return least;
}
