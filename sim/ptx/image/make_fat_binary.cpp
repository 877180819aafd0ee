// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/make_fat_binary.hpp"

namespace cuvette::image {
namespace {

// Both headers as they lie in memory; all numbers are little-endian.
struct ContainerHeader {
  uint32_t magic = container_magic;
  uint16_t version = 1;
  uint16_t header_size = 16;
  uint64_t size_of_entries = 0;
};

struct EntryHeader {
  uint16_t kind = 1;  // PTX
  uint16_t version = 0x0101;
  uint32_t header_size = 64;
  uint64_t payload_size = 0;
  uint32_t compressed_size = 0;  // 0: the payload is as it is
  uint32_t options_offset = 0;
  uint16_t minor_version = 0;
  uint16_t major_version = 0;
  uint32_t capability = 0;
  uint32_t name_offset = 0;
  uint32_t name_length = 0;
  uint64_t flags = 0x11;  // 64-bit, Linux
  uint64_t reserved = 0;
  uint64_t uncompressed_size = 0;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

// Writes the two numbers of the line ".version 7.5" into the header.
void read_version(std::string_view ptx, EntryHeader& header) {
  constexpr std::string_view directive = ".version ";
  const size_t at = ptx.find(directive);
  if (at == std::string_view::npos) return;
  uint16_t* number = &header.major_version;
  for (size_t i = at + directive.size(); i < ptx.size(); ++i) {
    const char c = ptx[i];
    if (c == '.' && number == &header.major_version)
      number = &header.minor_version;
    else if (c >= '0' && c <= '9')
      *number = static_cast<uint16_t>(*number * 10 + (c - '0'));
    else
      break;
  }
}

template <typename T>
void append(std::string& bytes, const T& header) {
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
}

}  // namespace

std::string make_fat_binary(std::span<const PtxFor> entries) {
  std::string all;
  for (const PtxFor& one : entries) {
    std::string payload = one.text;
    payload += '\0';  // belongs to PTX that is not compressed
    payload.resize((payload.size() + 7) / 8 * 8, '\0');
    EntryHeader entry;
    entry.payload_size = payload.size();
    entry.capability = one.target;
    read_version(one.text, entry);
    append(all, entry);
    all += payload;
  }
  ContainerHeader container;
  container.size_of_entries = all.size();
  std::string bytes;
  append(bytes, container);
  return bytes + all;
}

std::string make_fat_binary(std::string_view ptx, uint32_t target) {
  const PtxFor only{target, std::string(ptx)};
  return make_fat_binary({&only, 1});
}

}  // namespace cuvette::image
