// SPDX-License-Identifier: Apache-2.0
#include "sim/record/resource.hpp"

#include <atomic>
#include <cstddef>
#include <iterator>

namespace cuvette::record {

using format::ResourceKind;

namespace {

// "event 3": the objects of each kind are counted.
std::string next_name(ResourceKind kind) {
  static constinit std::atomic<uint64_t> counts[4] = {};
  static_assert(static_cast<size_t>(format::last_resource_kind) + 1 == std::size(counts));
  constexpr const char* names[] = {"graphics resource ", "external memory ", "external semaphore ",
                                   "event "};
  const auto index = static_cast<size_t>(kind);
  return names[index] + std::to_string(counts[index].fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace

void Resource::begin_in(Recorder& running, ResourceKind kind, const std::string& name,
                        const void* place) {
  static constinit std::atomic<uint64_t> last{0};
  const format::Call* const call = running.inner_call();
  record_ =
      running.add(format::Resource{.what = kind,
                                   .name = running.text(name.empty() ? next_name(kind) : name),
                                   .site = place  ? running.place(place)
                                           : call ? call->site
                                                  : 0,
                                   .key = last.fetch_add(1, std::memory_order_relaxed) + 1,
                                   .began = os::ticks()});
}

void Resource::begin_mapped() {
  unmap();
  if (Recorder* const running = recorder())
    mapped_ = running->add(format::Mapped{.resource = record_->key, .began = os::ticks()});
}

}  // namespace cuvette::record
