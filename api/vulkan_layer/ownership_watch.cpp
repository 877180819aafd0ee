// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/ownership_watch.hpp"

#include <new>
#include <vector>

#include "api/vulkan_layer/threads.hpp"
#include "sim/base/config.hpp"

namespace cuvette::vulkan_layer {
namespace {

// The objects of living devices.
struct Living {
  Mutex mutex;
  std::vector<std::shared_ptr<OwnershipWatch>> list GUARDED_BY(mutex);
};
Living& living() {
  static auto& the_living = *new Living;  // never destroyed: threads may outlive main()
  return the_living;
}

}  // namespace

bool OwnershipWatch::is_wanted() {
  static const bool wanted = config().check.has(Check::aliases);
  return wanted;
}

std::shared_ptr<OwnershipWatch> OwnershipWatch::make(VkDevice device,
                                                     const DeviceFunctions& functions,
                                                     Timelines& timelines) {
  auto made = std::make_shared<OwnershipWatch>(device, functions, timelines);
  Living& all = living();
  MutexLock lock(all.mutex);
  all.list.push_back(made);
  return made;
}

void OwnershipWatch::end() {
  {
    Living& all = living();
    MutexLock lock(all.mutex);
    std::erase_if(all.list, [this](const auto& one) { return one.get() == this; });
  }
  ownership.end();
}

void OwnershipWatch::owned(void (*each)(void* context, const interop::OwnedRange* range),
                           void* context) {
  // At exit the driver may be gone already.
  if (is_forked() || is_exiting()) return;
  std::vector<interop::OwnedRange> found;
  try {
    std::vector<std::shared_ptr<OwnershipWatch>> list;
    {
      Living& all = living();
      MutexLock lock(all.mutex);
      list = all.list;
    }
    for (const auto& one : list) one->ownership.append_owned(found);
  } catch (const std::bad_alloc&) {
    return;  // a check may miss something
  }
  for (const interop::OwnedRange& range : found) each(context, &range);
}

}  // namespace cuvette::vulkan_layer

extern "C" [[gnu::visibility("default")]] const cuvette::interop::OwnershipPartner*
cuvette_meet_ownership_partner_1() {
  static constexpr cuvette::interop::OwnershipPartner own = {
      &cuvette::vulkan_layer::OwnershipWatch::owned};
  return &own;
}
