// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_system_calls.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "sim/device/kernel/device_runtime.hpp"
#include "sim/device/kernel/kernel_print.hpp"
#include "sim/device/kernel/math_functions.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
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

  std::optional<uint64_t> text_at(uint64_t address, size_t most, std::string& text) override {
    while (text.size() < most) {
      const auto range = block_.grid->readable(block_, address);
      if (!range) return address;
      const auto* const begin = reinterpret_cast<const char*>(address);
      const size_t there = std::min<uint64_t>(range->end - address, most - text.size());
      const size_t length = strnlen(begin, there);
      text.append(begin, length);
      if (length < there) break;
      address += there;
    }
    return std::nullopt;
  }

  std::optional<uint64_t> argument(uint32_t bytes, uint64_t& value) override {
    offset_ = (offset_ + bytes - 1) & ~uint64_t{bytes - 1};
    const uint64_t at = arguments_ + offset_;
    const auto range = block_.grid->readable(block_, at);
    if (!range || range->end - at < bytes) return at;
    value = 0;
    memcpy(&value, reinterpret_cast<const void*>(at), bytes);
    offset_ += bytes;
    return std::nullopt;
  }

  bool has_arguments() const override { return arguments_ != 0; }

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

// Stops a kernel if its printf needs memory that it cannot read, as hardware does.
uint32_t stop_print(Block& block, uint32_t warp, uint32_t lane, uint64_t location, uint64_t address,
                    const char* what) {
  char text[96];
  snprintf(text, sizeof text, "its printf cannot read %s at 0x%llx", what,
           static_cast<unsigned long long>(address));
  return stop_at(block, GridFault::Kind::illegal_address, warp, lane, location, address, text);
}

// "printf returns the number of arguments; -1 for a null format."
uint32_t print(const SystemCaller& caller, Block& block, uint64_t format, uint64_t arguments,
               uint32_t warp, uint32_t lane, uint64_t location, uint64_t& result) {
  if (format == 0) {
    result = static_cast<uint32_t>(-1);
    return 0;
  }
  BlockReader reader(block, arguments);
  std::string format_text;
  if (const auto address = reader.text_at(format, longest_print, format_text))
    return stop_print(block, warp, lane, location, *address, "its format");
  Print one = format_print(format_text, reader);
  if (one.unreadable)
    return stop_print(block, warp, lane, location, *one.unreadable, "an argument or a string");
  if (!one.doubt.empty())
    notify_misuse({misuse::PrintFormat{std::move(one.doubt), std::move(format_text),
                                       std::string(caller.kernel), &caller.stream, caller.number},
                   caller.call_site});
  Context& context = caller.context;
  context.prints().add(std::move(one.text), context.limit(Limit::printf_fifo_size).value(),
                       {caller.kernel, caller.stream.id(), caller.number, caller.call_site});
  result = one.arguments;
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
    reader.text_at(parameters[lane], longest_print, message);
    reader.text_at(parameters[32 + lane], longest_print, file);
    reader.text_at(parameters[96 + lane], longest_print, function);
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

uint32_t kernel_system_call(const SystemCaller& caller, Block& block, SystemCall function,
                            uint64_t* results, const uint64_t* parameters, uint32_t mask,
                            uint32_t warp, uint64_t location) {
  if (function == SystemCall::__assertfail)
    return mask ? fail_assertion(block, parameters, mask, warp, location) : 0;
  Context& context = caller.context;
  const DeviceHeap::Caller by{caller.kernel, location};
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
      const char* const wrong = device_runtime_call(context, caller.conditions, block, function,
                                                    own, by, results[lane], address);
      if (wrong)
        return stop_at(block, GridFault::Kind::illegal_address, warp, lane, location, address,
                       wrong);
      continue;
    }
    const uint64_t first = parameters[lane];
    switch (function) {
      case SystemCall::vprintf:
        if (const uint32_t status = print(caller, block, first, parameters[32 + lane], warp, lane,
                                          location, results[lane]))
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

}  // namespace cuvette::device
