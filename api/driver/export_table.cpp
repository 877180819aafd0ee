// SPDX-License-Identifier: Apache-2.0
// The private tables that NVIDIA's own libraries ask for. There are none; if a program asks for one
// without which it cannot go on, it is told what to do.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "sim/os/output.hpp"
#include "sim/os/symbol.hpp"

namespace {

using Identifier = std::array<uint8_t, sizeof(CUuuid)>;

// What NVIDIA's runtime needs: its own interface, and the one by which it checks the driver. Both
// are public: several open projects name them, and anybody can see which one a program asks for.
constexpr Identifier needed[] = {{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9,
                                  0x39, 0x12, 0xfd, 0x9d, 0xf9},
                                 {0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba,
                                  0x12, 0x3c, 0x66, 0xe1, 0xf2}};

}  // namespace

extern "C" CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  if (!ppExportTable || !pExportTableId) return CUDA_ERROR_INVALID_VALUE;
  *ppExportTable = nullptr;
  Identifier asked;
  memcpy(asked.data(), pExportTableId->bytes, asked.size());
  static constinit std::atomic<bool> said{false};
  if (std::ranges::find(needed, asked) != std::end(needed) &&
      !said.exchange(true, std::memory_order_relaxed))
    cuvette::os::write_to_stderr(
        "cuvette: NVIDIA's CUDA runtime, which asks for its private tables at " +
        cuvette::os::describe_call(__builtin_return_address(0)) +
        ", works with NVIDIA's driver alone: its calls fail here. Where it is linked in "
        "statically, link with -cudart=shared, and let the program load a libcudart that does not "
        "check; in place of a package that has it inside (CuPy, Warp, cuBLAS), use one that calls "
        "the driver itself (Numba, PyCUDA, Triton).\n");
  return CUDA_ERROR_NOT_SUPPORTED;
}
