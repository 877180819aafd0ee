// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/call_site.hpp"

#include <cuvetteCallSite.h>

#include <algorithm>
#include <cstddef>

#include "api/runtime/driver.hpp"

namespace cuvette::runtime::detail {

namespace {

// Returns the driver's table; null if it has none.
const cuvetteCallSiteTable* find_table() noexcept {
  static constexpr unsigned char bytes[] = CUVETTE_CALL_SITE_TABLE;
  if (!driver_found()) return nullptr;
  CUuuid identifier;
  std::copy_n(bytes, sizeof identifier.bytes, identifier.bytes);
  const void* table = nullptr;
  if (DRIVER(cuGetExportTable)(&table, &identifier) != CUDA_SUCCESS) return nullptr;
  return static_cast<const cuvetteCallSiteTable*>(table);
}

// Returns it if it has the functions that tell of errors: the oldest drivers' has the slot alone.
const cuvetteCallSiteTable* find_error_table() noexcept {
  static const cuvetteCallSiteTable* const table = find_table();
  constexpr size_t needed = offsetof(cuvetteCallSiteTable, asked) + sizeof table->asked;
  return table != nullptr && table->size >= needed ? table : nullptr;
}

}  // namespace

const void** find_call_site_slot(Thread& thread) noexcept {
  static thread_local constinit const void* unread = nullptr;
  const cuvetteCallSiteTable* const table = find_table();
  if (table == nullptr) return &unread;
  constexpr size_t needed = offsetof(cuvetteCallSiteTable, end) + sizeof table->end;
  if (table->size >= needed) {
    thread.begin_call = table->begin;
    thread.end_call = table->end;
  }
  return table->slot();
}

void tell_failure(cudaError_t error, bool unseen) noexcept {
  const cuvetteCallSiteTable* const table = find_error_table();
  if (table == nullptr) return;
  if (table->size >= offsetof(cuvetteCallSiteTable, failed_as) + sizeof table->failed_as)
    table->failed_as(error, unseen, cudaGetErrorName(error));
  else
    table->failed(error, unseen);
}

void tell_that_last_error_is_asked_for() noexcept {
  if (const cuvetteCallSiteTable* const table = find_error_table()) table->asked();
}

}  // namespace cuvette::runtime::detail
