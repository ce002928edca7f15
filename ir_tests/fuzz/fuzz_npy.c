/* Tensor files: the first byte is the element type, the second the rank and how much of the shape
 * is known, the rest the file. SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/tool.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    port_t port = {.name = "x", .type = data[0] % (IRR_F8E8M0 + 1), .rank = data[1] % 8};
    for (size_t i = 0; i < port.rank; i++) port.dims[i] = data[1] >> 3 & 1 ? -1 : data[1] >> 4;
    fuzz_file_t file = fuzz_file(data + 2, size - 2);
    view_t view = {0};
    int status = read_tensor(file.path, &port, &view);
    MUST(!status || *noted_sentence());
    MUST(status || view.tensor);
    irr_tensor_free(view.tensor);
    give_back_all();
    fuzz_drop(&file);
    return 0;
}
