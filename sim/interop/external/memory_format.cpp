// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/memory_format.hpp"

#include <cstdio>
#include <string>

#include "sim/memory/lavapipe_header.hpp"
#include "sim/memory/physical_memory.hpp"
#include "sim/os/page.hpp"

namespace cuvette::interop {
namespace {

using memory::LavapipeHeader;

constexpr std::string_view lavapipe_name = "/memfd:llvmpipe memory fd";
constexpr std::string_view swiftshader_name = "/memfd:SwiftShader.Memory.";

// Returns whether the file begins with lavapipe's header. The first bytes of plain memory are the
// exporter's data; they are taken for a header only if both places agree.
bool has_header(const os::Segment& segment, LavapipeHeader& header) {
  if (!segment.read(0, &header, sizeof header)) return false;
  if (header.file_bytes != segment.size() || header.offset == 0 ||
      header.offset % os::page_size() != 0 || header.offset >= segment.size())
    return false;
  uint64_t copy = 0;
  return segment.read(header.offset - LavapipeHeader::copy_bytes, &copy, sizeof copy) &&
         copy == header.offset;
}

}  // namespace

Result<Payload> find_payload(const os::Segment& segment, std::string_view name) {
  LavapipeHeader header;
  const bool with_header = has_header(segment, header);
  if (const auto own = memory::PhysicalMemory::part_of(segment))
    return Payload{with_header ? MemoryFormat::lavapipe : MemoryFormat::plain, own->offset,
                   own->size};
  if (with_header)
    return Payload{MemoryFormat::lavapipe, header.offset, segment.size() - header.offset};
  if (name.starts_with(lavapipe_name)) {
    fprintf(stderr,
            "cuvette: %.*s cannot be imported: the header that lavapipe writes in front of its "
            "memory is damaged, or of a version that is not known.\n",
            static_cast<int>(name.size()), name.data());
    return Error::unknown;
  }
  const bool swiftshader = name.starts_with(swiftshader_name);
  return Payload{swiftshader ? MemoryFormat::swiftshader : MemoryFormat::plain, 0, segment.size()};
}

}  // namespace cuvette::interop
