// SPDX-License-Identifier: Apache-2.0
// Tables of functions beside the API. The private tables of NVIDIA's own libraries are not
// implemented; if a program asks for one that it needs, a message says what to do. Our own
// libcudart and libnvidia-ml.so.1 get one each, and so do test runners.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/runtime_errors.hpp"
#include "api/driver/tests_table.hpp"
#include "api/driver/usage_table.hpp"

#include <cuvetteCallSite.h>

#include "sim/base/config.hpp"
#include "sim/check/api/foreign_runtime.hpp"

namespace {

using Identifier = std::array<uint8_t, sizeof(CUuuid)>;

// NVIDIA's runtime needs: its own interface, and the one by which it checks the driver. Both
// are public: several open projects name them, and it is visible which one a program asks for.
constexpr Identifier needed[] = {{0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9,
                                  0x39, 0x12, 0xfd, 0x9d, 0xf9},
                                 {0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba,
                                  0x12, 0x3c, 0x66, 0xe1, 0xf2}};

constexpr Identifier call_site_identifier = CUVETTE_CALL_SITE_TABLE;

constexpr Identifier tests_identifier = CUVETTE_TESTS_TABLE;

constexpr cuvetteCallSiteTable table_that_records{sizeof(cuvetteCallSiteTable),
                                                  &cuvette::driver::detail::on_behalf_of_slot,
                                                  &cuvette::driver::detail::runtime_fails,
                                                  &cuvette::driver::detail::runtime_is_asked,
                                                  &cuvette::driver::detail::runtime_fails_as,
                                                  &cuvette::driver::detail::runtime_begins,
                                                  &cuvette::driver::detail::runtime_ends};

constexpr cuvetteCallSiteTable call_site_table = [] {
  cuvetteCallSiteTable table = table_that_records;
  table.begin = nullptr;
  table.end = nullptr;
  return table;
}();

}  // namespace

extern "C" CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  if (!ppExportTable || !pExportTableId) return CUDA_ERROR_INVALID_VALUE;
  *ppExportTable = nullptr;
  Identifier asked;
  memcpy(asked.data(), pExportTableId->bytes, asked.size());
  if (asked == call_site_identifier) {
    *ppExportTable = cuvette::config().record.empty() ? &call_site_table : &table_that_records;
    return CUDA_SUCCESS;
  }
  if (asked == tests_identifier) {
    *ppExportTable = &cuvette::driver::tests_table;
    return CUDA_SUCCESS;
  }
  if (asked == cuvette::device::usage_table_identifier) {
    *ppExportTable = &cuvette::driver::usage_table;
    return CUDA_SUCCESS;
  }
  if (std::ranges::find(needed, asked) == std::end(needed)) return CUDA_ERROR_INVALID_VALUE;
  static constinit std::atomic<bool> said{false};
  if (!said.exchange(true, std::memory_order_relaxed))
    cuvette::check::report_foreign_runtime(__builtin_return_address(0));
  return CUDA_ERROR_NOT_SUPPORTED;
}
