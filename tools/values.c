/* Values as text: nested brackets, aligned, shortened above 1,000 elements as NumPy does; and as
 * the items of a flat JSON array.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define LINE_WIDTH 75
#define SUMMARY_ABOVE 1000
#define EDGE_ITEMS 3

/* Walks over the elements that are shown. */
typedef struct {
    const view_t *view;
    size_t index[MAX_RANK], at; /* the element, by axes and in all */
    size_t begun;               /* axes inside, whose next block begins with it */
    bool gap;                   /* elements before it are left out */
} cursor_t;

static bool advance(cursor_t *cursor) {
    size_t stride = 1;
    cursor->begun = 0;
    for (size_t axis = cursor->view->rank; axis-- > 0; cursor->begun++) {
        size_t n = (size_t)cursor->view->dims[axis], from = cursor->index[axis], to = from + 1;
        cursor->gap = cursor->view->count > SUMMARY_ABOVE && n > 2 * EDGE_ITEMS && to == EDGE_ITEMS;
        if (cursor->gap) to = n - EDGE_ITEMS;
        cursor->index[axis] = to < n ? to : 0;
        cursor->at += (cursor->index[axis] - from) * stride;
        if (to < n) return true;
        stride *= n;
    }
    return false;
}

static void repeat(char character, size_t times) {
    while (times-- > 0) putchar(character);
}

/* What stands before an element that is not the first; column is the cursor's. */
static void separate(const cursor_t *cursor, size_t width, size_t *column) {
    size_t rank = cursor->view->rank, outer = rank - cursor->begun;
    if (cursor->begun) {
        repeat(']', cursor->begun);
        repeat('\n', cursor->begun);
        repeat(' ', outer);
        if (cursor->gap) {
            printf("...");
            repeat('\n', cursor->begun);
            repeat(' ', outer);
        }
        repeat('[', cursor->begun);
        *column = rank;
        return;
    }
    if (cursor->gap) *column += (size_t)printf(" ...");
    bool fits = *column + 1 + width <= LINE_WIDTH;
    putchar(fits ? ' ' : '\n');
    if (!fits) repeat(' ', rank);
    *column = fits ? *column + 1 : rank;
}

void print_values(const view_t *view) {
    const type_t *type = type_of(view->type);
    cursor_t measured = {.view = view}, cursor = measured;
    size_t width = 0, column = view->rank;
    char text[VALUE_TEXT_BYTES];
    if (!view->count) {
        puts("[]");
        return;
    }
    do {
        value_text(type, view->data, measured.at, false, text);
        if (strlen(text) > width) width = strlen(text);
    } while (advance(&measured));
    repeat('[', view->rank);
    do {
        if (cursor.at) separate(&cursor, width, &column);
        value_text(type, view->data, cursor.at, false, text);
        column += (size_t)printf("%*s", (int)width, text);
    } while (advance(&cursor));
    repeat(']', view->rank);
    putchar('\n');
}

void json_values(const view_t *view) {
    char text[VALUE_TEXT_BYTES];
    for (size_t i = 0; i < view->count; i++) {
        value_text(type_of(view->type), view->data, i, true, text);
        json(":r", text);
    }
}
