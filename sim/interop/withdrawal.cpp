// SPDX-License-Identifier: Apache-2.0
// Withdraws resources when OpenGL is about to free their storage, with the last context that has it
// or before: devices must have lost it by then.
#include <algorithm>
#include <new>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::interop {

GraphicsResource::List GraphicsResource::hide_all_of(gl::ShareGroup& group, const void* place) {
  group.end();
  List resources;
  for (GraphicsResource* resource : living()) {
    if (resource->group_.get() != &group) continue;
    resources.emplace_back(resource);
    resource->hide();
    if (!resource->mapped_) continue;
    const bool pointer = resource->object() && resource->object()->kind == gl::Object::Kind::buffer;
    device::notify_misuse(
        device::misuse::StorageChanged{
            pointer ? "buffer" : "image",
            "was deleted with the last OpenGL context that had it, while CUDA had it mapped."},
        resource->lender(), place);
    resource->set_mapped(false);
  }
  return resources;
}

std::vector<Ref<const memory::Allocation>> GraphicsResource::memory_of(const List& resources) {
  std::vector<Ref<const memory::Allocation>> all;
  for (const auto& resource : resources)
    if (auto memory = resource->memory()) all.push_back(std::move(memory));
  return all;
}

// The registration stays, and is reported if it is never ended.
void GraphicsResource::drop_now() {
  if (dropped_) return;
  dropped_ = true;
  if (!others_are_registered()) forget_late();
  drop();
  watched_ = nullptr;
}

void GraphicsResource::drop_all(const List& resources) {
  for (const auto& resource : resources) resource->drop_now();
}

void GraphicsResource::withdraw_all_of(gl::ShareGroup& group, const void* place) {
  List resources;
  std::vector<Ref<const memory::Allocation>> memories;
  {
    GraphicsLock lock;
    if (group.ended()) return;
    resources = hide_all_of(group, place);
    memories = memory_of(resources);
  }
  for (const auto& memory : memories) device::Context::wait_for_users(*memory);
  GraphicsLock lock;
  drop_all(resources);
}

void GraphicsResource::withdraw(const memory::Lender& lender) {
  Ref<const memory::Allocation> memory;
  {
    GraphicsLock lock;
    GraphicsResource* const resource = find_lent_by(lender);
    if (!resource || !resource->is_lent()) return;
    resource->lose();
    memory = resource->memory();
  }
  if (memory) device::Context::wait_for_users(*memory);
}

bool GraphicsResource::withdraw_if_ended(gl::ShareGroup& group, const void* place) {
  {
    GraphicsLock lock;
    if (group.ended()) return true;
    if (!group.has_ended()) return false;
  }
  withdraw_all_of(group, place);
  return true;
}

// The lock may be the calling thread's: the context that it borrowed for one call was destroyed in
// another thread meanwhile, and ends as the caller's own becomes current again. Then it is waited
// for with the lock held: whoever needs the lock can have what it wants only afterwards.
bool GraphicsResource::withdraw_by_holder(uint64_t number, const void* place) {
  const Ref<gl::ShareGroup> group = gl::ShareGroup::of_number(number);
  if (!group) return false;
  const List resources = hide_all_of(*group, place);
  for (const auto& memory : memory_of(resources)) device::Context::wait_for_users(*memory);
  drop_all(resources);
  return true;
}

void GraphicsResource::withdraw(uint64_t number, const void* place) noexcept {
  if (device::Machine::state() != device::Machine::State::running) return;
  try {
    if (GraphicsLock::is_held()) {
      withdraw_by_holder(number, place);
      return;
    }
    Ref<gl::ShareGroup> group;
    {
      GraphicsLock lock;
      group = gl::ShareGroup::of_number(number);
    }
    if (group) withdraw_all_of(*group, place);
  } catch (const std::bad_alloc&) {
    // Out of memory: what was hidden by then stays hidden.
  }
}

}  // namespace cuvette::interop
