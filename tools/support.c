/* Errors, memory and time of the command.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <stdarg.h>
#include <time.h>

static char sentence[4096];

int fail(int status, const char *format, ...) {
    char made[sizeof sentence]; /* the noted sentence may be among the arguments */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made, sizeof made, format, arguments);
    va_end(arguments);
    strcpy(sentence, made);
    return status;
}

int library(irr_status_e status) {
    if (status == IRR_OK) return IRR_OK;
    const char *message = irr_get_last_err_msg();
    return fail(status, "%s", message && *message ? message : irr_get_error_info(status));
}

const char *noted_sentence(void) { return sentence; }

const char *status_word(int status) {
    const char *word = irr_get_status_word(status == WRONG_CALL ? IRR_INVALID_C_PARAM : status);
    return word ? word : "UNKNOWN_C_ERROR";
}

/* Every piece is chained, so that leak checkers see an empty house at the end. */
typedef struct piece {
    struct piece *next;
    size_t unused; /* keeps what follows aligned to 16 bytes */
} piece_t;
static piece_t *pieces;

void *take(size_t bytes) {
    piece_t *piece = bytes <= SIZE_MAX - sizeof *piece ? calloc(1, sizeof *piece + bytes) : NULL;
    if (!piece) {
        fprintf(stderr, "irreduce: memory is out (%zu bytes asked for)\n", bytes);
        exit(1);
    }
    piece->next = pieces;
    pieces = piece;
    return piece + 1;
}

char *take_text(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = take(bytes);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void give_back_all(void) {
    while (pieces) {
        piece_t *next = pieces->next;
        free(pieces);
        pieces = next;
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sort_to_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}
