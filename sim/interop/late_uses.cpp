// SPDX-License-Identifier: Apache-2.0
// Frames, which CUDA takes of images that are not mapped, and uses of arrays that have been given
// back already. Both end when somebody waits for CUDA's work.
#include <algorithm>
#include <atomic>
#include <utility>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::interop {
namespace {

// Of all resources: frames that are taken, late uses and late uses by kernels.
constinit std::atomic<int> frames_taken{0};

}  // namespace

// --- Frames ---

Result<> GraphicsResource::take_frame(const memory::Requester& requester) {
  GraphicsLock lock;
  if (!registered_) return Error::invalid_handle;
  return take_frame_now(requester);
}

Result<> GraphicsResource::take_frame_now(const memory::Requester& requester) {
  if (late_use().taken) return {};
  gl::Entrance entrance;
  TRY(entrance.enter(*group_));
  group_->gl().Finish();
  TRY(copy_frame(requester));
  late_use().taken = true;
  frames_taken.fetch_add(1, std::memory_order_release);
  return {};
}

void GraphicsResource::give_back_frames(uint64_t owner, const memory::Requester& requester) {
  if (frames_taken.load(std::memory_order_acquire) == 0) [[likely]]
    return;
  for (const Ref<GraphicsResource>& resource : registered(owner)) {
    GraphicsLock lock;
    if (resource->is_late()) {
      // Without an OpenGL context, or while others still use it, this is left for the next time.
      gl::Entrance entrance;
      resource->end_late(requester, entrance);
      continue;
    }
    if (!resource->late_use().taken) continue;
    gl::Entrance entrance;
    if (!entrance.enter(*resource->group_).ok()) {
      device::notify_misuse(device::misuse::FrameKept{}, resource->lender(), requester.call_site);
      continue;
    }
    resource->late_use().taken = false;
    frames_taken.fetch_sub(1, std::memory_order_release);
    static_cast<void>(resource->give_back(requester));  // what fails has been reported
  }
}

// --- Late uses ---

constinit const gl::LateUses GraphicsResource::late_uses = {&begin_late_use, &end_late_use,
                                                            &note_kernel_use};

GraphicsResource* GraphicsResource::find_lent_by(const memory::Lender& lender) {
  const auto found = std::ranges::find_if(
      living(), [&](const GraphicsResource* one) { return &one->lender() == &lender; });
  return found == living().end() ? nullptr : *found;
}

bool GraphicsResource::is_busy() const {
  const memory::Allocation* const used = last_use();
  if (!used) return false;
  if (used->users.load(std::memory_order_acquire) > 0) return true;
  if (!lender().used_by_kernels.load(std::memory_order_acquire)) return false;
  const auto context = device::Context::of_generation(owner_);
  return context && context->kernels.any();
}

void GraphicsResource::begin_late(bool written) {
  gl::LateUse& late = late_use();
  late.written = late.written || written;
  lender().late.store(true, std::memory_order_release);
  if (late.taken) return;
  late.taken = true;
  frames_taken.fetch_add(1, std::memory_order_release);
}

Result<> GraphicsResource::begin_late_use(const memory::Lender& lender,
                                          const memory::Region& region, bool write,
                                          const void* call_site) {
  GraphicsLock lock;
  GraphicsResource* const resource = find_lent_by(lender);
  if (!resource)
    return refuse(Error::invalid_value, "%s is unregistered.", lender.describe().c_str());
  if (resource->is_lent()) {
    if (write) resource->note_late_write_while_lent();
    return {};
  }
  if (resource->needs_no_mapping())
    return resource->take_frame_now({resource->owner_, 0, call_site});
  if (!resource->late_use().taken && !resource->is_busy()) {
    // The array gets what OpenGL has by now, unless the call overwrites all of it.
    const memory::Allocation& memory = *resource->last_use();
    const bool whole = write && region.address == memory.address && region.bytes() >= memory.size;
    gl::Entrance entrance;
    if (!whole && entrance.enter(*resource->group_).ok()) {
      resource->group_->gl().Finish();
      TRY(resource->copy_late({resource->owner_, 0, call_site}));
    }
  }
  if (write) resource->begin_late(true);
  return {};
}

void GraphicsResource::end_late_use(const memory::Lender& lender, bool done,
                                    const void* call_site) {
  GraphicsLock lock;
  GraphicsResource* const resource = find_lent_by(lender);
  if (!resource || resource->is_lent() || resource->needs_no_mapping()) return;
  // Another thread may have given it back before this work was queued.
  resource->begin_late(true);
  gl::Entrance entrance;
  if (done) resource->end_late({resource->owner_, 0, call_site}, entrance);
}

void GraphicsResource::note_kernel_use(memory::Lender& lender) {
  lender.late.store(true, std::memory_order_release);
  if (!lender.used_by_kernels.exchange(true, std::memory_order_acq_rel))
    frames_taken.fetch_add(1, std::memory_order_release);
}

bool GraphicsResource::end_late(const memory::Requester& requester, gl::Entrance& entrance) {
  if (is_busy() || !entrance.enter(*group_).ok()) return false;
  const bool by_kernels = lender().used_by_kernels.exchange(false, std::memory_order_acq_rel);
  if (by_kernels) frames_taken.fetch_sub(1, std::memory_order_release);
  gl::LateUse& late = late_use();
  if (late.taken) frames_taken.fetch_sub(1, std::memory_order_release);
  late.taken = false;
  lender().late.store(false, std::memory_order_release);
  const bool written = std::exchange(late.written, false) || by_kernels;
  static_cast<void>(give_back_late(requester, written));  // what fails has been reported
  return true;
}

void GraphicsResource::wait_for_late_uses(Resources resources) {
  if (frames_taken.load(std::memory_order_acquire) == 0) [[likely]]
    return;
  for (const auto& resource : resources) {
    Ref<const memory::Allocation> busy;
    {
      GraphicsLock lock;
      if (resource->is_late() && resource->is_busy())
        busy = Ref<const memory::Allocation>(resource->last_use());
    }
    if (!busy) continue;
    device::Context::wait_for_users(*busy);
    const auto context = device::Context::of_generation(resource->owner_);
    if (context && context->kernels.any()) context->wait_for_submitted();
  }
}

void GraphicsResource::forget_late() {
  gl::LateUse& late = late_use();
  if (late.taken) frames_taken.fetch_sub(1, std::memory_order_release);
  late = {};
  if (lender().used_by_kernels.exchange(false, std::memory_order_acq_rel))
    frames_taken.fetch_sub(1, std::memory_order_release);
}

}  // namespace cuvette::interop
