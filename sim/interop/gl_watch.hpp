// SPDX-License-Identifier: Apache-2.0
// Watched: a registered object of OpenGL, as libcuvette_gl.so is to know it: what the program does
// to it while CUDA has it mapped, or to its storage while it is registered, is reported before it
// is done.
//
// Without that library, which `cuvette run` preloads, there are none.
//
// Threads: any. No lock is held while OpenGL or an observer is called, and none but a leaf is taken
// for a call of the program.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/memory/allocation.hpp"
#include "sim/ref.hpp"

namespace cuvette::interop::gl {

class ShareGroup;

// What the contexts of a group call the same.
struct Object {
  enum class Kind : uint8_t { buffer, texture, renderbuffer };
  Kind kind;
  unsigned name;
  bool operator==(const Object&) const = default;
};

class Watched {
 public:
  // Begins to watch what `lender` lends. Null if nobody sees the program's calls.
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

// While it lives, what the calling thread calls of OpenGL is no doing of the program.
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
