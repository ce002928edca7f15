"""What is wrong with an output: strictly for irreduce, kindly for a peer.

SPDX-License-Identifier: Apache-2.0"""
import numpy as np

from exact import (FLOATS, LOGICAL, bits_of, element_problem, integer_value, sets_of, special,
                   tensor_problems)


def kind_problem(op, kind, elements, found):
    """A peer may write any NaN and either zero: the specification asks for none of them."""
    magnitude = special(kind, True) ^ special(kind)  # the sign bit
    found = int(found)
    if found & ~magnitude > special(kind):
        found = special(kind, nan=True)
    tries = [found] if found & ~magnitude else [0, magnitude]
    return all(element_problem(op, kind, elements, bits) for bits in tries)



def wrong_outputs(layer, output, kindly=False, accurate=False):
    """[(index, sentence)]; index None: the whole tensor."""
    op, kind, data, axes = layer["op"], layer["kind"], layer["data"], layer["axes"]
    if isinstance(output, str):
        return [(None, output)]
    if output.shape != layer["out_shape"]:
        return [(None, f"shape {output.shape}, not {layer['out_shape']}")]
    found = list(tensor_problems(op, kind, data, axes, output, accurate))
    if not kindly or kind not in FLOATS:
        return found
    if not axes:
        same = (output == data) | (output != output) & (data != data)
        return [p for p in found if not np.asarray(same).reshape(-1)[p[0]]]
    sets, bits = sets_of(bits_of(data).reshape(data.shape), axes), bits_of(output).reshape(-1)
    return [p for p in found if kind_problem(op, kind, sets[p[0]], bits[p[0]])]


def is_silent(layer, index):
    """Whether the specification says nothing of this output: NaN, overflow, nothing to reduce."""
    data = layer["data"]
    if index is None or not layer["axes"]:
        return False
    elements = sets_of(data, layer["axes"])[index]
    if not elements.size or layer["kind"] in FLOATS:
        return not elements.size or bool(np.isnan(elements.astype(np.float64)).any())
    if layer["op"] in LOGICAL:
        return False
    info = np.iinfo(data.dtype)
    value = integer_value(layer["op"], data.dtype, [int(v) for v in elements])
    return not info.min <= value <= info.max


def agree(first, second):
    """The same values: NaN is NaN, zero is zero."""
    return (not isinstance(first, str) and not isinstance(second, str)
            and first.shape == second.shape
            and bool(np.all((first == second) | (first != first) & (second != second))))
