#!/usr/bin/env python3
"""Does each special path pay? Takes one path at a time out of a copy of the sources, builds the
device library without it, compares both builds on the problems that the path is for
(irreduce_bench --compare) and writes docs/paths.md. A path that does not pay goes.

usage: bench/paths.py [--check] [--build DIR] [NAME...]
--check only looks whether every row still finds its line. DIR (default: build) is a Release build
of these sources; DIR/paths keeps what was built and measured, so that NAMEs can be done again one
by one. A path of the kernels takes minutes to build, one of the plan seconds.
SPDX-License-Identifier: Apache-2.0"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name, file, what stands there once, what takes its place, what it is for, problems[, property].
PATHS = [
    ("run at once", "plan/request.c", "if (!request->at_once ||",
     "if (request || !request->at_once ||",
     "a model that is one reduction of the shape it had before: no binding, no steps",
     ["sum f32 [1,3,8] axes [2]", "sum f32 [4,4,4] axes [0,2]"]),
    ("one call", "plan/simd_layout.c", "call.each && l->units == 1", "call.each && l->units == 0",
     "small tensors: one kernel call without the tree's machinery",
     ["sum f32 [1,3,8] axes [2]", "l2 f32 [32,32] axes [0]"]),
    ("a call a unit", "plan/backend_simd.c", "(plan->one_call.each ? run_calls",
     "(!plan ? run_calls",
     "many outputs: units that are one kernel call each go without the tree's machinery",
     ["sum f32 [4,8192] axes [0]", "sum f64 [2000,2] axes [1]"]),
    ("few rows straight", "plan/simd_layout.c", "? straight->run : NULL;", "&& !straight ? straight->run : NULL;",
     "columns of few rows: results straight from elements, no accumulators in memory",
     ["sum bf16 [64,2,4096] axes [1]", "max f32 [1,3,224,224] axes [1]",
      "mean f16 [16,8,1024] axes [1]", "l2 f32 [10,16,1000] axes [1]"]),
    ("few rows of integers straight", "kernel/kernel_table.inc", "{straight_##F##_##fold_type,", "{NULL,",
     "likewise Sum, Min, Max, Prod and L1 of integers",
     ["sum i64 [1000,2,70] axes [1]", "min i64 [2,1690] axes [0]", "l1 i32 [100,5,333] axes [1]",
      "sum u8 [31,3,9152] axes [1]", "prod i32 [33,8,256] axes [1]"]),
    ("sets of one", "plan/simd_plan.c", "if (one) plan->one =",
     "if (one && !plan->kernel) plan->one =",
     "axes of size 1: results straight from elements",
     ["sum f32 [64,1,64] axes [1]", "l2 i8 [4096,1] axes [1]"]),
    ("rows last", "plan/layout.c", "if (layout->segments.total == 1) return;",
     "if (layout->segments.total) return;",
     "windows, statistics over [0,2]: all of a segment are columns until the end",
     ["max f32 [16,7,4,7,2] axes [2,4]", "sum i8 [100,20,5] axes [0,2]"]),
    ("leaves last", "plan/simd_plan.c", "#define MOST_LAST_ROWS 256u",
     "#define MOST_LAST_ROWS IRR_LEAF_STEPS", "likewise blocks of more rows than a leaf",
     ["mean u8 [3785,3,35,3] axes [0,2]", "l2 i64 [64,9,49,5] axes [0,2]",
      "sum f32 [500,6,40,2] axes [0,2]"]),
    ("exact sets halved", "plan/simd_segments.c", "#define MANY_LAST_ROWS 16u",
     "#define MANY_LAST_ROWS 300u", "likewise of exact sums: halves of a set onto one another",
     ["l2 i64 [64,9,49,5] axes [0,2]", "mean u64 [300,3,35,3] axes [0,2]",
      "l2 i32 [300,6,120,4] axes [0,2]"]),
    ("few rows whole", "plan/simd_memory.c", "plan->few_rows = plan->beyond &&",
     "plan->few_rows = !plan->beyond &&",
     "a few rows from memory: one tile of the columns, which reads rows one after the other",
     ["max f32 [5995,2,1251] axes [1]", "mean i8 [14977,2,2003] axes [1]",
      "l2 i16 [7477,2,2003] axes [1]"]),
    ("segments at once", "plan/simd_segments.c", "if (!calls ||", "if (unit || !calls ||",
     "few rows in each of many segments: one kernel call for several",
     ["min f32 [500,4,40] axes [0,2]", "sum f16 [1152,3,34] axes [0,2]"]),
    ("segments of blocks", "plan/layout.c", "if (!calls || !kernel->waits) return 0;",
     "if (calls || !kernel->waits) return 0;",
     "blocks of few segments: one kernel call for several, as they lie",
     ["sum f64 [55,10,3,80] axes [1,3]", "max f16 [178,2,4,1000] axes [1,3]",
      "mean u8 [9999,2,7,12] axes [1,3]"]),
    ("tiles of many segments", "plan/layout.c", "if (segments >= MANY_SEGMENTS &&",
     "if (!segments &&", "columns of many segments: outputs of a few KB more, so that memory is read as it lies",
     ["sum f64 [128,3,6,323] axes [0,2]", "sum f64 [128,5,4,323] axes [0,2]"]),
    ("joined pieces", "plan/layout.c", "if (layout->tile_width < layout->width || piece",
     "if (layout || piece", "short pieces that lie side by side are one unit",
     ["mean bf16 [300,128,3] axes [1]", "l2 f32 [200,2,2,16] axes [1,3]"]),
    ("blocks in one leaf", "plan/simd_layout.c", "info.most_block_rows = brief ?",
     "info.most_block_rows = brief && !plan ?", "narrow columns whose order is free: no tree",
     ["sum i16 [1000,40,6] axes [1]", "min f32 [50,8] axes [0]"]),
    ("long leaves", "plan/simd_layout.c", ": together || plan->fused ? IRR_ROW_LEAVES",
     ": plan || together || plan->fused ? IRR_ROW_LEAVES", "long rows: few calls, or one where order is free",
     ["mean i16 [4,262144] axes [1]", "sum i8 [65537] axes [0]", "sum f32 [131072] axes [0]"]),
    ("one in a lane", "plan/simd_plan.c", "!is_small(op, problem)", "(is_small(op, problem) || op)",
     "small columns and short rows of integers: plain lanes, which hold sums of small elements",
     ["l2 i64 [46504,5] axes [1]", "mean i32 [2816,4,2,4] axes [2]", "l2 i8 [256,64,8] axes [1]",
      "mean u8 [150,110,7] axes [1]", "l2 u8 [300,150,2,2,3] axes [0,2,4]"]),
    ("small tiles", "plan/layout.c", "return (one_pass ?", "return (one_pass && !kernel ?",
     "many outputs of few elements: tiles that leave room for data and outputs",
     ["sum f32 [49626,2,32] axes [1]", "min f32 [1000000,3] axes [1]"]),
    ("asked for by pieces", "plan/simd_memory.c", "plan->asks = config->prefetch ==",
     "plan->asks = !plan && config->prefetch ==", "what lies side by side beyond a last cache, "
     "on Zen 4 (where it was measured): a line of eight of the next 16 KB is asked for",
     ["sum f32 [25557032] axes [0]", "max i16 [32,1000000] axes [1]",
      "sum f32 [500000,49] axes [1]"], "IRREDUCE_PREFETCH=YES"),
    ("rows asked for", "plan/simd_walk.c", "return kernel->accumulator_bytes ==",
     "return !kernel && kernel->accumulator_bytes ==",
     "likewise short rows where the nearest cache can wait for them, on Zen 5: all lines",
     ["min f32 [500000,49] axes [1]", "sum f32 [300000,100] axes [1]",
      "max f64 [69120,80] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("parts of loads asked for", "plan/simd_walk.c", "if (rows < kernel->parts && (rows",
     "if (!kernel && rows < kernel->parts && (rows",
     "likewise shorter rows that are not equal slots of vectors, on Zen 5",
     ["min f32 [545454,11] axes [1]", "sum bf16 [1453240,10] axes [1]",
      "sum i8 [1846153,13] axes [1]", "sum f32 [1000000,6] axes [1]",
      "l2 i16 [1500000,24] axes [1]", "mean i8 [1600000,15] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("blocks asked for", "plan/simd_walk.c", "return rows >= LEAST_ASKED_ROWS &&",
     "return !kernel && rows >= LEAST_ASKED_ROWS &&",
     "likewise small blocks of narrow columns",
     ["sum bf16 [76923,12,13] axes [1]", "min f16 [55555,9,24] axes [1]",
      "sum i8 [38400,25,25] axes [1]", "min f32 [50000,20,6] axes [1]",
      "l2 f64 [33333,30,3] axes [1]", "sum bf16 [81632,49,8] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("wide columns by bands", "kernel/kernel_columns.inc",
     "bands = how & IRR_STEPS_BANDS || (ahead && sizeof(A) > sizeof(E));", "bands = !how;",
     "rows of more than 2 KB, far away: eight at once, each as it lies in memory",
     ["min f32 [2048,2048] axes [0]", "sum bf16 [5000,2000] axes [0]"]),
    ("brief strips", "kernel/kernel_columns.inc", "#define BRIEF_STRIP_BYTES 256",
     "#define BRIEF_STRIP_BYTES 512",
     "columns beyond the nearer caches: strips as narrow as what is fetched behind them",
     ["sum u64 [1024,512] axes [0]", "sum f32 [118,10699] axes [0]",
      "max f32 [640,1168] axes [0]", "max i16 [160,24992] axes [0]",
      "sum f32 [320,6240] axes [0]"]),
    ("widened columns sooner", "kernel/kernel_columns.inc", "(ahead && sizeof(A) > sizeof(E));",
     "(ahead && sizeof(A) < sizeof(E));", "likewise elements that are widened: by bands",
     ["sum f16 [96,44000] axes [0]", "prod bf16 [96,22528] axes [0]",
      "mean f16 [46,38464] axes [0]", "sum f16 [320,12480] axes [0]",
      "sum f16 [96,16000] axes [0]"]),
    ("few streams", "kernel/kernels.h", "#define IRR_STREAMS 24u", "#define IRR_STREAMS 8u",
     "likewise few rows: by strips, straight to results",
     ["sum f32 [9,1333328] axes [0]", "mean f16 [12,666656] axes [0]",
      "max bf16 [162,12,4096] axes [1]", "sum i32 [24,500000] axes [0]"]),
    ("few rows from memory", "plan/simd_layout.c",
     "most = longer ? MOST_STRAIGHT_FAR_ROWS : 0;", "most = 0;",
     "likewise up to seven rows from memory, on Zen 5",
     ["sum f32 [4,4000000] axes [0]", "sum f32 [7,2000000] axes [0]",
      "max f16 [3,10000000] axes [0]", "l2 f64 [6,1300000] axes [0]",
      "mean f32 [64,3,224,224] axes [1]", "mean bf16 [4,7000000] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("results past the caches", "kernel/kernel_straight.inc", "true, c, true, limits",
     "true, c, false, limits", "likewise: no line of the output is read before it is written",
     ["sum f32 [4,4000000] axes [0]", "sum f32 [7,2000000] axes [0]",
      "max f16 [3,10000000] axes [0]", "l2 f64 [6,1300000] axes [0]",
      "mean f32 [64,3,224,224] axes [1]", "mean bf16 [4,7000000] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("tiles of few states", "kernel/kernel_states.inc", "#define OWN_STATE_BYTES 8192",
     "#define OWN_STATE_BYTES (1 << 20)",
     "likewise where lines are called for but a little ahead: those that become wider accumulators in narrower tiles",
     ["sum bf16 [5000,6000] axes [0]", "l2 i32 [2500,7000] axes [0]"], "IRREDUCE_PREFETCH=NO"),
    ("wide columns by strips", "plan/simd_memory.c", "bands = far ||",
     "bands = !far ||", "likewise out of the nearer caches: states stay in registers",
     ["sum f32 [128,1024] axes [0]", "sum f64 [40,512] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("columns as they lie", "plan/simd_memory.c", "plan->beyond ? far || plan->asks :",
     "plan->beyond ? plan->asks :",
     "columns from beyond the caches, on Zen 5: row by row, lines called for 8 KB ahead",
     ["sum f16 [32768,1024] axes [0]", "min f32 [65536,256] axes [0]",
      "l2 i16 [262144,128] axes [0]", "sum f16 [4096,7,1024] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("exact rows as they lie", "kernel/kernel_exact.inc", "LYING_STATE_BYTES : OWN_STATE_BYTES;",
     "LYING_STATE_BYTES : TILE_STATE_BYTES;",
     "likewise exact sums, but not where their states are more than 8 KB",
     ["mean u16 [4096,4096] axes [0]", "mean u8 [4096,8192] axes [0]", "mean i64 [4096,1024] axes [0]",
      "mean u16 [5000,3072] axes [0]", "mean i32 [4096,2048] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("long rows as they lie", "kernel/kernel_tiles.inc", "= whole ? longest :",
     "= whole && !longest ? longest :",
     "likewise of more than 8 KB, to the 24 KB of states that the nearest cache holds beside them",
     ["l2 f32 [4096,4096] axes [0]", "min f32 [8000,3500] axes [0]", "l2 f64 [8000,1500] axes [0]",
      "min+max f32 [8192,2048] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("rows by four vectors", "kernel/kernel_tiles.inc", "if (!(calls & IRR_STEPS_CALL) &&",
     "if (!calls &&", "likewise: four vectors at a time, not one",
     ["min f32 [8192,2048] axes [0]", "max f64 [8000,1000] axes [0]", "sum bf16 [8192,4096] axes [0]",
      "min+max f32 [8192,2048] axes [0]", "l2 f32 [8192,2048] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("bands as they lie", "kernel/kernel_tiles.inc", "(how) & IRR_STEPS_FAR && S##_bare()",
     "(how) & 0 && S##_bare()",
     "likewise long rows, one instruction for each line: eight at once, no line called for",
     ["sum f32 [4096,4096] axes [0]", "sum f64 [5000,2000] axes [0]", "sum i32 [5000,4000] axes [0]",
      "sum f32 [1024,16384] axes [0]", "min i32 [3500,4800] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("rests of bands", "kernel/kernel_tiles.inc", "    if (rows - n >= some) {",
     "    while (some == 1 && n < rows) {", "likewise fewer than eight rows: four, two and one at once",
     ["sum f32 [12,1300000] axes [0]", "sum i32 [5,2000000] axes [0]",
      "max i16 [6,4000000] axes [0]", "sum f64 [13,300000] axes [0]",
      "min i32 [20,500000] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("near columns as they lie", "plan/simd_memory.c", "(second || alone) &&", "alone &&",
     "out of the second cache, on Zen 5: long rows, one by one in the order of memory",
     ["sum f32 [1,7,7,2048] axes [1,2]", "l2 f32 [128,768] axes [0]", "min f64 [128,800] axes [0]",
      "max u8 [49,8192] axes [0]", "sum f32 [200,1000] axes [0]", "l2 i64 [49,1024] axes [0]"],
     "IRREDUCE_PREFETCH=FAR"),
    ("columns out of the last cache as they lie", "plan/simd_memory.c", "(second || alone) &&",
     "second &&", "likewise out of the last one, by one thread, up to 10 MB",
     ["sum f32 [2000,640] axes [0]", "mean f32 [4,55,2720] axes [1]",
      "sum i64 [1024,512] axes [0]", "min f32 [493,2000] axes [0]", "prod u8 [1403,3278] axes [0]",
      "max f64 [300,1000] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("near columns by four", "kernel/kernel_tiles.inc", ": IN_QUADS(S, E, A) ||", ": (VEC_SIZE == 0) ||",
     "near columns of f16 and bf16, on Zen 5: four rows at once in the order of memory",
     ["sum bf16 [1024,512] axes [0]", "sum f16 [4,256,1024] axes [1]",
      "l2 bf16 [2130,704] axes [0]", "mean f16 [10,7200] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("blocks by four", "kernel/kernel_body.inc", "OF_QUADS(E, A) ? 16 : 0)", "0)",
     "likewise blocks of 16 rows and more, one by one",
     ["sum f16 [32,30,1024] axes [1]", "sum bf16 [64,16,2048] axes [1]",
      "l1 f16 [40,20,3000] axes [1]", "l2 bf16 [20,32,1000] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("near tiles of whole rows", "kernel/kernel_tiles.inc",
     "first && width <= longest &&", "first && beyond && width <= longest &&",
     "likewise rows of 8 to 16 KB: not in two parts",
     ["sum f32 [32,4096] axes [0]", "l2 f32 [43,3000] axes [0]", "min f32 [32,4096] axes [0]",
      "sum i32 [43,3000] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("whole rows in registers", "kernel/kernel_whole.inc", "how & IRR_STEPS_FAR &&", "how & 0 &&",
     "out of the caches, on Zen 5: columns whose rows are up to three times as wide as strips",
     ["sum f32 [538,190] axes [0]", "min i32 [300,350] axes [0]", "l2 f32 [4,196,384] axes [1]",
      "max f64 [2000,120] axes [0]", "sum i8 [8000,600] axes [0]", "min f16 [500,300] axes [0]"],
     "IRREDUCE_PREFETCH=FAR"),
    ("short rows in order", "kernel/kernel_states.inc",
     "#define VEC_LOAD_FIRST(x) VEC_LOAD_ONCE(x)", "#define VEC_LOAD_FIRST(x) ((void)(x))",
     "rows of up to four steps: all of a row is loaded, in the order of memory, before anything is done",
     ["sum f32 [2000,64] axes [1]", "sum f32 [2000,80] axes [1]", "prod f32 [1000,40] axes [1]",
      "sum f32 [1,2048,7,7] axes [2,3]"]),
    ("short rows by loads", "kernel/kernel_short.inc", "NEVER_INLINE void name##_short_##states(",
     "ALWAYS_INLINE void name##_short_##states(",
     "likewise: a function for each number of loads",
     ["sum u8 [1000,70] axes [1]", "sum f32 [1000,12] axes [1]", "sum i32 [1000,100] axes [1]",
      "min f32 [1000,64] axes [1]"]),
    ("short rows in few places", "kernel/kernel_body.inc", '#define KEEP_LOOP _Pragma("GCC unroll 1")',
     "#define KEEP_LOOP", "likewise: few instructions that load, which prefetchers can follow",
     ["sum f32 [4096,32] axes [1]", "sum i32 [2700,48] axes [1]", "max u16 [4000,64] axes [1]",
      "sum u8 [4000,128] axes [1]"]),
    ("short rows one by one", "kernel/kernel_short.inc", "states >= (sizeof(L) < 8 ? 8 : 5)",
     "states >= 99", "likewise, of many loads",
     ["sum f32 [1024,128] axes [1]", "max f32 [500,250] axes [1]", "sum i64 [1,2048,7,7] axes [2,3]",
      "min i8 [600,900] axes [1]"]),
    ("tiles of one plane", "kernel/kernel_order.inc",
     "DEFINE_TILED_COLUMNS(name, name, int##bits##_t, int##bits##_t, load, S, BRIEF, BRIEF)",
     "DEFINE_COLUMNS(name, name, int##bits##_t, int##bits##_t, load, S)",
     "wide columns of Min and Max of f32 and f64: no plane for NaNs, which are seen by two vectors",
     ["min f32 [4096,4096] axes [0]", "max f64 [2048,4096] axes [0]",
      "min f32 [1,7,7,2048] axes [1,2]"], "IRREDUCE_PREFETCH=FAR"),
    ("trees of columns", "plan/simd_layout.c", "return far ? strip : strip + strip / 2;", "return 0;",
     "narrow columns of floats: eight leaves in one call, whose tree stays in registers",
     ["sum f32 [1,12,197,64] axes [2]", "sum f32 [88,40] axes [0]", "l2 bf16 [4096,64] axes [0]",
      "mean f64 [300,70] axes [0]", "sum f32 [500000,16] axes [0]",
      "sum+l2+min+max f32 [3000,64] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("loads in order", "../cmake/isa.cmake", "list(APPEND IRR_ISA_avx512 -fno-schedule-insns2)", "",
     "gcc's last shuffle of instructions, which prefetchers do not follow: left out",
     ["sum f32 [1000,100] axes [0]", "max i32 [500,176] axes [0]", "sum u32 [500,160] axes [0]",
      "l2 f32 [128,768] axes [0]"]),
    ("short rows of columns as they lie", "kernel/kernel_states.inc", "#define LYING_STATE_BYTES 2048",
     "#define LYING_STATE_BYTES 0", "likewise on Zen 4: to the second cache, 16 KB ahead",
     ["sum f32 [65536,256] axes [0]", "sum i16 [40000,512] axes [0]",
      "sum f32 [60000,150] axes [0]", "min i16 [12207,983] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("rests called for", "kernel/kernel_tiles.inc", "if (calls) call_lying(p + k, calls);",
     "if (calls && k > width) call_lying(p + k, calls);", "likewise the last, partial vectors of rows",
     ["sum f32 [60000,150] axes [0]", "sum i8 [60000,600] axes [0]", "sum f64 [45000,100] axes [0]"],
     "IRREDUCE_PREFETCH=YES"),
    ("two rows as they lie", "kernel/kernel_exact.inc", "pair = rows < 2 ? 1 : 2;", "pair = 1;",
     "likewise exact sums, whose states are several vectors: loaded and stored once for two rows",
     ["l2 u8 [100000,350] axes [0]", "l2 i32 [60000,100] axes [0]",
      "mean i32 [60000,120] axes [0]", "l2 u16 [120000,190] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("squares as they lie", "kernel/kernel_exact.inc", "wide = how & IRR_STEPS_OUT &&",
     "wide = how & 0 &&", "likewise squares of 32 bits and more, up to 16 KB of states",
     ["l2 i32 [130859,256] axes [0]", "l2 i32 [102446,327] axes [0]",
      "l2 i32 [65429,512] axes [0]", "l2 i64 [102446,163] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("cold rows called for near by", "plan/simd_memory.c", "(cold ? IRR_STEPS_COLD",
     "(cold && !plan ? IRR_STEPS_COLD",
     "likewise rows of one instruction a line where no cache holds any: 2 KB ahead",
     ["sum i32 [130859,256] axes [0]", "sum f32 [87239,384] axes [0]",
      "sum i32 [65429,512] axes [0]", "min f32 [65429,512] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("bands by strips", "kernel/kernel_columns.inc", "if (wide && calls &&",
     "if (wide && !how && calls &&",
     "longer rows: four vectors of eight at a time, lines called to the second cache",
     ["sum f32 [4096,4096] axes [0]", "min u16 [4096,4096] axes [0]",
      "sum f32 [10000,2000] axes [0]", "min bf16 [20000,1500] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("strips called for further ahead", "kernel/kernel_columns.inc",
     "state_bytes <= TILE_STATE_BYTES ? 4 : 1", "state_bytes <= TILE_STATE_BYTES ? 1 : 1",
     "likewise where states fit into the nearest cache: 4 KB ahead instead of 1",
     ["sum f32 [8192,2048] axes [0]", "min f64 [2393,940] axes [0]", "mean f16 [6131,1957] axes [0]",
      "min bf16 [11049,1810] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("few long rows", "plan/layout.c", "bool long_rows = kernel->calls &&",
     "bool long_rows = !layout && kernel->calls &&",
     "likewise columns of up to eight rows, 12 KB and more: narrow tiles, the lines beside called for",
     ["sum f32 [6,1000000] axes [0]", "min f64 [400,3,5000] axes [1]",
      "max f16 [100,5,30000] axes [1]", "mean i32 [6,2000000] axes [0]",
      "min f32 [8,1500000] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("blocks called for", "kernel/kernel_columns.inc", "if (how & IRR_STEPS_BLOCK && calls)",
     "if (!how && calls)",
     "likewise blocks of a few rows: lines of the next ones, 32 KB ahead",
     ["min f32 [5410,10,171] axes [1]", "sum i64 [1050,12,206] axes [1]",
      "max f16 [6644,2,1000] axes [1]", "sum u8 [1235,12,1266] axes [1]"], "IRREDUCE_PREFETCH=YES"),
    ("long columns sooner", "plan/simd_memory.c", ">= LONG_COLUMNS_BYTES)", ">= 1 << 30)",
     "these two ways from 15 MB on, of elements that take long from 10 MB on, not from 20 MB",
     ["sum bf16 [13000,650] axes [0]", "l2 u8 [14413,1110] axes [0]", "l1 f16 [6032,1386] axes [0]",
      "min i32 [1813,13,207] axes [1]"], "IRREDUCE_PREFETCH=YES"),
    ("whole rows of columns", "plan/layout.c", "if (kernel->whole_rows && steps &&",
     "if (!layout && kernel->whole_rows && steps &&", "tiles of them are up to 64 KB wide",
     ["sum f32 [4000,10000] axes [0]", "min f32 [4000,16384] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("groups of few rows", "plan/layout.c",
     "kernel->exact ? layout->rows / 4 : SIZE_MAX",
     "SIZE_MAX", "exact sums of few narrow columns: fewer lanes to fold",
     ["mean i8 [64,120,3] axes [1]", "l2 i8 [200,3] axes [0]"]),
    ("last rows as columns", "plan/simd_segments.c", "bool block = last &&",
     "bool block = !all && last &&",
     "rows left to the end that fill a line: by the kernel of whose elements they are",
     ["sum f32 [183,13,3,29] axes [1,3]", "min f64 [6,13,2,29] axes [1,3]"]),
    ("last rows as rows", "plan/simd_segments.c", "bool free = last &&", "bool free = !all && last &&",
     "sets of one column left to the end, whose order is free: short rows",
     ["min i16 [200,8,4,13] axes [1,3]", "max u8 [40,30,6,20] axes [1,3]"]),
    ("last rows at once", "plan/simd_segments.c", "if (last && (rows >",
     "if (!all && last && (rows >",
     "small sets of rows left to the end: one pass over all columns",
     ["sum f32 [128,1,4,5,13] axes [1,2,4]", "sum f16 [64,8,4,7] axes [1,3]"]),
    ("ranks closed by fours", "plan/simd_segments.c", "for (; count > 4;",
     "for (; count > SIZE_MAX - 1;",
     "what is left of windows",
     ["sum f32 [32,56,2,56,2] axes [2,4]", "max u8 [4,4,1000,2] axes [1,3]"]),
    ("rows by AVX2", "plan/simd_memory.c", "bool sooner = config->prefetch ==",
     "bool sooner = config->tier > IRR_TIER_AVX512 && config->prefetch ==",
     "rows beyond the near caches, under AVX-512, on Zen 4 (where it was measured): loads of 32 bytes",
     ["max f32 [3000,1000] axes [1]", "sum f32 [32768,1024] axes [1]"], "IRREDUCE_PREFETCH=YES"),
    ("siblings", "plan/simd_join.c", "return irr_simd_bytes(&a->problem) > LEAST_JOINED_BYTES &&",
     "return !a && irr_simd_bytes(&a->problem) > LEAST_JOINED_BYTES &&", "layers that read one tensor: one pass",
     ["sum+l2 f32 [4096,4096] axes [1]", "sum+l2+l1+min+max f32 [4096,1024] axes [0]"]),
    ("fused kernels", "plan/simd_join.c", "while (fuse && fuse_some(plans, count)) continue;",
     "if (!count) fuse_some(plans, count);", "siblings: one load for several folds",
     ["sum+l2 f32 [4096,4096] axes [1]", "min+max f16 [4096,4096] axes [0]"]),
    ("exact siblings", "plan/simd_join.c", "irr_simd_take(plan, exact ? op",
     "irr_simd_take(plan, exact && !count ? op", "Sum, or Mean of small sets, beside L2 of integers: one load",
     ["sum+l2 i8 [8192,8192] axes [0]", "sum+l2 i32 [4096,4096] axes [1]"]),
    ("free leaves", "plan/simd_layout.c", "info.column_leaves = one ?",
     "info.column_leaves = one || !plan->kernel->exact ?",
     "columns whose order is free: eight leaves in one call",
     ["min f64 [10000,20] axes [0]", "max i8 [3000,300] axes [0]"]),
    ("lines of rows", "plan/simd_memory.c", "config->prefetch != IRR_PREFETCH_LAGS",
     "config->prefetch == IRR_PREFETCH_FAR",
     "rows beyond the near caches: lines of 8 KB ahead called for, step by step",
     ["sum f16 [32768,4096] axes [1]", "l2 i32 [8192,4096] axes [1]",
      "l2 f32 [8192,4096] axes [1]", "sum f32 [8192,4096] axes [1]"], "IRREDUCE_PREFETCH=NO"),
    ("lines of rows, FAR", "plan/simd_memory.c", "config->prefetch != IRR_PREFETCH_LAGS",
     "config->prefetch == IRR_PREFETCH_SOUND", "likewise on Zen 5",
     ["l2 u8 [9000,6000] axes [1]", "sum f16 [20000,1000] axes [1]", "mean i32 [3000,700] axes [1]",
      "sum f32 [2000,1024] axes [1]"], "IRREDUCE_PREFETCH=FAR"),
    ("lines of bands", "plan/simd_memory.c", "(calls && called ? IRR_STEPS_AHEAD : 0)",
     "(calls && called && !plan ? IRR_STEPS_AHEAD : 0)",
     "likewise wide columns, in bands: lines of 512 bytes ahead in each row",
     ["sum f16 [80000,1024] axes [0]", "l2 i16 [16384,4096] axes [0]",
      "min f32 [8192,4096] axes [0]", "sum f32 [8192,4096] axes [0]"], "IRREDUCE_PREFETCH=NO"),
    ("lines of strips", "kernel/kernel_states.inc",
     "((how) & IRR_STEPS_AHEAD && (how) & IRR_STEPS_BEYOND ?", "((how) == ~0u ?",
     "likewise columns under ACCURACY, in strips: those of the next ones",
     ["sum f32 [64,256,3136] axes [1]", "l2 f64 [8192,2048] axes [0]"],
     "EXECUTION_MODE_HINT=ACCURACY"),
    ("small accurate sets", "plan/simd_plan.c", "goes_by_words(problem)) return",
     "(goes_by_words(problem) || op)) return",
     "small sets under ACCURACY: in f64 as others are in f32, in the hope that no sum is rounded",
     ["mean f16 [300,1111,3] axes [2]", "sum f32 [300,1111,3] axes [2]",
      "sum bf16 [666,5,300] axes [1]", "mean f32 [2000,49] axes [1]",
      "mean f32 [6,12,10,24] axes [1]", "l1 bf16 [5882,17] axes [1]", "sum f32 [400,200] axes [1]"],
     "EXECUTION_MODE_HINT=ACCURACY"),
    ("four of bf16 in f32", "kernel/kernel_narrow.inc", "HAS_FOUR(up) ((up) == 29)",
     "HAS_FOUR(up) ((up) == 1)", "rows of bf16 under ACCURACY: four elements are added in f32 first",
     ["sum bf16 [4096,1024] axes [1]", "mean bf16 [4096,768] axes [1]",
      "l1 bf16 [500,1000] axes [1]"],
     "EXECUTION_MODE_HINT=ACCURACY"),
    ("accurate columns in blocks", "kernel/kernel_narrow.inc", "blocks = HAS_WORDS &&",
     "blocks = !HAS_WORDS &&", "columns under ACCURACY: sums in the nearest cache, some rows at once",
     ["sum f32 [16384,1024] axes [0]", "sum f32 [256,256] axes [0]",
      "mean bf16 [4096,8192] axes [0]", "sum f32 [24,500000] axes [0]"],
     "EXECUTION_MODE_HINT=ACCURACY"),
    ("accurate columns of f64 in blocks", "kernel/kernel_accurate.inc", "blocks = VL > 1 &&",
     "blocks = VL < 1 &&", "likewise of f64: two vectors of sums for each of columns",
     ["sum f64 [8192,1024] axes [0]", "l1 f64 [4096,1024] axes [0]", "mean f64 [500,300] axes [0]",
      "l2 f64 [20000,300] axes [0]", "sum f64 [24,200000] axes [0]"],
     "EXECUTION_MODE_HINT=ACCURACY"),
    ("f16 by words", "kernel/kernel_narrow.inc", "_ROWS_BY_WORDS = name##_BY_WORDS && up == 26",
     "_ROWS_BY_WORDS = name##_BY_WORDS && up == 0", "f16 under ACCURACY: to f64 by integer operations",
     ["sum f16 [4096,1024] axes [1]", "l1 f16 [1000,300] axes [1]",
      "mean f16 [8,512,7,7] axes [2,3]"], "EXECUTION_MODE_HINT=ACCURACY"),
    ("lines further ahead", "plan/simd_memory.c", "(far && vectors && large ?",
     "(far && !plan && large ?",
     "columns beyond 10 MB, on Zen 5: lines of 1 KB ahead, where much is to do for each",
     ["l2 i64 [4096,4096] axes [0]", "l2 i16 [5000,7000] axes [0]", "l2 i32 [3000,5000] axes [0]",
      "sum f16 [4096,8192] axes [0]", "l2 f16 [1536,8192] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("bands that do not ask", "kernel/kernel_tiles.inc", "width - k, d, no_calls);",
     "width - k, d, (calls_t){how == 0, 0, 0});",
     "likewise where little is: none is called for, nor asked after",
     ["sum i32 [4096,4096] axes [0]", "sum i64 [4096,4096] axes [0]",
      "max f32 [4096,4096] axes [0]", "l2 f64 [4096,4096] axes [0]"], "IRREDUCE_PREFETCH=FAR"),
    ("exact blocks of few states", "kernel/kernel_exact.inc", "sizeof(S##_t) <= 4 * VEC_SIZE",
     "sizeof(S##_t) == 0",
     "exact sums of wide columns, on Zen 5: as many as the nearest cache holds beside lines",
     ["l2 u8 [600,16384] axes [0]", "l2 u16 [600,8192] axes [0]", "mean u8 [600,16384] axes [0]"],
     "IRREDUCE_PREFETCH=FAR"),
    ("exact columns called for", "kernel/kernel_exact.inc", "second ? to : 0", "second && !to",
     "likewise on Zen 4: 2 KB ahead, to the second cache",
     ["l2 u16 [5000,3000] axes [0]", "l2 i8 [8000,4000] axes [0]"], "IRREDUCE_PREFETCH=YES"),
    ("VNNI", "kernel/kernels.c", "irr_cpu_has_vnni()) return",
     "irr_cpu_has_vnni() && !table) return", "exact sums of 8 and 16 bits",
     ["l2 i8 [1000,1000] axes [1]", "l2 u8 [300,1000] axes [0]"]),
    ("rows in slots", "kernel/kernel_short.inc", "if (MOST > 0 && bytes <=",
     "if (MOST > 0 && !count && bytes <=",
     "rows of half a vector or less: several in each",
     ["sum f32 [4096,3] axes [1]", "max i8 [1000,5] axes [1]"]),
    ("exact rows in slots", "kernel/kernel_exact_rows.inc", "length > 1 && bytes <= MOST)",
     "length > 1 && !count && bytes <= MOST)", "likewise of exact sums",
     ["l2 i8 [1000,7] axes [1]", "mean i16 [2000,9] axes [1]"]),
    ("short exact rows", "kernel/kernel_exact_rows.inc", "!S##_IS_SWIFT ? 8 :", "!S##_IS_SWIFT ? 0 :",
     "likewise longer ones, of up to eight vectors: a constant number of loads",
     ["mean i8 [2048,196] axes [1]", "l2 u8 [1000,300] axes [1]", "mean i16 [1000,200] axes [1]",
      "mean i32 [1000,49] axes [1]"]),
    ("rows in slots by AVX2", "kernel/vec_avx2.h",
     "(sizeof(E) == sizeof(L) && sizeof(L) < 8 ? 16 : 0)", "0",
     "likewise, of 16 bytes or less", ["max u16 [10000,2] axes [1]", "min i32 [10000,2] axes [1]"],
     "IRREDUCE_ISA=avx2"),
    ("rests by a call", "kernel/vec_avx2.h", "#define VEC_REST(load) load##_rest",
     "#define VEC_REST(load) load##_n", "rows of bytes and words: their end in one place",
     ["sum u8 [1000,333] axes [1]", "min f16 [1000,500] axes [1]"], "IRREDUCE_ISA=avx2"),
    ("little rests", "kernel/vec_avx512.h", "#define VEC_LITTLE_BYTES 16",
     "#define VEC_LITTLE_BYTES 0", "short rows whose rest is 16 bytes or less: a load as small",
     ["sum f32 [1,2048,7,7] axes [2,3]", "l1 f32 [4096,35] axes [1]"]),
    ("short rows", "kernel/kernel_body.inc", "if (G > 1 && count >= G && length <= name##_SHORT",
     "if (G > 1 && !out && count >= G && length <= name##_SHORT",
     "rows of four steps or less: as many at a time as a vector has lanes",
     ["sum f32 [128,49] axes [1]", "max bf16 [1000,49] axes [1]"]),
    ("short Min and Max", "kernel/kernel_table.inc", "keys_##F##_##T, brief_##F##_##T, keys_##F##_##T,",
     "keys_##F##_##T, keys_##F##_##T, keys_##F##_##T,",
     "short rows of floats: one plane, and a doubt that has seen NaNs",
     ["max f32 [1000,49] axes [1]", "min f64 [1000,20] axes [1]"]),
    ("short rows of steps", "kernel/kernel_body.inc", "VEC_REGISTERS < 32 || !K##_IN_LANES ? 1", "1 ? 1",
     "likewise rows of more than one step",
     ["max f32 [1536,128] axes [1]", "sum f32 [1276,77] axes [1]", "min f64 [1,2048,7,7] axes [2,3]",
      "mean bf16 [983,100] axes [1]", "max bf16 [1000,197] axes [1]"]),
    ("Min and Max by vrange", "kernel/vec_avx512.h", "#define VEC_ORDER_32 RANGE",
     "#define VEC_ORDER_32 KEY",
     "floats of 32 bits: an instruction that knows -0 < +0, NaNs apart",
     ["max f32 [100,56,12] axes [1]", "min f32 [128,1024] axes [1]"]),
    ("Min and Max in planes", "kernel/vec_avx512.h", "#define VEC_ORDER_16 TURNED",
     "#define VEC_ORDER_16 KEY",
     "floats of 16 bits: as integers, whose sign is looked at once",
     ["min bf16 [128,1024] axes [1]", "min f16 [100,56,12] axes [1]"]),
    ("Min and Max of doubles", "kernel/vec_avx2.h", "#define VEC_ORDER_64 EITHER",
     "#define VEC_ORDER_64 KEY",
     "floats of 64 bits by AVX2: as floats, in both orders",
     ["min f64 [50,1000] axes [1]", "max f64 [50,1000] axes [0]"], "IRREDUCE_ISA=avx2"),
    ("lanes one by one", "kernel/kernel_lanes.inc", "name##_halved_rows(out, row, count, length)",
     "(length > SIZE_MAX - 1 && name##_halved_rows(out, row, count, length))",
     "rows of the scalar tier: depth first, as few lanes as there are elements",
     ["sum f32 [2048,49] axes [1]", "sum f64 [1,2048,7,7] axes [2,3]"], "IRREDUCE_ISA=scalar"),
    ("plain columns", "kernel/kernel_exact.inc", "if (ONE_LANE) { ", "if (ONE_LANE && !rows) { ",
     "wide sums of columns in the scalar tier: loops that compilers make vectors of",
     ["l2 i32 [1024,512] axes [0]", "mean i8 [4096,4096] axes [0]", "mean i64 [1000,500] axes [0]"],
     "IRREDUCE_ISA=scalar"),
    ("one state", "kernel/kernel_body.inc", "? IN_ONE_STATE(S, L) ?", "? sizeof(L) < 1 ?", "small elements, Min and Max of f32: rows of the scalar tier have no states to fill first",
     ["sum i8 [1,2048,7,7] axes [2,3]", "and boolean [1,12,128,128] axes [3]",
      "min f32 [1,2048,7,7] axes [2,3]"], "IRREDUCE_ISA=scalar"),
    ("two lines a pass", "kernel/kernel_body.inc", "PASS = ONE_LANE &&", "PASS = 0 &&",
     "likewise of floats: of a step, what prefetchers still take for a row",
     ["sum f32 [4096,4096] axes [1]", "l2 f64 [25557032] axes [0]", "sum f32 [128,768] axes [1]"],
     "IRREDUCE_ISA=scalar"),
    ("pairs loaded once", "kernel/vec_types.h", "        VEC_LOAD_ONCE(*both);\n", "",
     "rows of bf16: the even and the odd elements of a load",
     ["sum bf16 [300,1000] axes [1]", "l1 bf16 [300,1000] axes [1]"]),
    ("bf16 by pairs", "kernel/kernel_table.inc", "#ifdef VEC_BYTES\nstatic inline v_u32 load_pairs(",
     "#ifdef NOT_BY_PAIRS\nstatic inline v_u32 load_pairs(", "columns of bf16: two to a lane",
     ["sum bf16 [1000,256] axes [0]", "mean bf16 [32,56,64] axes [1]"]),
    ("four rows unrolled", "kernel/kernel_body.inc", '#define UNROLL_4 _Pragma("GCC unroll 4")',
     "#define UNROLL_4", "short rows, by gcc", ["sum f32 [1000,63] axes [1]"]),
    ("passes that share", "kernel/kernel_body.inc", "((pass) == 0 &&", "((pass) != 0 &&",
     "rows that take several passes: the first calls for all lines",
     ["sum+l2 f32 [4096,4096] axes [1]", "sum+l1+l2+min+max f32 [4096,4096] axes [1]"],
     "IRREDUCE_ISA=avx2"),
    ("few states", "kernel/kernel_body.inc", "name##_NS = leaf_steps == IRR_LEAF_STEPS ||",
     "name##_NS = leaf_steps > 0 ||", "where order is free, no more than AVX2's registers hold",
     ["max f32 [300,300] axes [1]", "min+max f32 [4096,4096] axes [1]"], "IRREDUCE_ISA=avx2"),
    ("small numbers", "kernel/kernel_planes.inc", "S##_IS_SWIFT = 1, S##_BUSY",
     "S##_IS_SWIFT = 0, S##_BUSY",
     "squares of 32 and 64 bits: eight vectors at once where all are small",
     ["l2 i32 [100,1000] axes [1]", "l2 u32 [300,1000] axes [0]"]),
    ("rows of small numbers", "kernel/kernel_exact_rows.inc", "bool small = S##_IS_SWIFT &&",
     "bool small = !count && S##_IS_SWIFT &&", "likewise rows of 64 vectors or less",
     ["l2 i32 [300,49] axes [1]", "l2 i32 [300,100] axes [1]"]),
    ("plain products", "plan/simd_plan.c", "return op->flags && !flags_tell()",
     "return op->flags && (path == IRR_PATH_SHORT || !flags_tell())",
     "products of floats: as if they were sums, while they stay in the range",
     ["prod f32 [2816,4,2,4] axes [2]", "prod f16 [65536,3,3] axes [1]", "prod f32 [12,32] axes [0,1]"]),
    ("short sums", "plan/simd_plan.c", "problem->geometry.set_size > op->most",
     "(path == IRR_PATH_SHORT || problem->geometry.set_size > op->most)",
     "means of 8 and 16 bits in 32 bits, where sets are small: accumulators, quotients",
     ["mean i8 [1280,49] axes [1]", "mean u16 [1000,60] axes [1]"]),
    ("few columns", "kernel/kernel_columns.inc", "if (S##_ROOM >= IRR_LEAF_STEPS && width <= name##_VL) {",
     "if (S##_DOUBTS == 1 && !count && width <= name##_VL) {",
     "small blocks: four at once, by loads as small as a row",
     ["sum f32 [1000,5,7] axes [1]", "min i16 [992,30,3] axes [1]"]),
    ("grouped rows", "plan/simd_layout.c", "if (alone && grouped &&",
     "if (alone && grouped && !kernel &&",
     "small blocks of few columns, several rows a step: one call for all, states in registers",
     ["sum f32 [256,64,8] axes [1]", "mean f16 [4,3,73,3] axes [2]"]),
    ("grouped rows in any order", "plan/simd_layout.c", "if (brief && !plan->hopes &&",
     "if (brief && !plan &&", "likewise Min, Max and sums of integers, blocks of 32 or 64 rows and more",
     ["min f32 [1342,177,2] axes [1]", "min bf16 [17,60,139,2] axes [0,2]",
      "sum u8 [900,90,3] axes [1]"]),
    ("narrow exact columns", "kernel/kernel_exact.inc", "return rows && (few ||",
     "return !rows && (few ||",
     "exact sums of few columns: no block of states",
     ["l2 u8 [3000,100] axes [0]", "l2 i16 [400,64] axes [0]"]),
    ("narrow exact columns at once", "kernel/kernel_exact.inc",
     "name##_FIT + !name##_FIT : EXACT_NARROW", "1 : 1",
     "likewise several vectors of a row at a time, so that memory is read as it lies",
     ["mean i8 [2786,87,165] axes [1]", "l2 i32 [712,270,52] axes [1]"]),
    ("rows by lines", "kernel/kernel_body.inc", "#define LONG_ROW_BYTES 512",
     "#define LONG_ROW_BYTES 4096",
     "rows of half a KB or more whose order is free: vectors begin where lines do",
     ["min f32 [200,767] axes [1]", "max i8 [400,777] axes [1]"]),
    ("steps of lines", "kernel/vec_avx512.h", "#define VEC_SHIFTS", "#define NO_SHIFTS",
     "rows of f32 and f64 that begin within a line: vectors are made of two lines, each loaded once",
     ["sum f32 [100,1999] axes [1]", "sum f64 [200,385] axes [1]"]),
    ("columns of lines", "plan/simd_memory.c", ": calls && second;",
     ": !vectors && second;",
     "near columns whose vectors lie across lines: made of lines, eight rows at once",
     ["sum f32 [200,903] axes [0]", "max i32 [333,777] axes [0]", "sum f64 [40,1003] axes [0]",
      "l2 f32 [64,1000] axes [0]", "min f32 [33,77,129] axes [1]"]),
    ("bands across lines", "kernel/kernel_columns.inc", "(sizeof(E) * (VL) == VEC_SIZE &&",
     "(MAKES_LINES(E, VL) &&",
     "likewise columns that cannot be made of lines: these are called for, half a KB ahead",
     ["max i16 [300,2001] axes [0]", "sum u8 [300,2001] axes [0]", "min f16 [300,1501] axes [0]",
      "sum bf16 [300,1501] axes [0]", "max i8 [200,903] axes [0]"]),
    ("few rows across lines", "kernel/kernel_straight.inc", "across = how & IRR_STEPS_LINES &&",
     "across = how & 0 &&",
     "likewise few rows, straight to results: lines of the next strip, or block",
     ["sum f32 [16,1777] axes [0]", "max f64 [10,1501] axes [0]", "sum f32 [50,25,333] axes [1]",
      "min f16 [12,3001] axes [0]", "sum f32 [4,10001] axes [0]"]),
    ("blocks across lines", "plan/layout.c", "return kernel->bands &&",
     "return 0 && kernel->bands &&",
     "likewise integers in blocks of 16 KB and more, which otherwise go by strips",
     ["sum i32 [16,1777] axes [0]", "prod i32 [16,1777] axes [0]", "max i16 [16,3001] axes [0]",
      "sum i32 [50,25,333] axes [1]"]),
    ("exact columns across lines", "kernel/kernel_exact.inc", "WHOLE_LINES && how & IRR_STEPS_LINES &&",
     "WHOLE_LINES && how & 0 &&",
     "likewise exact sums, in bands",
     ["mean i32 [300,777] axes [0]", "l2 i16 [300,1501] axes [0]", "l2 i64 [300,501] axes [0]"]),
    ("exact columns across lines, FAR", "plan/simd_memory.c",
     "far ? vectors && plan->kernel->exact &&", "far ? !vectors &&",
     "likewise on Zen 5, up to 10 MB",
     ["l2 i32 [2639,299] axes [0]", "mean i64 [1943,94] axes [0]", "l2 i16 [2000,1500] axes [0]",
      "mean i32 [1800,263] axes [0]", "l2 u8 [364,315] axes [0]", "mean u8 [208,4963] axes [0]"],
     "IRREDUCE_PREFETCH=FAR"),
    ("long leaves of columns", "plan/layout.c", "row_bytes > LONG_LEAF_ROW_BYTES)",
     "row_bytes > 0)",
     "exact sums of 32 and 64 bits in rows of 2 KB or less: fewer accumulators to write and merge",
     ["l2 i64 [2048,64] axes [0]", "mean i32 [2048,256] axes [0]", "l2 i64 [3000,50] axes [0]"]),
    ("leaf onto leaf", "plan/layout.c", "layout->onto = kernel->exact &&",
     "layout->onto = !kernel &&",
     "exact sums of columns: nothing is rounded, so each leaf goes onto the accumulators of the one before",
     ["mean i32 [4096,4096] axes [0]", "mean i32 [4096,1024] axes [0]",
      "mean u32 [3000,3000] axes [0]"]),
    ("narrow blocks", "kernel/kernel_exact.inc", "ahead && !own ? AHEAD_BLOCK_BYTES",
     "ahead && !ahead ? AHEAD_BLOCK_BYTES",
     "likewise where lines are called for: few columns through the rows of a leaf",
     ["mean i32 [400,40000] axes [0]", "mean i64 [398,2544] axes [0]",
      "l2 u32 [3000,3333] axes [0]", "mean i16 [370,10528] axes [0]"]),
    ("wide tiles of narrow elements", "plan/layout.c", "seldom && kernel->element_bytes < 4",
     "seldom && kernel->element_bytes < 0",
     "exact sums of 8 and 16 bits: accumulators that are seldom written leave rows whole",
     ["mean u16 [2000,2100] axes [0]", "mean u8 [1000,5000] axes [0]"]),
    ("whole rows of small numbers", "kernel/kernel_exact.inc", ": own ? busy : tile;",
     ": own ? tile : tile;",
     "squares of 64 bits, of whose states small numbers use a part: rows whole, not in tiles",
     ["l2 i64 [1024,512] axes [0]", "l2 u64 [8192,1024] axes [0]"]),
    ("flags left alone", "base/fp_env.h",
     "if (!(found & IRR_FP_INEXACT) || irr_fp_word() != found) irr_fp_set_word(found), irr_fp_fence();",
     "irr_fp_set_word(found);",
     "the caller's floating-point flags: put back where they changed, behind a fence",
     ["l2 f32 [1,3,8] axes [2]", "sum f32 [1,3,8] axes [2]", "l2 f32 [5,323] axes [1]"]),
    ("no environment", "plan/simd_layout.c", "plan->rounds = ", "plan->rounds = true || ",
     "integers that do not round: the caller's floating-point environment stays as it is",
     ["sum i32 [1,3,8] axes [2]", "max u8 [16,16] axes [1]"]),
    ("halves for rests", "kernel/kernel_columns.inc", "bool few = SURE(S) &&",
     "bool few = !count && SURE(S) &&",
     "columns whose rest is half a vector or less: loads of a half, which seldom lie across lines",
     ["max i16 [50,37,40] axes [1]", "sum i32 [50,37,20] axes [1]"]),
    ("roots by Newton", "kernel/vec_avx512.h", "__m512 rest = _mm512_fnmadd_ps(root, half, h);",
     "if (1) return (v_f32)_mm512_sqrt_ps(a);\n    __m512 rest = root;",
     "L2 of f32, f16 and bf16 with many outputs",
     ["l2 f32 [6,12,10,24] axes [2]", "l2 f32 [2,100000] axes [0]"]),
    ("roots of doubles by Newton", "kernel/vec_avx512.h",
     "const __m512d a = (__m512d)x, zero = _mm512_setzero_pd();",
     "if (1) return (v_f64)_mm512_sqrt_pd((__m512d)x);\n"
     "    const __m512d a = (__m512d)x, zero = _mm512_setzero_pd();",
     "L2 of f64 with many outputs", ["l2 f64 [6,12,10,24] axes [2]", "l2 f64 [2048,16] axes [1]"]),
    ("roots of small integers", "kernel/vec_avx512.h",
     "const __m512d a = (__m512d)x, last_place_1 = _mm512_set1_pd(0x1.8p52);",
     "if (1) return small_of_f64((v_f64)_mm512_sqrt_pd((__m512d)x));\n"
     "    const __m512d a = (__m512d)x, last_place_1 = _mm512_set1_pd(0x1.8p52);",
     "L2 of integers of 32 and 64 bits in small sets, many outputs",
     ["l2 i32 [6,12,10,24] axes [2]", "l2 u64 [64,10,300] axes [1]"]),
    ("quotients by products", "kernel/vec_types.h", "q = x * part;", "q = x / y; if (y[0] > 0) return q;",
     "Mean of floats with many outputs",
     ["mean f64 [4,10000] axes [0]", "mean f32 [4,10000] axes [0]"]),
    ("quotients of doubles", "kernel/kernel_finish_integers.inc", "if (large) name##_wide(out",
     "if (count) name##_wide(out", "means of integers below 2^53",
     ["mean i32 [40,5000] axes [0]", "mean i64 [100,5000] axes [0]"]),
]


def patched(path, tree):
    """The file in the tree without the path, and its text as it was."""
    name, file, there, instead = path[:4]
    target = tree / "src" / file
    text = target.read_text()
    if text.count(there) != 1:
        sys.exit(f"bench/paths.py: {name}: {file} has {text.count(there)} times: {there}")
    return target, text, text.replace(there, instead)


def build_without(path, work):
    """The device library without the path, from a copy of what git knows."""
    tree, library = work / "tree", work / (slug(path) + ".so")
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        if not (tree / name).exists() or (tree / name).read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, tree / name)  # nothing is built again that is as before
    if not (work / "build").exists():
        subprocess.run(["cmake", "-S", tree, "-B", work / "build", "-DCMAKE_BUILD_TYPE=Release",
                        "-DIRREDUCE_TESTS=OFF"], check=True, stdout=subprocess.DEVNULL)
    target, text, without = patched(path, tree)
    target.write_text(without)
    try:
        subprocess.run(["cmake", "--build", work / "build", "-j2", "--target",
                        "irreduce_cpu_plugin"], check=True, stdout=subprocess.DEVNULL)
    finally:
        target.write_text(text)
    shutil.copy(work / "build" / "libirreduce_cpu_plugin.so", library)
    return library


def slug(path):
    return path[0].replace(" ", "_")


def measure(path, library, build):
    """[(problem, us with it, us without it, ratio)]"""
    command = [build / "irreduce_bench", "--compare", library, "--threads", "1", "--rounds", "15"]
    for problem in path[5]:
        command += ["--problem", problem]
    if path[6:]:
        command += ["--property", path[6]]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^(\S+ \S+ \[.*?\] axes \[.*?\]) +1 +([\d.]+) +([\d.]+) +([\d.]+) ",
                       text, re.M)
    return [row for row in found if row[0] in path[5]]


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = [flag for flag in ("avx2", "avx512f", "avx512_vnni") if f" {flag}" in text]
    return f"{re.search('model name.*: (.*)', text)[1]} ({', '.join(flags)})"


def page(rows):
    commits = sorted({row[4] for found in rows.values() for row in found})
    yield HEAD.format(commits=", ".join(commits), machine=machine())
    for path in PATHS:
        for k, (problem, us, other, ratio, _) in enumerate(rows.get(slug(path), [])):
            what = (path[0], f"`{path[1]}`", path[4]) if k == 0 else ("", "", "")
            shown = f"`{problem}`" + (f", {path[6]}" if path[6:] else "")
            yield "| " + " | ".join((*what, shown, us, other, f"{float(ratio):.2f}")) + " |"
    yield TAIL


HEAD = """# Special paths, and what each brings

A path that is there for speed alone pays, or it goes. Written by `bench/paths.py`, which takes each
path out of a copy of the sources, builds the device library without it and lets
`irreduce_bench --compare` time both builds in turns, on one thread: a ratio of 1.50 says that
without the path the problem takes half as long again. `bench/paths.py "rows last"` does a row
again; the script has the line that is changed for each.

Measured at {commits}
(on Zen 4 before 388ab90 and from c9cfce4 on, between them on Zen 5; "rows by lines" to "quotients by
products" at b6ede9d, 5cb4208 and fb9678f on Intel's Emerald Rapids, "roots of doubles" and "of small
integers" at 38fc109, "few rows straight" at 0f60063, "Min and Max in
planes", "of doubles", "pairs loaded once" and "passes that share" at 35455ae to 027d767 on an Intel
processor with 480 MB of L3; of these, "roots" and the last four against the commit before, of which
"Min and Max in planes" had three instead of two; "lines of rows", "of bands" and "of strips" at 970053a
on Emerald Rapids against the commit before; "columns of lines" at b28afc1 there, "bands across lines" to
"whole rows of small numbers" at 636edce, "flags left alone" and "no environment" at c73aaf7 against
f1cb5d0, "brief strips" to "few streams" at e2defa6 against a446be2, "leaf onto leaf" and "narrow
blocks" on Emerald Rapids at 0ed428a; on Zen 5 "lines of rows, FAR" and "further ahead" at
1fe7f46, "bands that do not ask" and "exact blocks of few states" at a8e109f, "near columns as they lie",
"tiles of one plane" and "loads in order" at cba0c2f, "columns as they lie" at da23ab7, "trees of
columns" at 5586871, "long rows as they lie", "rows by four vectors" and "bands as they lie" at
ae91362, "short exact rows" at e65be06,
"exact rows as they lie" at 3fb0c2f, "whole rows in registers", "short rows in order" and "short rows
by loads" at 103951d, "short rows of steps", "in few places" and "one by one" and "near tiles of whole
rows" at 97a25d9, "columns out of the last cache as they lie", "rests of bands", "few rows from memory",
"results past the caches" and "exact columns across lines, FAR" at ba88213, "near columns by four" at
c6efc6a against cff97c5, "few rows of integers straight"
and "blocks by four" at 9b2184e, "parts of loads asked for" and "blocks asked for" at 21aa476, all of
these against ae5c0b2, "accurate columns in blocks" and "f16 by words" at 2f11abf and "of f64 in blocks"
at 05b5ca3 against 51de30d, "small accurate sets" and "four of bf16 in f32" at f8cbb0e, "leaves
last" and "lanes one by one" at 251393a, "few rows whole" at 0454f6b, "exact
sets halved" at 4dd7e10, on Zen 4 "squares as they lie" and "cold rows called for near by" at 8dec7ca
against 84042fe, "plain columns" at 157ec91, "one state" at 21c3365 and 7232405 and "two lines a
pass" at 446ddd0 against the commit before each), each
library against the whole one of the same sources, on
{machine}. The problems are
those that a path is for: most others it leaves alone. "bands by strips" was measured three times on a
noisy machine, the last problem twice: its rows are the middle ones, of two the lesser gain or first.

| path | where | what it is for | problem | us with it | without | ratio |
|---|---|---|---|---|---|---|"""
TAIL = """
What these problems cannot show, since it depends on data or threads:

* `again` of `simd_plan.c`, rungs for outputs in doubt: roots of rows of zeros 4 to 7 times as fast as
  one by one (the first rung alone 1.1 to 2.4), L2 of f32 near 1e-22 or 1e19 10 to 28 times.
* `VEC_APART` of `vec_avx512.h`, products whose partial products leave the normal numbers: 1.7 to 4.8
  times.
* Threads (`layout.c`: even shares, whole lines, near columns, chunks of wide nodes, segments; `trial.c`):
  `irreduce_bench --pairs` has rows of two threads; `ir_tests/test_partition.c` simulates up to 256.
* Offers without words (`backend.h`) and notes on demand (`explain.c`): `irreduce_bench --compile`."""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    for path in PATHS:
        patched(path, ROOT)
    if options.check:
        return
    unknown = set(options.names) - {path[0] for path in PATHS}
    if unknown:
        parser.error(f"no such path: {', '.join(unknown)}")
    build = options.build.resolve()
    work = build / "paths"
    work.mkdir(exist_ok=True)
    for path in PATHS:
        results = work / (slug(path) + ".txt")
        if path[0] in options.names or not (options.names or results.exists()):
            commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT)
            rows = [(*row, commit.decode().strip())
                    for row in measure(path, build_without(path, work), build)]
            results.write_text("".join("\t".join(row) + "\n" for row in rows))
            print(path[0], *(row[3] for row in rows), flush=True)
    rows = {}
    for path in PATHS:
        results = work / (slug(path) + ".txt")
        if results.exists():
            rows[slug(path)] = [line.split("\t") for line in results.read_text().splitlines()]
    (ROOT / "docs" / "paths.md").write_text("\n".join(page(rows)) + "\n")


if __name__ == "__main__":
    main()
