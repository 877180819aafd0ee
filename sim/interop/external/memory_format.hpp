// SPDX-License-Identifier: Apache-2.0
// The known formats in which the file of an opaque descriptor holds memory.
//
// - plain: the memory begins at the file's first byte.
// - lavapipe (Mesa): after a header, see lavapipe_header.hpp. So does memory of cuMemCreate that
// can be
//   exported, as a rule.
// - SwiftShader: plain, with a few bytes more than were allocated, in a memfd of its name.
//
// Source: the files that Mesa 22.3.6 and SwiftShader 156 export. Threads: any; plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/memory/physical_memory.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::interop {

enum class MemoryFormat : uint8_t { plain, lavapipe, swiftshader };

// Which bytes of a file are the memory.
struct Payload {
  MemoryFormat format = MemoryFormat::plain;
  uint64_t offset = 0;  // a multiple of the page size
  uint64_t size = 0;
  bool own = false;  // memory of cuMemCreate
};

// Finds the memory in a file. SwiftShader's is found as plain. Errors: unknown for lavapipe's file
// with a header that is none (what is wrong goes to stderr).
Result<Payload> find_payload(const os::Segment& segment);

// Distinguishes SwiftShader's memory, which was found as plain, from other plain memory, by the
// file's name; the system takes as long for that as for all the rest of an import.
MemoryFormat format_of_images(MemoryFormat found, const os::Segment& segment);

// Returns what writes the first page of memory of cuMemCreate: lavapipe's header if the memory can
// be exported, so that Mesa's software Vulkan and OpenGL import it, too. Null if it needs none;
// SwiftShader imports memory from the first byte on, so there is none if the program has it loaded.
memory::WriteFirstPage first_page_of(const memory::PhysicalProperties& properties);

}  // namespace cuvette::interop
