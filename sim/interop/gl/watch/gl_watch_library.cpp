// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/watch/gl_watch_library.hpp"

#include <atomic>

#include "sim/os/library.hpp"

namespace cuvette::interop::gl {
namespace {

constinit std::atomic<gl_watch::BeforeCall> calls{nullptr};
constinit std::atomic<gl_watch::BeforeGroupEnds> group_ends{nullptr};
constinit std::atomic<void (*)(const memory::Lender&)> lender_ends{nullptr};

void before_call(const gl_watch::Call& call) noexcept {
  if (const auto listener = calls.load(std::memory_order_acquire)) listener(call);
}

void before_group_ends(uint64_t group, const void* place) noexcept {
  if (const auto listener = group_ends.load(std::memory_order_acquire)) listener(group, place);
}

}  // namespace

const gl_watch::Watching& watch_library() {
  static const gl_watch::Watching found = [] {
    const auto watch =
        reinterpret_cast<gl_watch::Watch>(os::find_loaded(nullptr, gl_watch::watch_function));
    return watch ? watch(gl_watch::protocol, before_call, before_group_ends)
                 : gl_watch::Watching{nullptr, nullptr};
  }();
  return found;
}

uint64_t watched_group_of(void* context) {
  const gl_watch::GroupOf group_of = watch_library().group_of;
  return group_of ? group_of(context) : 0;
}

void listen_to_calls(gl_watch::BeforeCall before_call) {
  calls.store(before_call, std::memory_order_release);
}

void listen_to_ends(const Withdrawal& withdrawal) {
  group_ends.store(withdrawal.of_group, std::memory_order_release);
  lender_ends.store(withdrawal.of_lender, std::memory_order_release);
}

void storage_ends(const memory::Lender& lender) {
  if (const auto listener = lender_ends.load(std::memory_order_acquire)) listener(lender);
}

}  // namespace cuvette::interop::gl
