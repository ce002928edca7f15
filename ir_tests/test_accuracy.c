/* EXECUTION_MODE_HINT=ACCURACY against the exact oracle, bit for bit: random cases, and sets made
 * to be hard: ties, ties but for the least denormal, cancellation, both ends of the range. Prints
 * its seed; IRR_TEST_SEED and IRR_TEST_SECONDS set where it starts and how long it looks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/element_type.h"
#include "base/op.h"
#include "device.h"
#include "oracle.h"
#include "random_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MAX_ELEMENTS = 1 << 17, ROOM = MAX_ELEMENTS * 8 };

static const struct format {
    irr_element_type_e type;
    int precision, least, most; /* exponents of normal numbers */
} formats[] = {{IRR_F64, 53, -1022, 1023},
               {IRR_F32, 24, -126, 127},
               {IRR_F16, 11, -14, 15},
               {IRR_BF16, 8, -126, 127}};
enum { FORMATS = sizeof formats / sizeof *formats };

static char data[ROOM], output[ROOM];
static uint64_t first_seed = 1;
static double seconds = 5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs and compares. Returns how many outputs went to the exact path. */
static uint64_t check(const random_case_t *c, const device_setup_t *wanted,
                      const oracle_answer_t *answer, const char *what) {
    char sentence[DEVICE_TEXT_BYTES], text[RANDOM_CASE_TEXT_BYTES], how[DEVICE_TEXT_BYTES];
    uint64_t fallbacks = 0;
    device_setup_t setup = *wanted;
    setup.mode = "ACCURACY", setup.exact_fallbacks = &fallbacks;
    if (device_run(engine, c, &setup, data, output, sentence) != IRR_OK)
        fail_msg("%s: %s", random_case_text(c, text), sentence);
    size_t k = oracle_first_wrong(answer, output);
    if (k < answer->count)
        fail_msg("%s, %s: %s: output %zu is %#llx, right is %#llx", random_case_text(c, text), what,
                 device_setup_text(&setup, how), k,
                 (unsigned long long)oracle_bits_at(output, c->type, k),
                 (unsigned long long)answer->outputs[k].low);
    return fallbacks;
}

/* Every tier, the reference and the default. Returns the least count of exact outputs of a tier. */
static uint64_t check_all(const random_case_t *c, uint64_t seed, const char *what) {
    static const char *const tiers[] = {"scalar", "avx2", "avx512"};
    static const char *const prefetches[] = {"NO", "YES", "FAR"};
    oracle_problem_t problem = {.op = c->op,
                                .type = c->type,
                                .rank = c->rank,
                                .dims = c->dims,
                                .reduced = c->mask,
                                .identity = c->axis_count == 0,
                                .accuracy = true};
    oracle_answer_t answer;
    assert_true(oracle_solve(&problem, data, &answer));
    uint64_t least = UINT64_MAX;
    for (unsigned t = 0; t < 3; t++) {
        device_setup_t setup = {
            .backend = "simd", .isa = tiers[t], .threads = 1 + (unsigned)(seed + t) % 4};
        setup.prefetch = prefetches[(seed / 4 + t) % 3];
        uint64_t fallbacks = check(c, &setup, &answer, what);
        if (fallbacks < least) least = fallbacks;
    }
    check(c, &(device_setup_t){.backend = "reference"}, &answer, what);
    check(c, &(device_setup_t){.reproducible = "NO", .threads = 2}, &answer, what);
    oracle_release(&answer);
    return least;
}

/* ---- sets made on purpose ---- */

typedef struct maker {
    const struct format *format;
    bool root;
    uint64_t stream;
    size_t n; /* at least 3 */
    double *set;
} maker_t;

/* A random number of full precision, of exponent e. */
static double number(maker_t *m, int e) {
    uint64_t one = UINT64_C(1) << (m->format->precision - 1);
    return ldexp((double)(one + random_below(&m->stream, one)), e - m->format->precision + 1);
}
static int between(maker_t *m, int low, int high) {
    return low + (int)random_below(&m->stream, (uint64_t)(high - low + 1));
}
static double sign(maker_t *m) { return random_below(&m->stream, 2) ? 1 : -1; }
static double least_denormal(const maker_t *m) {
    return ldexp(1, m->format->least - m->format->precision + 1);
}

/* Pairs that cancel from `from` on, and zeros. */
static void cancel(maker_t *m, size_t from, int low, int high) {
    for (; from + 1 < m->n; from += 2) {
        m->set[from] = number(m, between(m, low, high));
        m->set[from + 1] = -m->set[from];
    }
}

/* A number and half a unit of its last place; of roots (3t, 4t), whose root is 5t, one bit more
 * than the format has. */
static void tie(maker_t *m) {
    int p = m->format->precision, e = between(m, -3, 3);
    if (m->root) {
        double all = ldexp(1, p), t = floor(all / 5) + 1;
        t += (double)random_below(&m->stream, (uint64_t)(all / 3 - t));
        if (fmod(t, 2) == 0) t += t + 1 < all / 3 ? 1 : -1;
        if (5 * t < all) t += 2;
        m->set[0] = sign(m) * ldexp(3 * t, e - p), m->set[1] = sign(m) * ldexp(4 * t, e - p);
    } else {
        double s = sign(m);
        m->set[0] = s * number(m, e), m->set[1] = s * ldexp(1, e - p);
        cancel(m, 2, -3, 3);
    }
}
static void nearly_tie(maker_t *m) {
    tie(m);
    if (m->root || m->n % 2) m->set[m->n - 1] = sign(m) * least_denormal(m);
}
static void cancelling(maker_t *m) {
    cancel(m, 0, -6, 6);
    m->set[m->n - 1] = sign(m) * number(m, m->format->least + between(m, 0, 3));
}
static void normal(maker_t *m) {
    for (size_t i = 0; i < m->n; i++) m->set[i] = sign(m) * number(m, between(m, -4, 4));
}
static void one_huge(maker_t *m) {
    normal(m);
    m->set[0] = sign(m) * number(m, m->format->most - between(m, 1, 2));
}
static void alternating(maker_t *m) {
    int high = m->format->most / 3;
    for (size_t i = 0; i < m->n; i++) m->set[i] = sign(m) * number(m, i % 2 ? high : -high);
}
static void overflow(maker_t *m) { /* the greatest number, and about half a last place */
    int p = m->format->precision, most = m->format->most;
    double s = sign(m), greatest = ldexp(ldexp(1, p) - 1, most - p + 1);
    m->set[0] = s * greatest;
    if (m->root) {
        for (size_t i = 1; i < m->n && i < 4; i++) m->set[i] = number(m, most - p / 2 - 1);
        return;
    }
    cancel(m, 2, most - 3, most - 1);
    m->set[1] = s * ldexp(1, most - p);
    if (m->n % 2) m->set[m->n - 1] = between(m, -1, 1) * least_denormal(m);
}
static void denormals(maker_t *m) {
    for (size_t i = 0; i < m->n; i++)
        m->set[i] =
            sign(m) * least_denormal(m) *
            (double)random_below(&m->stream, UINT64_C(1) << between(m, 1, m->format->precision));
}
static void few_denormals(maker_t *m) {
    for (size_t i = 0; i < 3; i++) m->set[i] = sign(m) * least_denormal(m) * between(m, 0, 9);
}

static const struct {
    const char *name;
    void (*make)(maker_t *m);
    bool unsettled; /* no bound can settle it: roots and rounded sums go to the exact path */
} kinds[] = {{"ties", tie, true},
             {"nearly ties", nearly_tie, true},
             {"cancelling", cancelling, 0},
             {"normal", normal, 0},
             {"one huge", one_huge, 0},
             {"alternating", alternating, 0},
             {"overflow", overflow, 0},
             {"denormals", denormals, 0},
             {"few denormals", few_denormals, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put(irr_element_type_e type, size_t at, double x) {
    float single = (float)x;
    uint16_t half = type == IRR_F16 ? irr_f64_to_f16(x) : irr_f64_to_bf16(x);
    if (type == IRR_F64)
        memcpy(data + at * 8, &x, 8);
    else if (type == IRR_F32)
        memcpy(data + at * 4, &single, 4);
    else
        memcpy(data + at * 2, &half, 2);
}

/* Rows, columns or two runs around the outputs; sets in random order. */
static void made_case(random_case_t *c, maker_t *m, size_t kind, unsigned form, size_t outputs) {
    size_t n = m->n, inner = form == 2 ? (n % 3 ? n : n / 3) : 1, outer = n / inner;
    if (form == 0) outer = 1, inner = n;
    *c = (random_case_t){.rank = 3, .axis_count = 2, .axes = {0, 2}, .type = m->format->type};
    c->dims[0] = (int64_t)outer, c->dims[1] = (int64_t)outputs, c->dims[2] = (int64_t)inner;
    random_case_complete(c);
    for (size_t k = 0; k < outputs; k++) {
        for (size_t i = 0; i < n; i++) m->set[i] = 0;
        kinds[kind].make(m);
        for (size_t i = n; i-- > 1;) {
            size_t j = (size_t)random_below(&m->stream, i + 1);
            double swap = m->set[i];
            m->set[i] = m->set[j], m->set[j] = swap;
        }
        for (size_t i = 0; i < n; i++)
            put(c->type, (i / inner * outputs + k) * inner + i % inner, m->set[i]);
    }
}

static void test_made_cases(void **state) {
    (void)state;
    static const size_t sizes[] = {3, 4, 17, 64, 99, 300, 1000, 1026, 6001, 40001};
    static double set[40001];
    double end = now() + 2 * seconds;
    uint64_t exact = 0, outputs_seen = 0, round = 0;
    for (; round == 0 || now() < end; round++)
        for (size_t i = 0; i < IRR_OP_COUNT * FORMATS * KINDS * 3; i++) {
            const irr_op_info_t *op = irr_op_info((irr_op_e)(i % IRR_OP_COUNT));
            size_t kind = i / IRR_OP_COUNT / FORMATS % KINDS;
            uint64_t seed = first_seed + round * 1000003 + i;
            maker_t m = {.format = &formats[i / IRR_OP_COUNT % FORMATS],
                         .root = op->result == IRR_RESULT_ROOT,
                         .stream = seed,
                         .set = set};
            if (!op->term) continue;
            m.n = sizes[random_below(&m.stream, round || kind ? 10 : 9)];
            bool many = seed % 8 == 0; /* columns in blocks */
            size_t outputs = 1 + (size_t)random_below(&m.stream, many ? 1200 : 40);
            while (outputs > 1 && outputs * m.n > MAX_ELEMENTS / (many ? 1 : 4)) outputs /= 2;
            random_case_t c;
            made_case(&c, &m, kind, (unsigned)(i / IRR_OP_COUNT / FORMATS / KINDS), outputs);
            c.op = op->type, c.seed = seed;
            uint64_t fallbacks = check_all(&c, seed, kinds[kind].name);
            /* A bound in f64 still sees the least denormal of f16. */
            bool unsettled = kinds[kind].unsettled && op->result != IRR_RESULT_QUOTIENT &&
                             op->term != IRR_TERM_MAGNITUDE &&
                             !(kinds[kind].make == nearly_tie && c.type == IRR_F16);
            /* But sums that are not rounded in f64: ties then, too. */
            bool tied = kinds[kind].make == tie || m.n % 2 == 0, half = m.format->precision < 24;
            if (unsettled && (m.root || !tied)) assert_int_equal(fallbacks, outputs);
            if (unsettled && !m.root && tied && half) assert_int_equal(fallbacks, 0);
            if (kinds[kind].make == normal && op->result == IRR_RESULT_TOTAL && m.n <= 99)
                assert_int_equal(fallbacks, 0);
            if (kinds[kind].make == normal && m.n > 99 && m.format->precision >= 24)
                assert_true(fallbacks <= 1 + outputs / 2);
            exact += fallbacks, outputs_seen += outputs;
        }
    print_message("%llu rounds of made sets from IRR_TEST_SEED=%llu: %llu outputs, %llu exact\n",
                  (unsigned long long)round, (unsigned long long)first_seed,
                  (unsigned long long)outputs_seen, (unsigned long long)exact);
}

static void test_random_cases(void **state) {
    (void)state;
    double end = now() + seconds;
    uint64_t seed = first_seed, exact = 0, outputs = 0;
    for (; now() < end || seed < first_seed + 100; seed++) {
        random_case_t c;
        const irr_op_info_t *op = irr_op_info((irr_op_e)(seed % IRR_OP_COUNT));
        if (!op->term) continue;
        random_case_make(&c, seed, op->type, formats[seed / IRR_OP_COUNT % FORMATS].type,
                         seed % 5 ? 2048 : MAX_ELEMENTS / 2);
        random_case_fill(&c, data);
        exact += check_all(&c, seed, "random");
        outputs += c.outputs;
    }
    print_message("%llu cases from IRR_TEST_SEED=%llu: %llu outputs, %llu exact\n",
                  (unsigned long long)(seed - first_seed), (unsigned long long)first_seed,
                  (unsigned long long)outputs, (unsigned long long)exact);
}

/* Columns of f64 have bounds in common, which a signalling NaN in one must not make too small for
 * others: of a sum that large numbers left, its last places are wrong without them. */
static void test_signalling_neighbour(void **state) {
    (void)state;
    enum { ROWS = 300, COLUMNS = 64 };
    static const uint64_t signalling = UINT64_C(0x7ff0000000000001);
    random_case_t c = {.op = "ReduceSum", .type = IRR_F64, .rank = 2, .axes = {0}, .axis_count = 1};
    uint64_t stream = first_seed;
    c.dims[0] = ROWS, c.dims[1] = COLUMNS, c.seed = first_seed;
    random_case_complete(&c);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double x = 1 + ldexp((double)random_below(&stream, UINT64_C(1) << 52), -52);
        if (i % 8 == 0 && i / COLUMNS == 0) x = 0x1p60;
        if (i % 8 == 0 && i / COLUMNS == ROWS / 2) x = -0x1p60;
        memcpy(data + i * sizeof x, &x, sizeof x);
    }
    check_all(&c, first_seed, "finite");
    memcpy(data + 2 * ROWS / 3 * COLUMNS * sizeof signalling, &signalling, sizeof signalling);
    check_all(&c, first_seed, "a signalling NaN beside");
}

/* bf16 means of so many elements lie between denormals, nearer to a tie than half of the least f32.
 */
static void test_denormal_means(void **state) {
    (void)state;
    enum { N = MAX_ELEMENTS - 1, MOST = 127 };
    random_case_t c = {
        .op = "ReduceMean", .type = IRR_BF16, .rank = 1, .axes = {0}, .axis_count = 1};
    c.dims[0] = N;
    random_case_complete(&c);
    for (int64_t below = 2; below <= 3; below++) { /* and half: a tie would become 2 or 4 */
        int64_t sum = (N * (2 * below + 1) + (below % 2 ? -1 : 1)) / 2;
        for (size_t i = 0; i < N; i++) {
            uint16_t bits = (uint16_t)(sum < MOST ? sum : MOST);
            sum -= bits;
            memcpy(data + i * sizeof bits, &bits, sizeof bits);
        }
        assert_int_equal(sum, 0);
        check_all(&c, (uint64_t)below, "nearly a tie of denormals");
    }
}

static int set_up(void **state) {
    if (getenv("IRR_TEST_SEED")) first_seed = strtoull(getenv("IRR_TEST_SEED"), NULL, 0);
    if (getenv("IRR_TEST_SECONDS")) seconds = atof(getenv("IRR_TEST_SECONDS"));
    return device_open(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_cases), cmocka_unit_test(test_random_cases),
        cmocka_unit_test(test_signalling_neighbour), cmocka_unit_test(test_denormal_means)};
    return cmocka_run_group_tests(tests, set_up, device_close);
}
