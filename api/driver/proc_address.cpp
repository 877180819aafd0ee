// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress: looks the table up by name, version and default stream. It works before cuInit,
// as on NVIDIA's driver, and allocates nothing.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/driver/proc_address_table.hpp"
#include "api/driver/support_table.hpp"
#include "sim/base/hash.hpp"

namespace cuvette::driver {
namespace {

using ShortIndex = std::uint16_t;
constexpr ShortIndex nowhere = 0xffff;
static_assert(functions.size() < nowhere);

// A hash table of base names. Each leads to the chain of all symbols that the name can mean.
struct Index {
  static constexpr std::size_t slots = 2048;
  std::array<ShortIndex, slots> first;
  std::array<ShortIndex, functions.size()> next;
};

constexpr std::size_t hash(const char* name) {
  const std::uint32_t value = fnv1a_32(name);
  return (value ^ value >> 15) % Index::slots;
}

constexpr bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr Index make_index() {
  Index index{};
  index.first.fill(nowhere);
  index.next.fill(nowhere);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].since == 0) continue;
    std::size_t slot = hash(functions[i].base);
    while (index.first[slot] != nowhere &&
           !equal(functions[index.first[slot]].base, functions[i].base)) {
      slot = (slot + 1) % Index::slots;
    }
    index.next[i] = index.first[slot];
    index.first[slot] = static_cast<ShortIndex>(i);
  }
  return index;
}

constexpr Index index = make_index();

// Returns the indices of the symbols called `base`, or `nowhere`.
ShortIndex find(const char* base) noexcept {
  std::size_t slot = hash(base);
  while (index.first[slot] != nowhere && !equal(functions[index.first[slot]].base, base)) {
    slot = (slot + 1) % Index::slots;
  }
  return index.first[slot];
}

struct Answer {
  CUdriverProcAddressQueryResult status;
  AnyFunction address;
};

// Returns the newest symbol of that name which `version` knows. A program with per-thread default
// streams never gets the legacy symbol of a function that has twins: before CUDA 7.0, which brought
// them, it gets none.
Answer look_up(const char* base, unsigned int version, bool per_thread) noexcept {
  const ShortIndex chain = find(base);
  if (chain == nowhere) return {CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, nullptr};
  bool has_twins = false;
  for (ShortIndex i = chain; i != nowhere; i = index.next[i]) has_twins |= functions[i].per_thread;
  Answer answer{CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, nullptr};
  int newest = 0;
  for (ShortIndex i = chain; i != nowhere; i = index.next[i]) {
    const Function& function = functions[i];
    if (function.per_thread != (per_thread && has_twins)) continue;
    if (static_cast<unsigned int>(function.since) > version || function.since <= newest) continue;
    newest = function.since;
    answer = {CU_GET_PROC_ADDRESS_SUCCESS, function_addresses[i]};
  }
  return answer;
}

constexpr cuuint64_t known_flags =
    CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

// NVIDIA's driver refuses versions newer than its own and treats negative ones as the newest.
bool acceptable(const char* symbol, void** pfn, int version, cuuint64_t flags) noexcept {
  return symbol != nullptr && pfn != nullptr && version <= CUDA_VERSION &&
         (flags & ~known_flags) == 0;
}

Answer look_up(const char* symbol, int version, cuuint64_t flags) noexcept {
  return look_up(symbol, static_cast<unsigned int>(version),
                 (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0);
}

}  // namespace
}  // namespace cuvette::driver

extern "C" {

__attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(
    const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
    CUdriverProcAddressQueryResult* symbolStatus) {
  if (!cuvette::driver::acceptable(symbol, pfn, cudaVersion, flags)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto answer = cuvette::driver::look_up(symbol, cudaVersion, flags);
  *pfn = reinterpret_cast<void*>(answer.address);
  if (symbolStatus != nullptr) *symbolStatus = answer.status;
  return CUDA_SUCCESS;
}

// The version from CUDA 11.3 has no status: a name that is not found is an error, and *pfn stays as
// it was.
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char* symbol, void** pfn,
                                                                 int cudaVersion,
                                                                 cuuint64_t flags) {
  if (!cuvette::driver::acceptable(symbol, pfn, cudaVersion, flags)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto answer = cuvette::driver::look_up(symbol, cudaVersion, flags);
  if (answer.address == nullptr) return CUDA_ERROR_NOT_FOUND;
  *pfn = reinterpret_cast<void*>(answer.address);
  return CUDA_SUCCESS;
}

}  // extern "C"
