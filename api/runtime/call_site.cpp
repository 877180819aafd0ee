// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/call_site.hpp"

#include <cuvetteCallSite.h>

#include <algorithm>

#include "api/runtime/driver.hpp"

namespace cuvette::runtime::detail {

const void** find_call_site_slot() noexcept {
  static constexpr unsigned char bytes[] = CUVETTE_CALL_SITE_TABLE;
  static thread_local constinit const void* unread = nullptr;
  if (!driver_found()) return &unread;
  CUuuid identifier;
  std::copy_n(bytes, sizeof identifier.bytes, identifier.bytes);
  const void* table = nullptr;
  if (DRIVER(cuGetExportTable)(&table, &identifier) != CUDA_SUCCESS || table == nullptr)
    return &unread;
  return static_cast<const cuvetteCallSiteTable*>(table)->slot();
}

}  // namespace cuvette::runtime::detail
