"""Cases worked out by hand, a line each, through our execution provider.
SPDX-License-Identifier: Apache-2.0"""
import numpy as np

import onnxruntime_host as host

INF, NAN = float("inf"), float("nan")
BOX = ([3, 2, 2], list(range(1, 13)))  # [[[1,2],[3,4]],[[5,6],[7,8]],[[9,10],[11,12]]]
BIG = 1 << 53

# op, type, (shape, data), axes, keepdims, result
CASES = [
    ("ReduceSum", "float", BOX, [0], 0, [[15, 18], [21, 24]]),
    ("ReduceSum", "float", BOX, [1], 0, [[4, 6], [12, 14], [20, 22]]),
    ("ReduceSum", "int32", BOX, [2], 0, [[3, 7], [11, 15], [19, 23]]),
    ("ReduceSum", "float", BOX, [0, 2], 1, [[[33], [45]]]),
    ("ReduceSum", "double", BOX, [-1, -3], 0, [33, 45]),
    ("ReduceSum", "uint64", BOX, None, 0, 78),
    ("ReduceSum", "int64", ([2], [BIG, 1]), [0], 0, BIG + 1),
    ("ReduceSum", "int64", ([3], [-BIG, -1, 2]), [0], 1, [-BIG + 1]),
    ("ReduceSum", "uint32", ([2], [4294967295, 2]), [0], 0, 1),
    ("ReduceSum", "bfloat16", ([4], [256, 1, 1, 1]), [0], 0, 260),
    ("ReduceSum", "float16", ([2], [60000, 60000]), [0], 0, INF),
    ("ReduceSum", "float", ([0, 2], []), [0], 0, [0, 0]),
    ("ReduceMean", "float", BOX, [1, 2], 0, [2.5, 6.5, 10.5]),
    ("ReduceMean", "int32", ([2, 2], [-1, -2, 1, 2]), [1], 0, [-1, 1]),
    ("ReduceMean", "int64", ([2], [2**63 - 1, 2**63 - 1]), [0], 0, 2**63 - 1),
    ("ReduceMean", "float", ([2], [3e38, 3e38]), [0], 0, np.float32(3e38)),
    ("ReduceMean", "float", ([0], []), [0], 0, NAN),
    ("ReduceMin", "float", BOX, [0, 1, 2], 1, [[[1]]]),
    ("ReduceMin", "float", ([3], [1, NAN, 0]), [0], 0, NAN),
    ("ReduceMin", "int8", ([2, 2], [-128, 127, 5, -5]), [0], 0, [-128, -5]),
    ("ReduceMin", "uint8", ([0], []), [0], 0, 255),
    ("ReduceMin", "double", ([0], []), [0], 1, [INF]),
    ("ReduceMin", "bool", ([2, 2], [1, 1, 0, 1]), [1], 0, [1, 0]),
    ("ReduceMax", "bool", ([2, 2], [0, 0, 0, 1]), [1], 0, [0, 1]),
    ("ReduceMax", "float16", BOX, [2], 0, [[2, 4], [6, 8], [10, 12]]),
    ("ReduceMax", "int64", ([2], [-2**63, -2**63 + 1]), [0], 0, -2**63 + 1),
    ("ReduceMax", "uint64", ([2], [2**64 - 1, 0]), [0], 0, 2**64 - 1),
    ("ReduceMax", "float", ([2], [-INF, NAN]), [0], 0, NAN),
    ("ReduceProd", "float", BOX, [0], 0, [[45, 120], [231, 384]]),
    ("ReduceProd", "int32", ([3], [-2, 3, -4]), [0], 0, 24),
    ("ReduceProd", "double", ([0, 1], []), [0], 0, [1]),
    ("ReduceL1", "float", ([2, 2], [-1, 2, -3, -4]), [1], 0, [3, 7]),
    ("ReduceL1", "int32", ([2], [-7, 7]), [-1], 1, [14]),
    ("ReduceL2", "float", ([2, 2], [3, 4, -5, 12]), [1], 0, [5, 13]),
    ("ReduceL2", "float", ([2], [3e30, 4e30]), [0], 0, np.float32(5e30)),
    ("ReduceL2", "int64", ([2], [3, 3]), [0], 0, 4),
    ("ReduceL2", "double", ([2], [INF, NAN]), [0], 0, NAN),
    ("ReduceSum", "float", ([], [7]), None, 1, 7),
    ("ReduceL1", "float", ([], [-7]), [], 1, 7),
]


def main():
    case_host = host.Host(host.arguments(__doc__).library)
    for op, word, (shape, data), axes, keep, result in CASES:
        dtype = host.exact.DTYPES[host.TYPES[word][1]]
        data = np.array(data, dtype).reshape(shape)
        # As an input where every version has it, else as an attribute.
        forms = [(20, {"keepdims": keep}, axes)]
        if word not in ("bool", "int8", "uint8", "bfloat16"):
            forms.append((11, {"keepdims": keep, **({"axes": axes} if axes else {})}, None))
        for opset, attributes, given in forms:
            session = case_host.session(
                host.node_model(op, opset, word, shape, attributes, given))
            found = host.run(session, word, data)
            expected = np.array(result, dtype)
            assert found.shape == expected.shape, (op, word, axes, found, expected)
            assert np.array_equal(found.astype(object), expected.astype(object)) or \
                np.array_equal(found.astype(np.float64), expected.astype(np.float64), True), \
                (op, word, data, axes, found, expected)
    print(f"{len(CASES)} cases")


if __name__ == "__main__":
    main()
