/* Things in parts: cut.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/cut.h"

#define LINE_BYTES 64u

irr_cut_t irr_cut(size_t things, size_t parts, size_t group) {
    if (things < 16 * group * parts) group = 1;
    size_t groups = irr_ceil_div(things, group), rest = groups % parts;
    return (irr_cut_t){group, groups / parts, rest ? irr_ceil_div(rest << 32, parts) : 0};
}

/* For so many parts for each thread, the most that there can be are the smallest. */
size_t irr_even_parts(size_t threads, size_t others, size_t n, size_t parts) {
    size_t most = irr_least(n, 3 * parts), found = parts, least = SIZE_MAX;
    bool turns = irr_take_turns(others, threads);
    if (threads == 1) return parts;
    for (size_t each = irr_ceil_div(others * parts, threads); parts <= most; each++) {
        parts = irr_most(parts, irr_least(each * threads / others, most));
        size_t part = irr_ceil_div(n, parts), mine = irr_ceil_div(others * parts, threads);
        size_t busiest = turns ? mine * n / parts + part - n / parts : mine * part;
        if (busiest < least) least = busiest, found = parts;
        if (50 * least * threads <= 51 * others * n || each >= 20 || parts == most) break;
    }
    return found;
}

size_t irr_chunk_of(size_t n, size_t parts) {
    size_t chunk = 1;
    if (parts <= 1) return n;
    while (2 * chunk * parts <= n) chunk *= 2;
    return chunk;
}

size_t irr_things_of_lines(size_t bytes) {
    return LINE_BYTES / irr_least(LINE_BYTES, bytes & -bytes);
}
