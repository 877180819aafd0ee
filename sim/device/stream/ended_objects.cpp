// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/ended_objects.hpp"

#include <algorithm>
#include <utility>

namespace cuvette::device {

bool EndedObjects::Object::is_behind(const exec::Timeline& stream, uint64_t number) const {
  return std::any_of(under_way.begin(), under_way.end(), [&](const exec::Edge& edge) {
    return edge.timeline.get() == &stream && edge.value >= number;
  });
}

void EndedObjects::keep(uint64_t handle, Object object) {
  MutexLock lock(mutex_);
  if (!objects_.emplace(handle, std::move(object)).second) return;
  order_.push_back(handle);
  while (order_.size() > most) {
    const auto oldest = objects_.find(order_.front());
    const std::vector<exec::Edge>& edges = oldest->second.under_way;
    if (!std::all_of(edges.begin(), edges.end(),
                     [](const exec::Edge& edge) { return edge.reached(); }))
      return;
    objects_.erase(oldest);
    order_.pop_front();
  }
}

EndedObjects::Object EndedObjects::find(uint64_t handle) const {
  MutexLock lock(mutex_);
  const auto found = objects_.find(handle);
  return found == objects_.end() ? Object() : found->second;
}

void EndedObjects::clear() {
  MutexLock lock(mutex_);
  objects_.clear();
  order_.clear();
}

}  // namespace cuvette::device
