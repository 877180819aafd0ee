// SPDX-License-Identifier: Apache-2.0
// EndedObjects: a context's destroyed texture and surface objects, for kernels that still name
// them.
//
// On an H200, a kernel launched before its texture object was destroyed still reads through it, and
// the driver does not reuse the handle until that kernel is done; a kernel launched later reads
// through the old object until another takes its place. So an object is kept until the work under
// way at its destruction is done, and after that until `most` others have been destroyed.
//
// Threads: any. Locks: a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/texture/texture.hpp"
#include "sim/exec/timeline.hpp"

namespace cuvette::device {

class EndedObjects {
 public:
  // One of the two is set; both are null for an unknown handle.
  struct Object {
    Ref<Texture> texture;
    Ref<Surface> surface;
    std::vector<exec::Edge> under_way;  // when it was destroyed

    // Whether command `number` of `stream` was submitted before the destruction.
    bool is_behind(const exec::Timeline& stream, uint64_t number) const;
  };

  void keep(uint64_t handle, Object object) EXCLUDES(mutex_);
  Object find(uint64_t handle) const EXCLUDES(mutex_);
  void clear() EXCLUDES(mutex_);

 private:
  static constexpr size_t most = 256;

  mutable Mutex mutex_;
  std::unordered_map<uint64_t, Object> objects_ GUARDED_BY(mutex_);
  std::deque<uint64_t> order_ GUARDED_BY(mutex_);  // in order of destruction
};

}  // namespace cuvette::device
