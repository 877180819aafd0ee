// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_system_calls.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "sim/device/kernel/device_runtime.hpp"
#include "sim/device/kernel/math_functions.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/exec/kernel_helpers.hpp"
#include "sim/os/output.hpp"

namespace cuvette::device {
namespace {

using exec::Block;
using exec::GridFault;
using exec::GridRange;
using ptx::SystemCall;

// Memory as a block sees it.
class BlockReader final : public PrintSource {
 public:
  BlockReader(Block& block, uint64_t arguments) : block_(block), arguments_(arguments) {}

  bool text_at(uint64_t address, std::string& text) override {
    constexpr size_t longest = 1 << 20;
    while (text.size() < longest) {
      const auto range = block_.grid->readable(block_, address);
      if (!range) return false;
      const auto* const begin = reinterpret_cast<const char*>(address);
      const size_t most = std::min<uint64_t>(range->end - address, longest);
      const size_t length = strnlen(begin, most);
      text.append(begin, length);
      if (length < most) return true;
      address += most;
    }
    return true;
  }

  bool argument(uint32_t bytes, uint64_t& value) override {
    offset_ = (offset_ + bytes - 1) & ~uint64_t{bytes - 1};
    const uint64_t at = arguments_ + offset_;
    const auto range = block_.grid->readable(block_, at);
    if (!range || range->end - at < bytes) return false;
    value = 0;
    memcpy(&value, reinterpret_cast<const void*>(at), bytes);
    offset_ += bytes;
    return true;
  }

 private:
  Block& block_;
  const uint64_t arguments_;
  uint64_t offset_ = 0;
};

uint32_t stop_at(Block& block, GridFault::Kind kind, uint32_t warp, uint32_t lane,
                 uint64_t location, uint64_t address, std::string text = {}) {
  GridFault fault = block.grid->fault_of(block, kind, warp, lane, location);
  fault.address = address;
  fault.access = 1;
  fault.text = std::move(text);
  return block.grid->stop(std::move(fault));
}

// "printf returns the number of arguments; -1 for a null format, -2 for another error."
uint32_t print(Context& context, Block& block, uint64_t format, uint64_t arguments,
               uint64_t& result) {
  if (format == 0) {
    result = static_cast<uint32_t>(-1);
    return 0;
  }
  BlockReader reader(block, arguments);
  std::string format_text, text;
  uint32_t count = 0;
  if (!reader.text_at(format, format_text) || !format_print(format_text, reader, text, count)) {
    result = static_cast<uint32_t>(-2);
    return 0;
  }
  context.prints().add(std::move(text), context.limit(Limit::printf_fifo_size).value());
  result = count;
  return 0;
}

// "file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `message` failed."
uint32_t fail_assertion(Block& block, const uint64_t* parameters, uint32_t mask, uint32_t warp,
                        uint64_t location) {
  std::string first;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    BlockReader reader(block, 0);
    std::string message, file, function;
    reader.text_at(parameters[lane], message);
    reader.text_at(parameters[32 + lane], file);
    reader.text_at(parameters[96 + lane], function);
    const GridFault place =
        block.grid->fault_of(block, GridFault::Kind::assertion, warp, lane, location);
    char where[160];
    snprintf(where, sizeof where, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `",
             place.block[0], place.block[1], place.block[2], place.thread[0], place.thread[1],
             place.thread[2]);
    std::string text = file;
    text.append(":").append(std::to_string(static_cast<uint32_t>(parameters[64 + lane])));
    text.append(": ").append(function).append(where).append(message).append("` failed.\n");
    os::write_to_stderr(text);
    if (first.empty()) first = message;
  }
  return stop_at(block, GridFault::Kind::assertion, warp,
                 static_cast<uint32_t>(std::countr_zero(mask)), location, 0, first);
}

}  // namespace

uint32_t kernel_system_call(Context& context, std::string_view kernel, GraphConditions* conditions,
                            Block& block, SystemCall function, uint64_t* results,
                            const uint64_t* parameters, uint32_t mask, uint32_t warp,
                            uint64_t location) {
  if (function == SystemCall::__assertfail)
    return mask ? fail_assertion(block, parameters, mask, warp, location) : 0;
  const DeviceHeap::Caller by{kernel, location};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if (is_math_function(function)) {
      constexpr size_t most = 4;
      uint64_t own[most] = {};
      for (uint32_t p = 0; p < ptx::parameters_of(function); ++p)
        own[p] = parameters[32 * p + lane];
      results[lane] = math_function(function, own);
      continue;
    }
    if (is_device_runtime(function)) {
      constexpr size_t most = 3;
      uint64_t own[most] = {}, address = 0;
      for (uint32_t p = 0; p < ptx::parameters_of(function); ++p)
        own[p] = parameters[32 * p + lane];
      const char* const wrong = device_runtime_call(context, conditions, block, function, own, by,
                                                    results[lane], address);
      if (wrong)
        return stop_at(block, GridFault::Kind::illegal_address, warp, lane, location, address,
                       wrong);
      continue;
    }
    const uint64_t first = parameters[lane];
    switch (function) {
      case SystemCall::vprintf:
        if (const uint32_t status =
                print(context, block, first, parameters[32 + lane], results[lane]))
          return status;
        break;
      case SystemCall::malloc:
        results[lane] = allocate_for_kernel(context, block, first, by);
        break;
      case SystemCall::free:
        if (!free_for_kernel(context, block, first, by))
          return stop_at(
              block, GridFault::Kind::illegal_address, warp, lane, location, first,
              "free() of memory that was not returned by malloc(), or was already freed");
        break;
      default:
        return exec::kernel_helpers::not_supported(&block.context, "a system call", mask, warp,
                                                   location);
    }
  }
  return 0;
}

// --- printf --------------------------------------------------------------------------------------

namespace {

// %[flags][width][.precision][size]type
struct Conversion {
  std::string begin = "%";  // up to the size
  bool is_long = false;
  int shorts = 0;
  char type = 0;  // 0: the format ends before it
};

// Reads a conversion; `at` moves from after its % to after its type. False if an argument is
// missing.
bool read_conversion(const char*& at, PrintSource& source, Conversion& one, uint32_t& count) {
  const auto number_or_star = [&] {
    if (*at == '*') {
      uint64_t value;
      if (!source.argument(4, value)) return false;
      ++count;
      one.begin += std::to_string(static_cast<int32_t>(value));
      ++at;
    }
    while (*at >= '0' && *at <= '9') one.begin += *at++;
    return true;
  };
  while (*at && strchr("#0 +-", *at)) one.begin += *at++;
  if (!number_or_star()) return false;
  if (*at == '.') {
    one.begin += *at++;
    if (!number_or_star()) return false;
  }
  for (; *at && strchr("hljztL", *at); ++at) {
    if (*at == 'h') ++one.shorts;
    if (strchr("ljzt", *at)) one.is_long = true;
  }
  one.type = *at;
  if (one.type != 0) ++at;
  return true;
}

// Appends the argument of %s. False if it is missing or cannot be read.
bool print_string(const Conversion& one, PrintSource& source, std::string& result) {
  uint64_t value = 0;
  if (!source.argument(8, value)) return false;
  std::string string = "(null)";
  if (value != 0) {
    string.clear();
    if (!source.text_at(value, string)) return false;
  }
  const std::string format = one.begin + one.type;
  const int length = snprintf(nullptr, 0, format.c_str(), string.c_str());
  std::string formatted(static_cast<size_t>(std::max(length, 0)) + 1, '\0');
  snprintf(formatted.data(), formatted.size(), format.c_str(), string.c_str());
  formatted.pop_back();
  result += formatted;
  return true;
}

enum class Printed { yes, no, argument_missing };  // no: it has no argument

// Appends the formatted argument, or the conversion as it stands if it takes none.
Printed print_one(const Conversion& one, PrintSource& source, std::string& result) {
  char text[512];
  uint64_t value = 0;
  const char type = one.type;
  switch (type) {
    case '%':
      result += '%';
      return Printed::no;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (!source.argument(one.is_long ? 8 : 4, value)) return Printed::argument_missing;
      if (one.is_long) {
        snprintf(text, sizeof text, (one.begin + "ll" + type).c_str(), value);
      } else {
        const std::string size(static_cast<size_t>(std::min(one.shorts, 2)), 'h');
        snprintf(text, sizeof text, (one.begin + size + type).c_str(),
                 static_cast<uint32_t>(value));
      }
      break;
    case 'c':
      if (!source.argument(4, value)) return Printed::argument_missing;
      snprintf(text, sizeof text, (one.begin + type).c_str(), static_cast<int>(value));
      break;
    case 'p':
      if (!source.argument(8, value)) return Printed::argument_missing;
      snprintf(text, sizeof text, (one.begin + type).c_str(), reinterpret_cast<void*>(value));
      break;
    case 's':
      return print_string(one, source, result) ? Printed::yes : Printed::argument_missing;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (!source.argument(8, value)) return Printed::argument_missing;
      snprintf(text, sizeof text, (one.begin + type).c_str(), std::bit_cast<double>(value));
      break;
    default:
      // The device's printf has no such type: it is printed as it stands.
      result += one.begin;
      result += type;
      return Printed::no;
  }
  result += text;
  return Printed::yes;
}

}  // namespace

bool format_print(const std::string& format, PrintSource& source, std::string& result,
                  uint32_t& count) {
  count = 0;
  const char* at = format.c_str();
  while (*at) {
    if (*at != '%') {
      const char* const end = at + strcspn(at, "%");
      result.append(at, end);
      at = end;
      continue;
    }
    ++at;
    Conversion one;
    if (!read_conversion(at, source, one, count)) return false;
    if (one.type == 0) {
      result += one.begin;
      break;
    }
    const Printed printed = print_one(one, source, result);
    if (printed == Printed::argument_missing) return false;
    if (printed == Printed::yes) ++count;
  }
  return true;
}

}  // namespace cuvette::device
