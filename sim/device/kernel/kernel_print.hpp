// SPDX-License-Identifier: Apache-2.0
// Formats what a kernel's printf prints.
//
// Threads: any; a source is one thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cuvette::device {

// Reads memory as the thread that prints sees it. The functions return the address that cannot be
// read, or nothing.
class PrintSource {
 public:
  // Reads the string at an address of the device, up to its end or `most` bytes.
  virtual std::optional<uint64_t> text_at(uint64_t address, size_t most, std::string& text) = 0;
  // Reads the next `bytes` of the buffer of arguments.
  virtual std::optional<uint64_t> argument(uint32_t bytes, uint64_t& value) = 0;
  // False where printf was called without any argument.
  virtual bool has_arguments() const = 0;

 protected:
  ~PrintSource() = default;
};

// "printf() can accept at most 32 arguments in addition to the format string. Additional arguments
// beyond this will be ignored, and the format specifier output as-is."
constexpr uint32_t most_print_arguments = 32;
// The widest field, and the longest string, that is printed.
constexpr uint64_t longest_print = 1 << 20;

struct Print {
  std::string text;
  uint32_t arguments = 0;              // how many were taken
  std::optional<uint64_t> unreadable;  // where reading failed; there is no text then
  // Why a GPU may print something else, as the end of a sentence; empty if it does not.
  std::string doubt;
};

Print format_print(const std::string& format, PrintSource& source);

}  // namespace cuvette::device
