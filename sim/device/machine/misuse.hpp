// SPDX-License-Identifier: Apache-2.0
// Misuse: a mistake of the program that a call found, for observers.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/memory/allocation.hpp"

namespace cuvette::device {

enum class MisuseKind : uint8_t {
  graphics_used_while_mapped,  // the graphics API touches what CUDA has mapped
  graphics_used_after_unmap,   // CUDA touches what it has given back
  graphics_written,            // CUDA writes to what it mapped to read
  graphics_unordered,          // unmapped while another stream uses it
  graphics_storage_changed,    // the graphics API has given it other storage, or none
  graphics_frame_kept,         // CUDA's work on a frame cannot be given back
  graphics_not_unmapped,
  graphics_not_unregistered,
  texture_handle,     // a kernel uses an invalid object, or one whose array is gone
  host_thread_ended,  // by a host function
  unwritten_copied,   // to the host: uninitialised memory
};

struct Misuse {
  MisuseKind kind;
  const void* place;  // in the program; reported once for each place
  std::string sentence;
  std::vector<std::pair<const char*, std::string>> facts;
};

// Notifies observers of a misuse of what `lender` lent. `sentence` says what happened and, in the
// documentation's words, why it is wrong.
void notify_misuse(MisuseKind kind, const memory::Lender& lender, const void* place,
                   std::string sentence);

// Notifies observers that a host function, submitted by the call at `place`, has ended the thread
// that called it.
void notify_thread_ended(const void* place);

}  // namespace cuvette::device
