/* Tensor files: .npy versions 1 to 3 and raw little-endian bytes. A file is input like any other:
 * nothing in it is believed before it is checked, nothing is read that the port does not take.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define MAX_HEADER_BYTES (1 << 16)

typedef struct {
    FILE *from;
    const char *name; /* for sentences */
    const port_t *port;
} source_t;

typedef struct {
    char descr[16];
    int fortran; /* -1: not seen yet */
    bool shaped, swapped;
    size_t rank;
    int64_t dims[MAX_RANK];
} header_t;

static int bad(const source_t *source, const char *what) {
    return fail(IRR_PARAMETER_MISMATCH, "%s: %s", source->name, what);
}

/* ---- the header: a Python dictionary of three entries ---- */

/* Takes the word, if it is what comes next after blanks. */
static bool expect(const char **at, const char *word) {
    size_t length = strlen(word);
    *at += strspn(*at, " \t\r\n");
    if (strncmp(*at, word, length)) return false;
    *at += length;
    return true;
}

static bool parse_string(const char **at, char *text, size_t capacity) {
    const char *quote = expect(at, "'") ? "'" : expect(at, "\"") ? "\"" : "";
    size_t length = strcspn(*at, quote);
    if (!*quote || !(*at)[length] || length >= capacity) return false;
    snprintf(text, capacity, "%.*s", (int)length, *at);
    *at += length + 1;
    return true;
}

static bool parse_shape(const char **at, header_t *header) {
    bool comma = true; /* after the last size; one size alone needs it */
    if (!expect(at, "(")) return false;
    for (header->rank = 0; !expect(at, ")");) {
        if (!comma || header->rank == MAX_RANK || **at < '0' || **at > '9') return false;
        char *end = NULL;
        errno = 0;
        header->dims[header->rank++] = strtoll(*at, &end, 10);
        if (errno) return false;
        *at = end + (*end == 'L'); /* as Python 2 wrote it */
        comma = expect(at, ",");
    }
    return header->shaped = comma || header->rank > 1;
}

static int parse_header(const source_t *source, const char *at, header_t *header) {
    char key[24];
    bool comma = true;
    *header = (header_t){.fortran = -1};
    if (!expect(&at, "{")) return bad(source, "the .npy header is no dictionary");
    while (!expect(&at, "}")) {
        if (!comma || !parse_string(&at, key, sizeof key) || !expect(&at, ":"))
            return bad(source, "the .npy header is broken");
        bool fine = false;
        if (!strcmp(key, "descr") && !*header->descr)
            fine = parse_string(&at, header->descr, sizeof header->descr);
        else if (!strcmp(key, "fortran_order") && header->fortran < 0)
            fine = (header->fortran = expect(&at, "True")) || expect(&at, "False");
        else if (!strcmp(key, "shape") && !header->shaped)
            fine = parse_shape(&at, header);
        if (!fine)
            return fail(IRR_PARAMETER_MISMATCH, "%s: bad \"%s\" in the .npy header", source->name,
                        key);
        comma = expect(&at, ",");
    }
    expect(&at, "");
    if (*at) return bad(source, "something follows the dictionary in the .npy header");
    if (!*header->descr || header->fortran < 0 || !header->shaped)
        return bad(source, "the .npy header lacks descr, fortran_order or shape");
    return IRR_OK;
}

/* The version's two bytes, then the header's length in two, or above version 1 four. */
static int read_header(const source_t *source, header_t *header) {
    unsigned char fixed[6] = {0};
    bool whole = fread(fixed, 1, 4, source->from) == 4;
    if (whole && (fixed[0] < 1 || fixed[0] > 3 || fixed[1]))
        return fail(IRR_PARAMETER_MISMATCH, "%s: .npy version %d.%d is unknown", source->name,
                    fixed[0], fixed[1]);
    if (whole && fixed[0] > 1) whole = fread(fixed + 4, 1, 2, source->from) == 2;
    size_t bytes =
        fixed[2] | (size_t)fixed[3] << 8 | (size_t)fixed[4] << 16 | (size_t)fixed[5] << 24;
    if (bytes > MAX_HEADER_BYTES) return bad(source, "the .npy header is above 64 KiB");
    char *text = take(bytes + 1);
    if (!whole || fread(text, 1, bytes, source->from) != bytes)
        return bad(source, "the .npy header is cut off");
    if (memchr(text, 0, bytes)) return bad(source, "the .npy header holds a zero byte");
    return parse_header(source, text, header);
}

/* Type and shape against the port. NumPy has no bf16: <V2 is what ml_dtypes saves. */
static int check_header(const source_t *source, header_t *header) {
    const port_t *port = source->port;
    const type_t *type = type_of(port->type);
    const char *kind = header->descr + 1;
    bool known = !strcmp(kind, type->npy) || (port->type == IRR_BF16 && !strcmp(kind, "u2"));
    bool order = strchr("<>=", *header->descr) ||
                 (*header->descr == '|' && (type->bytes == 1 || *kind == 'V'));
    if (!known || !order)
        return fail(IRR_PARAMETER_MISMATCH,
                    "%s: element type \"%s\" does not fit input \"%s\" (%s)", source->name,
                    header->descr, port->name, irr_get_element_type_name(port->type));
    header->swapped = *header->descr == '>' && type->bytes > 1;
    bool fits = header->rank == port->rank;
    for (size_t i = 0; fits && i < port->rank; i++)
        fits = port->dims[i] < 0 || port->dims[i] == header->dims[i];
    if (fits) return IRR_OK;
    return fail(IRR_PARAMETER_MISMATCH, "%s: shape %s does not fit input \"%s\" %s", source->name,
                shape_text(header->rank, header->dims), port->name,
                shape_text(port->rank, port->dims));
}

/* ---- the data ---- */

/* Big-endian and column-major data become ours: the odometer turns in C order, the offset in the
 * file's data with it. */
static int arrange(const view_t *view, const source_t *source, const header_t *header) {
    size_t element = view->bytes / view->count, index[MAX_RANK] = {0}, offset = 0;
    char *from = malloc(view->bytes), *to = view->data;
    if (!from) return fail(IRR_NOT_ALLOCATED, "%s: no memory to turn it round", source->name);
    memcpy(from, view->data, view->bytes);
    for (size_t i = 0; i < view->count; i++) {
        for (size_t k = 0; k < element; k++)
            *to++ = from[offset * element + (header->swapped ? element - 1 - k : k)];
        size_t stride = header->fortran ? view->count : 1;
        for (size_t axis = view->rank; axis-- > 0;) {
            if (header->fortran) stride /= (size_t)view->dims[axis];
            offset += stride;
            if (!header->fortran || ++index[axis] < (size_t)view->dims[axis]) break;
            offset -= index[axis] * stride;
            index[axis] = 0;
        }
    }
    free(from);
    return IRR_OK;
}

/* A regular file must be long enough before memory is asked for. */
static int read_data(const source_t *source, const header_t *header, view_t *view) {
    struct stat about;
    long at = ftell(source->from);
    double bytes = type_of(source->port->type)->bytes;
    char *shape = shape_text(header->rank, header->dims);
    for (size_t i = 0; i < header->rank; i++) bytes *= (double)header->dims[i];
    if (at >= 0 && !fstat(fileno(source->from), &about) && S_ISREG(about.st_mode) &&
        (double)(about.st_size - at) != bytes)
        return fail(IRR_PARAMETER_MISMATCH, "%s: %lld bytes of data, but shape %s of %s takes %.0f",
                    source->name, (long long)(about.st_size - at), shape,
                    irr_get_element_type_name(source->port->type), bytes);
    TRY(make_tensor(source->port->type, header->rank, header->dims, view));
    size_t got = view->bytes ? fread(view->data, 1, view->bytes, source->from) : 0;
    if (got != view->bytes || getc(source->from) != EOF)
        return fail(IRR_PARAMETER_MISMATCH, "%s: %s than the %zu bytes of shape %s", source->name,
                    got != view->bytes ? "less" : "more", view->bytes, shape);
    bool turned = header->swapped || (header->fortran == 1 && view->rank > 1);
    return view->count && turned ? arrange(view, source, header) : IRR_OK;
}

/* Reads the magic, or leaves the first bytes where they are. */
static bool is_npy(FILE *from) {
    char bytes[MAGIC_BYTES];
    size_t got = fread(bytes, 1, MAGIC_BYTES, from);
    if (got == MAGIC_BYTES && !memcmp(bytes, MAGIC, MAGIC_BYTES)) return true;
    while (got) ungetc((unsigned char)bytes[--got], from);
    return false;
}

/* By its name, else (standard input, other names) by its first bytes. */
static int read_source(const source_t *source, view_t *view) {
    const port_t *port = source->port;
    const char *ending = strrchr(source->name, '.') ? strrchr(source->name, '.') : "";
    header_t header = {.rank = port->rank};
    memcpy(header.dims, port->dims, sizeof header.dims);
    if (!type_of(port->type))
        return fail(IRR_NOT_IMPLEMENTED, "input \"%s\" has an element type without tensor files",
                    port->name);
    if (strcmp(ending, ".bin") && is_npy(source->from)) {
        TRY(read_header(source, &header));
        TRY(check_header(source, &header));
    } else if (!strcmp(ending, ".npy")) {
        return bad(source, "no .npy file");
    }
    for (size_t i = 0; i < header.rank; i++)
        if (header.dims[i] < 0)
            return fail(IRR_PARAMETER_MISMATCH, "%s: raw bytes for input \"%s\" %s need --shape",
                        source->name, port->name, shape_text(port->rank, port->dims));
    return read_data(source, &header, view);
}

int read_tensor(const char *path, const port_t *port, view_t *view) {
    struct stat about;
    if (!strcmp(path, "-")) return read_source(&(source_t){stdin, "standard input", port}, view);
    bool odd =
        !stat(path, &about) && !S_ISREG(about.st_mode); /* a FIFO would wait for its writer */
    FILE *from = odd ? NULL : fopen(path, "rb");
    if (!from)
        return fail(IRR_NOT_FOUND, "%s: %s", path, odd ? "not a regular file" : strerror(errno));
    int status = read_source(&(source_t){from, path, port}, view);
    fclose(from);
    return status;
}

int write_npy(const char *path, const view_t *view) {
    const type_t *type = type_of(view->type);
    const char *header =
        take_text("{'descr': '%c%s', 'fortran_order': False, 'shape': (%s%s), }",
                  type->bytes == 1 ? '|' : '<', type->npy, dims_text(view->rank, view->dims, ", "),
                  view->rank == 1 ? "," : "");
    size_t fixed = MAGIC_BYTES + 4, padded = (fixed + strlen(header) + 1 + 63) / 64 * 64 - fixed;
    bool standard = !strcmp(path, "-");
    FILE *to = standard ? stdout : fopen(path, "wb");
    if (!to) return fail(IRR_GENERAL_ERROR, "%s: %s", path, strerror(errno));
    fprintf(to, MAGIC "\x01%c%c%c%-*s\n", 0, (int)(padded & 255), (int)(padded >> 8),
            (int)padded - 1, header);
    if (view->bytes) fwrite(view->data, 1, view->bytes, to);
    bool failed = fflush(to) || ferror(to);
    if (!standard) failed = fclose(to) || failed;
    if (!failed) return IRR_OK;
    int reason = errno;
    if (!standard) unlink(path);
    return fail(IRR_GENERAL_ERROR, "%s: %s", standard ? "standard output" : path, strerror(reason));
}
