/* What the files of the irreduce command share. The command stands on the public API alone.
 * Errors: a function returns IRR_OK, a status below zero with its sentence noted by fail(), or
 * WRONG_CALL noted by wrong_call(); main prints what was noted. Memory from take() lives until the
 * process ends; objects of the library belong to the session that made them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IRR_TOOLS_TOOL_H
#define IRR_TOOLS_TOOL_H

#include <irreduce/irreduce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG_CALL 1 /* beside irr_status_e, which is never positive */
#define PROBLEMS 2   /* found by check or doctor, and printed as its result */
#define MAX_RANK 64

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_ = (call);                                                                         \
        if (try_ != IRR_OK) return try_;                                                           \
    } while (0)
/* The same for a function of the library: notes its sentence. */
#define LIB(call) TRY(library(call))

/* ---- support.c ---- */
__attribute__((format(printf, 2, 3))) int fail(int status, const char *format, ...);
#define wrong_call(...) fail(WRONG_CALL, __VA_ARGS__)
int library(irr_status_e status);
const char *noted_sentence(void);
const char *status_word(int status);
void *take(size_t bytes); /* zeroed; ends the process with exit code 1 when memory is out */
__attribute__((format(printf, 1, 2))) char *take_text(const char *format, ...);
void give_back_all(void);
double now_us(void);
double sort_to_median(double *values, size_t count);

/* ---- options.c ---- */
typedef struct {
    const char **items;
    size_t count;
} list_t;

typedef struct {
    list_t models, axes, inputs, shapes, properties, pythons;
    irr_axes_t *axes_values; /* one an item of axes */
    const char *weights, *device, *layer, *output_dir, *problem;
    uint64_t seed, threads;
    bool json, profile, help;
} options_t;

/* takes: the names of the options that a call takes, without dashes: "weights axes json". */
int parse_options(int argc, char **argv, const char *takes, options_t *options);
void print_options(FILE *to, const char *takes);
/* "2,-3" (or "" for none) into at most MAX_RANK numbers. */
bool parse_numbers(const char *text, int64_t *numbers, size_t *count);

/* ---- types.c: the twelve and boolean ---- */
typedef enum { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED, KIND_BOOLEAN } kind_e;
typedef struct {
    const char *npy; /* descr without the byte order */
    uint8_t bytes;
    kind_e kind;
    uint8_t mantissa_bits, digits; /* floats: stored bits; decimals that each value has */
    int16_t bias;
} type_t;
const type_t *type_of(irr_element_type_e type); /* NULL for all others */
/* Of the unit in the last place, which a finite value has in this type. */
int unit_exponent(const type_t *type, double value);
double load_float(const type_t *type, const void *data, size_t index);
void store_float(const type_t *type, void *data, size_t index, double value);
int64_t load_int(const type_t *type, const void *data, size_t index); /* u64: its bits */
#define VALUE_TEXT_BYTES 40
/* Shortest text that reads back; NaN and infinities as JSON (in quotes) or as NumPy spells them. */
void value_text(const type_t *type, const void *data, size_t index, bool json,
                char text[VALUE_TEXT_BYTES]);

/* ---- json.c ---- */
/* Writes these items to standard output: "{ file:s layers:[ { id:s line:d } :s ] }\n". An item is a
 * bracket, the end of the line, or a value behind its key and a colon (in an array there is no key,
 * and of "*" it is an argument): s a text or NULL, r a text as it is, d an int64_t, b a bool,
 * f a double. Commas follow by themselves, also from one call to the next. */
void json(const char *items, ...);
/* Reading, for texts that the library made: the next scalar, in the order of the text, with the key
 * nearest before it; false at the end. */
bool json_next(const char **at, const char **key, const char **value);

/* ---- tensors and their files ---- */
typedef struct {
    const char *name;
    irr_element_type_e type;
    size_t rank;
    int64_t dims[MAX_RANK]; /* -1: dynamic */
    bool is_axes;           /* an input that a reduction takes its axes from */
} port_t;
typedef struct {
    irr_tensor_t *tensor; /* NULL until it is made; the rest is what it says of itself */
    irr_element_type_e type;
    size_t rank, count, bytes;
    int64_t dims[MAX_RANK];
    void *data;
} view_t;
/* These three: session.c. */
char *dims_text(size_t rank, const int64_t *dims, const char *comma); /* "2,?,3" */
char *shape_text(size_t rank, const int64_t *dims);                   /* "[2,?,3]" */
int make_tensor(irr_element_type_e type, size_t rank, const int64_t *dims, view_t *view);
int read_tensor(const char *path, const port_t *port, view_t *view); /* npy.c */
int write_npy(const char *path, const view_t *view);                 /* npy.c */
void print_values(const view_t *view);                               /* values.c */
void json_values(const view_t *view); /* the items of an array; values.c */
void fill_from_seed(const view_t *view, uint64_t seed, size_t input); /* seed.c */

/* ---- session.c: the life cycle that run, query, explain and bench share ---- */
typedef struct {
    port_t port;
    view_t view;
    const char *file; /* that run writes it to; NULL: its values are printed */
} output_t;
typedef struct {
    irr_compiled_model_t *compiled;
    irr_infer_request_t *request;
    output_t *outputs; /* once they were asked for */
    size_t output_count;
} program_t;
typedef struct {
    const options_t *options;
    irr_core_t *core;
    irr_model_t *model;
    const char *xml; /* of a problem, as are the weights; NULL: the model comes from its file */
    view_t weights;
    const char *device;
    port_t *inputs;
    view_t *tensors; /* one an input */
    size_t input_count;
    bool made; /* the tensors */
    program_t programs[4];
} session_t;
/* Reads the model, takes out --layer, applies --shape and --property. */
int session_open(session_t *session);
void session_close(session_t *session); /* and all that is in it */
int session_compile(session_t *session, size_t count, const irr_property_t *properties,
                    program_t *program);
/* Makes the inputs (files, --axes, the seed) once, and gives them to the program. */
int session_feed(session_t *session, program_t *program);
int program_infer(program_t *program);
int program_outputs(program_t *program); /* as they are after the first run */
void program_free(program_t *program);
int describe_port(irr_output_port_t *port, port_t *to); /* frees it */
int make_inputs(session_t *session);                    /* inputs.c */

/* ---- what bench needs ---- */
/* Opens the session on the model of a problem string. */
int problem_open(const char *problem, session_t *session); /* problem.c */
typedef struct reader reader_t;                            /* plain_read.c */
reader_t *reader_start(const session_t *session, size_t threads);
double reader_time_us(reader_t *reader); /* one pass over all inputs */
void reader_end(reader_t *reader);

/* ---- one file a call; main closes the session, however a call ends ---- */
int call_check(session_t *session);
int call_query(session_t *session);
int call_run(session_t *session);
int call_explain(session_t *session);
int call_bench(session_t *session);
int call_devices(session_t *session);
int call_doctor(session_t *session);
int call_version(session_t *session);

/* ---- progress.c: only on a terminal, only after two seconds ---- */
void progress(const char *what);
void progress_end(void);

#endif
