/* Values as text: nested brackets, aligned, shortened above 1,000 elements as NumPy does; and as
 * one flat JSON array.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define LINE_WIDTH 75
#define SUMMARY_ABOVE 1000
#define EDGE_ITEMS 3

typedef struct {
    const view_t *view;
    const type_t *type;
    bool summary, measure;
    size_t width, column; /* of the widest item; of the cursor */
} printer_t;

static void print_item(printer_t *printer, size_t index, bool first, size_t indent) {
    char text[VALUE_TEXT_BYTES];
    value_text(printer->type, printer->view->data, index, false, text);
    if (printer->measure) {
        if (strlen(text) > printer->width) printer->width = strlen(text);
        return;
    }
    if (!first && printer->column + 1 + printer->width > LINE_WIDTH) {
        printf("\n%*s", (int)indent, "");
        printer->column = indent;
    } else if (!first) {
        putchar(' ');
        printer->column++;
    }
    printf("%*s", (int)printer->width, text);
    printer->column += printer->width;
}

/* Between two blocks of an axis: a line for each axis inside, then the indent of the brackets. */
static void break_lines(const printer_t *printer, size_t axis) {
    for (size_t k = axis + 1; k < printer->view->rank; k++) putchar('\n');
    printf("%*s", (int)axis + 1, "");
}

static void print_axis(printer_t *printer, size_t axis, size_t index) {
    const view_t *view = printer->view;
    size_t n = (size_t)view->dims[axis];
    bool quiet = printer->measure, inner = axis + 1 == view->rank;
    if (!quiet) putchar('[');
    printer->column++;
    for (size_t i = 0; i < n; i++) {
        bool gap = printer->summary && n > 2 * EDGE_ITEMS && i == EDGE_ITEMS;
        if (gap) i = n - EDGE_ITEMS;
        if (!inner && i && !quiet) {
            break_lines(printer, axis);
            if (gap) {
                printf("...");
                break_lines(printer, axis);
            }
            printer->column = axis + 1;
        } else if (gap && !quiet) {
            printf(" ...");
            printer->column += 4;
        }
        if (inner)
            print_item(printer, index * n + i, !i, axis + 1);
        else
            print_axis(printer, axis + 1, index * n + i);
    }
    if (!quiet) putchar(']');
    printer->column++;
}

void print_values(const view_t *view) {
    printer_t printer = {.view = view, .type = type_of(view->type), .measure = true};
    printer.summary = view->count > SUMMARY_ABOVE;
    if (!view->count) {
        puts("[]");
    } else if (!view->rank) {
        char text[VALUE_TEXT_BYTES];
        value_text(printer.type, view->data, 0, false, text);
        puts(text);
    } else {
        print_axis(&printer, 0, 0);
        printer.measure = false;
        printer.column = 0;
        print_axis(&printer, 0, 0);
        putchar('\n');
    }
}

void json_values(const char *key, const view_t *view) {
    char text[VALUE_TEXT_BYTES];
    json_open(key, '[');
    for (size_t i = 0; i < view->count; i++) {
        value_text(type_of(view->type), view->data, i, true, text);
        json_raw(NULL, text);
    }
    json_close();
}
