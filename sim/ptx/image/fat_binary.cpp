// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/fat_binary.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/ptx/image/cubin_registers.hpp"
#include "sim/ptx/image/decompress.hpp"

namespace cuvette::image {
namespace {

constexpr uint16_t container_head = 16, kind_ptx = 1, kind_cubin = 2;
constexpr uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_one_model = 0x100000,
                   flag_one_family = 0x200000;
constexpr uint32_t least_head = 64;  // bytes of an entry's head

// The head of an entry; the offsets are the format's.
struct Entry {
  explicit Entry(ByteView bytes)
      : kind(bytes.at<uint16_t>(0)),
        head(bytes.at<uint32_t>(4)),
        payload(bytes.at<uint64_t>(8)),
        compressed(bytes.at<uint32_t>(16)),
        options(bytes.at<uint32_t>(20)),
        target(bytes.at<uint32_t>(28)),
        flags(bytes.at<uint64_t>(40)),
        uncompressed(bytes.at<uint64_t>(56)) {}

  const uint16_t kind;
  const uint32_t head;        // bytes
  const uint64_t payload;     // bytes, including padding
  const uint32_t compressed;  // bytes, 0 if it is not compressed
  const uint32_t options;  // where the place and the length of the options are; 0: there are none
  const uint32_t target;   // compute capability
  const uint64_t flags;
  const uint64_t uncompressed;  // bytes

  // Returns how well it suits a device: the newest is best, and among equally new ones the one made
  // for this device alone. 0: not at all.
  uint32_t suits(uint32_t device) const {
    if (target > device) return 0;
    if (flags & flag_one_model) return target == device ? target * 4 + 3 : 0;
    if (flags & flag_one_family) return target / 10 == device / 10 ? target * 4 + 2 : 0;
    return target * 4 + 1;
  }
};

Result<std::string> contents_of(const Entry& entry, ByteView payload) {
  std::optional<std::string> contents;
  if (entry.flags & (flag_lz4 | flag_zstd)) {
    if (entry.compressed > payload.size() || entry.uncompressed > most_text)
      return Error::invalid_image;
    const ByteView bytes = payload.part(0, entry.compressed);
    const auto size = static_cast<size_t>(entry.uncompressed);
    contents = entry.flags & flag_zstd ? decompress_zstd(bytes, size) : decompress_lz4(bytes, size);
  } else if (payload.size() <= most_text) {
    contents = std::string(payload.text());
  }
  if (!contents) return Error::invalid_image;
  return std::move(*contents);
}

Result<std::string> text_of(const Entry& entry, ByteView payload) {
  std::string text = TRY(contents_of(entry, payload));
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// Returns the number in " -maxrregcount=32 " among an entry's options; 0 if there is none.
uint32_t most_registers_of(const Entry& entry, ByteView head) {
  if (entry.options == 0 || !head.has(entry.options, 8)) return 0;
  const auto at = head.at<uint32_t>(entry.options), length = head.at<uint32_t>(entry.options + 4);
  if (!head.has(at, length)) return 0;
  constexpr std::string_view word = "-maxrregcount=";
  const std::string_view options = head.part(at, length).text();
  const size_t found = options.find(word);
  uint32_t number = 0;
  if (found != options.npos)
    std::from_chars(options.data() + found + word.size(), options.data() + options.size(), number);
  return number;
}

std::string capability(uint32_t target) {
  return std::to_string(target / 10) + "." + std::to_string(target % 10);
}

}  // namespace

namespace {

// Whether there is a whole entry at `at`.
bool has_entry(ByteView container, uint64_t at) {
  if (!container.has(at, least_head)) return false;
  const Entry entry(container.from(at));
  return entry.head >= least_head && container.has(at, entry.head) &&
         container.has(at + entry.head, entry.payload);
}

}  // namespace

uint64_t container_bytes(ByteView head) {
  if (head.size() < container_head || head.at<uint32_t>(0) != container_magic) return 0;
  const auto version = head.at<uint16_t>(4), bytes = head.at<uint16_t>(6);
  const auto size = head.at<uint64_t>(8);
  if (version != 1 || bytes < container_head || size > (uint64_t{1} << 40)) return 0;
  return bytes + size;
}

Result<Ptx> best_ptx(ByteView container, uint32_t target, std::string& sentence) {
  const uint64_t bytes = container_bytes(container);
  if (bytes == 0 || bytes > container.size()) {
    sentence = "The fat binary is damaged: its header gives no valid size.";
    return Error::invalid_image;
  }
  container = container.part(0, bytes);
  uint32_t best = 0, least_ptx = UINT32_MAX, cubins = 0;
  uint64_t best_at = 0;
  for (uint64_t at = container.at<uint16_t>(6); at < container.size();) {
    if (!has_entry(container, at)) {
      sentence = "The fat binary is damaged: an entry reaches past its end.";
      return Error::invalid_image;
    }
    const Entry entry(container.from(at));
    if (entry.kind == kind_ptx) {
      least_ptx = std::min(least_ptx, entry.target);
      if (const uint32_t rank = entry.suits(target); rank > best) {
        best = rank;
        best_at = at;
      }
    }
    cubins += entry.kind == kind_cubin;
    at += entry.head + entry.payload;
  }
  if (best == 0) {
    if (least_ptx != UINT32_MAX)
      sentence = "The image has PTX, but none that a device of compute capability " +
                 capability(target) + " can run: the oldest is for " + capability(least_ptx) +
                 (least_ptx <= target ? ", and only for such devices." : ".");
    else if (cubins > 0)
      sentence =
          "The image holds machine code for NVIDIA GPUs but no PTX, and Cuvette runs only PTX.";
    else
      sentence = "The image holds no PTX.";
    sentence +=
        " Build it with PTX, for example with nvcc -gencode "
        "arch=compute_75,code=compute_75.";
    return Error::no_binary_for_gpu;
  }
  const Entry entry(container.from(best_at));
  auto text = text_of(entry, container.part(best_at + entry.head, entry.payload));
  if (!text.ok()) {
    sentence = "The fat binary is damaged: an entry cannot be decompressed.";
    return text.error();
  }
  return Ptx{std::move(text).value(),
             most_registers_of(entry, container.part(best_at, entry.head))};
}

// Machine code runs on devices of its major version that are not older.
std::map<std::string, uint32_t> registers_in_container(ByteView container, uint32_t target) {
  const uint64_t bytes = container_bytes(container);
  if (bytes == 0 || bytes > container.size()) return {};
  container = container.part(0, bytes);
  uint32_t best = 0;
  uint64_t best_at = 0;
  for (uint64_t at = container.at<uint16_t>(6); at < container.size();) {
    if (!has_entry(container, at)) return {};
    const Entry entry(container.from(at));
    if (entry.kind == kind_cubin && entry.target / 10 == target / 10 && entry.target <= target &&
        entry.target > best) {
      best = entry.target;
      best_at = at;
    }
    at += entry.head + entry.payload;
  }
  if (best == 0) return {};
  const Entry entry(container.from(best_at));
  const auto code = contents_of(entry, container.part(best_at + entry.head, entry.payload));
  if (!code.ok()) return {};
  return registers_in_cubin(ByteView(code.value().data(), code.value().size()));
}

}  // namespace cuvette::image
