// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/memory_format.hpp"

#include <string>
#include <string_view>

#include "sim/interop/external/lavapipe_header.hpp"
#include "sim/os/library.hpp"
#include "sim/os/output.hpp"
#include "sim/os/page.hpp"

namespace cuvette::interop {
namespace {

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

bool write_header(os::Segment& segment, uint64_t payload) {
  const LavapipeHeader header{segment.size(), payload, LavapipeHeader::released};
  return segment.write(0, &header, sizeof header) &&
         segment.write(payload - LavapipeHeader::copy_bytes, &payload, sizeof payload);
}

}  // namespace

Result<Payload> find_payload(const os::Segment& segment) {
  LavapipeHeader header;
  const bool with_header = has_header(segment, header);
  if (const auto own = memory::PhysicalMemory::part_of(segment))
    return Payload{with_header ? MemoryFormat::lavapipe : MemoryFormat::plain, own->offset,
                   own->size, true};
  if (with_header)
    return Payload{MemoryFormat::lavapipe, header.offset, segment.size() - header.offset};
  // lavapipe seals its files against every change of size, which few others do.
  if (segment.grow_sealed()) {
    if (const std::string name = os::name_of_fd(segment.fd()); name.starts_with(lavapipe_name)) {
      os::say(
          "%s cannot be imported: the header that lavapipe writes in front of its memory is "
          "damaged, or of an unknown version.",
          name.c_str());
      return Error::unknown;
    }
  }
  return Payload{MemoryFormat::plain, 0, segment.size()};
}

MemoryFormat format_of_images(MemoryFormat found, const os::Segment& segment) {
  if (found != MemoryFormat::plain) return found;
  return os::name_of_fd(segment.fd()).starts_with(swiftshader_name) ? MemoryFormat::swiftshader
                                                                    : MemoryFormat::plain;
}

memory::WriteFirstPage first_page_of(const memory::PhysicalProperties& properties) {
  constexpr uint32_t posix_file_descriptor = 1;
  if ((properties.handle_types & posix_file_descriptor) == 0) return nullptr;
  const bool swiftshader = os::find_loaded("libvk_swiftshader.so", "vk_icdGetInstanceProcAddr");
  return swiftshader ? nullptr : write_header;
}

}  // namespace cuvette::interop
