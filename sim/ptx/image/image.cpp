// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/image.hpp"

#include <algorithm>

#include "sim/base/byte_view.hpp"
#include "sim/base/elf.hpp"
#include "sim/os/process.hpp"
#include "sim/ptx/image/archive.hpp"
#include "sim/ptx/image/fat_binary.hpp"

namespace cuvette::image {
namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 32;  // in an image in memory
constexpr uint64_t most_fat_binaries = 1 << 16;     // in a wrapper's list

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Compares byte by byte, so that nothing is read past a terminator.
bool begins_with(const char* text, size_t size, std::string_view beginning) {
  for (size_t i = 0; i < beginning.size(); ++i)
    if (i >= size || text[i] != beginning[i]) return false;
  return true;
}

// Returns where the first word of a text is, after blanks and comments; the end if there is none.
size_t first_word(const char* text, size_t size) {
  size_t at = 0;
  while (at < size && text[at]) {
    if (blank(text[at])) {
      ++at;
    } else if (begins_with(text + at, size - at, "//")) {
      while (at < size && text[at] && text[at] != '\n') ++at;
    } else if (begins_with(text + at, size - at, "/*")) {
      for (at += 2; at < size && text[at] && !begins_with(text + at, size - at, "*/");) ++at;
      if (at < size && text[at]) at += 2;
    } else {
      break;
    }
  }
  return at;
}

// Of programs that were compiled to be linked.
constexpr std::string_view relocatable_code = "__nv_relfatbin";

bool has_device_code(const Elf::Section& section) {
  return (section.name == relocatable_code || section.name == ".nv_fatbin") &&
         section.contents.size() > 0;
}

class Extractor {
 public:
  Extractor(uint32_t target, std::string& sentence) : target_(target), sentence_(sentence) {}

  Result<> take(const void* image, size_t size) {
    switch (kind_of(image, size)) {
      case Kind::ptx:
        return take_text(static_cast<const char*>(image), size);
      case Kind::fat_binary:
        return take_container(TRY(bounded(image, size, 16, container_bytes)));
      case Kind::wrapper:
        // Its pointers mean something only in the memory in which it was made, not in a file.
        if (size != unknown_size) break;
        return take_wrapper(TRY(bounded(image, size, 24, nullptr)));
      case Kind::elf:
        return take_elf(TRY(bounded(image, size, 64, elf_bytes)));
      case Kind::archive:
        if (size == unknown_size) break;
        return take_archive(ByteView(image, size));
      case Kind::nothing:
        break;
    }
    return fail(
        "The image is neither PTX, which begins with .version, nor a fat binary, nor an ELF "
        "file.");
  }

  Extract result;
  // Where the kernels' registers go; PTX is not taken then.
  std::map<std::string, uint32_t>* registers = nullptr;

 private:
  Error fail(const char* sentence, Error error = Error::invalid_image) {
    if (sentence_.empty()) sentence_ = sentence;
    return error;
  }

  // Returns the image with its bounds. If its size is unknown, its header gives it, and all of the
  // image must be mapped memory.
  Result<ByteView> bounded(const void* image, size_t size, size_t head,
                           uint64_t (*bytes)(ByteView)) {
    const auto address = reinterpret_cast<uint64_t>(image);
    if (size != unknown_size) {
      if (size < head) return fail("The image ends within its header.");
      return ByteView(image, size);
    }
    if (!os::accessible(address, head, false)) return fail("The image ends within its header.");
    if (!bytes) return ByteView(image, head);
    const uint64_t whole = bytes(ByteView(image, head));
    if (whole < head || whole > most_bytes || !os::accessible(address, whole, false))
      return fail("The image is damaged: its header gives no valid size.");
    return ByteView(image, static_cast<size_t>(whole));
  }

  Result<> take_text(const char* text, size_t size) {
    const size_t length = size == unknown_size ? std::strlen(text) : strnlen(text, size);
    if (length > most_text) return fail("The PTX has more than 256 MiB.");
    return add({std::string(text, length)});
  }

  Result<> add(Ptx ptx) {
    if (ptx.text.size() > most_text - taken_) return fail("The PTX has more than 256 MiB.");
    taken_ += ptx.text.size();
    result.texts.push_back(std::move(ptx.text));
    result.most_registers.push_back(ptx.most_registers);
    return {};
  }

  Result<> take_container(ByteView container) {
    if (registers) {
      registers->merge(registers_in_container(container, target_));
      return {};
    }
    return add(TRY(best_ptx(container, target_, sentence_)));
  }

  // Takes one of several parts. The missing parts may not be needed: CUDA's own parts have only
  // machine code for most devices.
  Result<> take_part(ByteView container) {
    const Result<> taken = take_container(container);
    if (!taken.ok() && taken.error() == Error::no_binary_for_gpu) return {};
    return taken;
  }

  // A wrapper is a magic number, a version, the data, and in version 2 a list of fat binaries that
  // ends with null.
  Result<> take_wrapper(ByteView wrapper) {
    const auto version = wrapper.at<uint32_t>(4);
    const auto data = wrapper.at<uint64_t>(8), list = wrapper.at<uint64_t>(16);
    if (version != 1 && version != 2)
      return fail("The wrapper of a fat binary has an unknown version.");
    if (version == 1) return take_container(TRY(inner_container(data)));
    result.relocatable = true;
    for (uint64_t i = 0; i < most_fat_binaries; ++i) {
      const uint64_t at = list + i * sizeof(uint64_t);
      if (list == 0 || !os::accessible(at, sizeof(uint64_t), false)) break;
      const auto inner =
          ByteView(reinterpret_cast<const void*>(at), sizeof(uint64_t)).at<uint64_t>(0);
      if (inner == 0) return {};
      TRY(take_part(TRY(inner_container(inner))));
    }
    return fail("The wrapper's list of fat binaries has no end.");
  }

  Result<ByteView> inner_container(uint64_t address) {
    const void* const inner = reinterpret_cast<const void*>(address);
    if (address == 0 || !os::accessible(address, 16, false) ||
        kind_of(inner, 16) != Kind::fat_binary)
      return fail("The wrapper does not point to a fat binary.");
    return bounded(inner, unknown_size, 16, container_bytes);
  }

  Result<> take_elf(ByteView file) {
    const auto elf = read_elf(file);
    if (!elf) return fail("The ELF file is damaged.");
    if (elf->cubin) {
      sentence_ =
          "The image is a cubin, machine code for NVIDIA GPUs; Cuvette runs only PTX. Build it "
          "with PTX, for example with nvcc -gencode arch=compute_75,code=compute_75.";
      return Error::no_binary_for_gpu;
    }
    bool found = false;
    for (const Elf::Section& section : elf->sections) {
      if (!has_device_code(section)) continue;
      result.relocatable |= section.name == relocatable_code;
      for (uint64_t at = 0; at < section.contents.size();) {
        const ByteView rest = section.contents.from(at);
        const uint64_t bytes = container_bytes(rest);
        if (bytes == 0 || bytes > rest.size()) {
          at += 8;  // padding between two containers
          continue;
        }
        found = true;
        // In programs that were compiled to be linked, an empty container remains.
        if (bytes > 16) TRY(take_part(rest.part(0, bytes)));
        at += bytes;
      }
    }
    if (!found)
      return fail("The ELF file has no section with device code.", Error::no_binary_for_gpu);
    return {};
  }

  Result<> take_archive(ByteView archive) {
    result.relocatable = true;
    const std::vector<ByteView> members = members_of(archive);
    if (members.empty()) return fail("The archive is empty or damaged.");
    for (const ByteView& member : members) {
      const auto elf = read_elf(member);
      if (!elf || elf->cubin) continue;
      for (const Elf::Section& section : elf->sections)
        if (has_device_code(section)) {
          TRY(take_elf(member));
          break;
        }
    }
    return {};
  }

  const uint32_t target_;
  std::string& sentence_;
  size_t taken_ = 0;
};

}  // namespace

Kind kind_of(const void* image, size_t size) {
  const char* const bytes = static_cast<const char*>(image);
  const auto magic = [&](uint32_t number) {
    char expected[sizeof number];
    std::memcpy(expected, &number, sizeof number);
    return begins_with(bytes, size, {expected, sizeof expected});
  };
  if (magic(container_magic)) return Kind::fat_binary;
  if (magic(wrapper_magic)) return Kind::wrapper;
  if (begins_with(bytes, size, "\177ELF")) return Kind::elf;
  if (begins_with(bytes, size, archive_magic)) return Kind::archive;
  const size_t at = first_word(bytes, size);
  if (begins_with(bytes + at, size - at, ".version")) return Kind::ptx;
  return Kind::nothing;
}

Result<Extract> extract_ptx(const void* image, size_t size, uint32_t target,
                            std::string& sentence) {
  sentence.clear();
  Extractor extractor(target, sentence);
  TRY(extractor.take(image, size));
  if (extractor.result.texts.empty()) {
    if (sentence.empty()) sentence = "The image holds no PTX.";
    if (kind_of(image, size) != Kind::archive) return Error::no_binary_for_gpu;
    extractor.result.nothing_fits = std::move(sentence);
    sentence.clear();
  }
  return std::move(extractor.result);
}

std::map<std::string, uint32_t> kernel_registers(const void* image, size_t size, uint32_t target) {
  std::map<std::string, uint32_t> registers;
  if (kind_of(image, size) == Kind::ptx) return registers;
  std::string sentence;
  Extractor extractor(target, sentence);
  extractor.registers = &registers;
  if (!extractor.take(image, size).ok() || extractor.result.relocatable) registers.clear();
  return registers;
}

}  // namespace cuvette::image
