// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/program/kernel_table.hpp"

namespace cuvette::runtime {

KernelTable::Entry* KernelTable::find(const void* host) noexcept {
  if (host == nullptr || all_.empty()) return nullptr;
  Entry& entry = all_.back()->place_of(host);
  return entry.image != nullptr ? &entry : nullptr;
}

void KernelTable::add(const void* host, Image* image, const char* name) {
  if (host == nullptr) return;
  if (all_.empty() || all_.back()->used >= all_.back()->entries.size() / 2) grow();
  Places& places = *all_.back();
  Entry& entry = places.place_of(host);
  entry.kernel.store(nullptr, std::memory_order_release);
  entry.image = image;
  entry.name = name;
  if (entry.host.load(std::memory_order_relaxed) != nullptr) return;
  ++places.used;
  entry.host.store(host, std::memory_order_release);
}

void KernelTable::remove(const Image* image) noexcept {
  each([image](Entry& entry) {
    if (entry.image != image) return false;
    entry.kernel.store(nullptr, std::memory_order_release);
    entry.image = nullptr;
    return false;
  });
}

void KernelTable::grow() {
  constexpr std::size_t first = 64;
  auto larger = std::make_unique<Places>(all_.empty() ? first : 2 * all_.back()->entries.size());
  each([&](const Entry& entry) {
    const void* const host = entry.host.load(std::memory_order_relaxed);
    Entry& copy = larger->place_of(host);
    copy.kernel.store(entry.kernel.load(std::memory_order_relaxed), std::memory_order_relaxed);
    copy.image = entry.image;
    copy.name = entry.name;
    copy.host.store(host, std::memory_order_relaxed);
    ++larger->used;
    return false;
  });
  newest_.store(larger.get(), std::memory_order_release);
  all_.push_back(std::move(larger));
}

}  // namespace cuvette::runtime
