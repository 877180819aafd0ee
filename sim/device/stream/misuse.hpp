// SPDX-License-Identifier: Apache-2.0
// Misuse: a mistake of the program that a call or a command has found, as facts for observers. The
// words of its report are those of sim/check.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/memory/allocation.hpp"

namespace cuvette::device {

class Stream;

namespace misuse {

// --- What a graphics API has lent: Misuse::lender
// --------------------------------------------------

// A registered object that a call of the graphics API touches.
struct Touched {
  Ref<const memory::Lender> lender;
  std::vector<std::string> as;  // "vertex attribute 0" and the like; empty where it is not known
  bool mapped = false;          // CUDA has it mapped
};
// A call of the graphics API uses objects that CUDA has mapped; the lender's is the first of them.
struct UsedWhileMapped {
  std::string function;
  std::vector<Touched> objects;
};
// A call of the graphics API deletes registered objects or gives them other storage.
struct ReplacedByCall {
  std::string function;
  std::vector<Touched> objects;
  bool deleted = false;
};
// The program has mapped an OpenGL buffer that CUDA has mapped, or ended CUDA's mapping.
struct MappedTwice {};
struct UnmappedUnderneath {};
// CUDA finds that an object is deleted or has other storage. `how` is the end of a sentence.
struct StorageChanged {
  const char* object;  // "buffer", "image"
  const char* how;
};
// CUDA touches what it has given back: by a pointer, or by an array.
struct UsedAfterUnmap {
  bool by_array = false;
};
// CUDA writes to what it has mapped to read.
struct WrittenReadOnly {};
// It is unmapped while another stream uses it.
struct UnmappedInUse {};
// CUDA's work on a frame cannot be given back.
struct FrameKept {};
// It is still registered at the end, and perhaps mapped.
struct LeftOver {
  bool mapped = false;
};

// --- Others
// ----------------------------------------------------------------------------------------

// A kernel uses a texture or surface object that is not as it should be.
struct TextureHandle {
  enum class State : uint8_t {
    null,
    unbound,           // a reference that was bound to nothing at the launch
    destroyed_after,   // after the launch
    destroyed_before,  // before the launch
    of_unmapped_image,
    without_array,
  };
  State state;
  bool is_surface = false;
  uint64_t handle = 0;
  std::string kernel;
  const Stream* stream = nullptr;  // of the launch
  uint64_t number = 0;             // of the launch, in its stream
};
// Returns what is wrong with the object: "which is a null handle" and the like.
const char* words_of(TextureHandle::State state);

// A kernel's printf for which a GPU may print something else.
struct PrintFormat {
  std::string why;  // the end of a sentence
  std::string format;
  std::string kernel;
  const Stream* stream = nullptr;  // of the launch
  uint64_t number = 0;             // of the launch, in its stream
};

// A copy, a fill or an operation on a value is given memory of a graph that no launch has
// allocated, or that is freed.
struct GraphMemoryNotThere {
  Ref<const memory::Allocation> memory;
  uint64_t address = 0;
  bool was_there = false;          // an earlier launch has allocated it
  const void* freed_at = nullptr;  // by this call
};

// Kernels have printed more than the buffer holds, since it was last written out.
struct PrintOverflow {
  uint64_t calls = 0, bytes = 0;  // calls of printf that lost their text, and its size
  uint64_t limit = 0;
  std::string kernel;               // the first that had to overwrite any
  uint64_t stream = 0, number = 0;  // of its launch
};

// A host function has ended the thread that called it.
struct HostThreadEnded {};

}  // namespace misuse

struct Misuse {
  using What =
      std::variant<misuse::UsedWhileMapped, misuse::ReplacedByCall, misuse::MappedTwice,
                   misuse::UnmappedUnderneath, misuse::StorageChanged, misuse::UsedAfterUnmap,
                   misuse::WrittenReadOnly, misuse::UnmappedInUse, misuse::FrameKept,
                   misuse::LeftOver, misuse::TextureHandle, misuse::PrintFormat,
                   misuse::PrintOverflow, misuse::GraphMemoryNotThere, misuse::HostThreadEnded>;
  What what;
  const void* place;                       // in the program; reported once for each place
  const memory::Lender* lender = nullptr;  // of graphics memory
};

// Notifies observers.
void notify_misuse(const Misuse& misuse);
inline void notify_misuse(Misuse::What what, const memory::Lender& lender, const void* place) {
  notify_misuse({std::move(what), place, &lender});
}

}  // namespace cuvette::device
