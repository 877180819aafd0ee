// SPDX-License-Identifier: Apache-2.0
// Watched: a registered object of OpenGL that libcuvette_gl.so knows. A use of it while CUDA has it
// mapped, or a change of its storage while it is registered, is reported before it happens.
//
// Without that library, which `cuvette run` preloads, nothing is watched.
//
// Threads: any. No lock is held while OpenGL or an observer is called; a call of the program takes
// only a leaf lock.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/base/ref.hpp"
#include "sim/interop/gl/gl_object.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::interop::gl {

class ShareGroup;

class Watched {
 public:
  // Starts to watch what `lender` lends. Null if libcuvette_gl.so is not loaded.
  static std::unique_ptr<Watched> begin(const Ref<ShareGroup>& group, Object object,
                                        const memory::Lender& lender);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void set_mapped(bool mapped);

  struct Entry;

 private:
  explicit Watched(Ref<Entry> entry);
  const Ref<Entry> entry_;
};

// While an OwnCalls lives, calls of OpenGL by the calling thread do not count as the program's.
class OwnCalls {
 public:
  OwnCalls();
  ~OwnCalls();
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

 private:
  const bool before_;
};

}  // namespace cuvette::interop::gl
