// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/memory_format.hpp"

#include <cstdio>
#include <string>

#include "sim/os/page.hpp"

namespace cuvette::interop {
namespace {

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
  if (has_header(segment, header))
    return Payload{MemoryFormat::lavapipe, header.offset, segment.size() - header.offset};
  if (name.starts_with(LavapipeHeader::name)) {
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
