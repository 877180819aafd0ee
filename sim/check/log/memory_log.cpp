// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/memory_log.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/printed.hpp"
#include "sim/os/process.hpp"

namespace cuvette::check::log {
namespace {

using device::Operation;
using device::OperationKind;
using memory::Allocation;
using memory::AllocationKind;

// The words of the record (record_format.hpp).
constexpr const char* word_for(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
      return "device";
    case AllocationKind::array:
      return "array";
    case AllocationKind::external:
      return "external";
    case AllocationKind::external_array:
      return "external array";
    case AllocationKind::mapping:
      return "mapping";
    case AllocationKind::shared:
      return "shared";
    case AllocationKind::graphics:
      return "graphics";
    case AllocationKind::pool:
      return "pool";
    case AllocationKind::imported:
      return "imported";
    case AllocationKind::reserve:
      return "reserve";
    case AllocationKind::variable:
      return "variable";
    case AllocationKind::pinned:
      return "pinned";
    case AllocationKind::registered:
      return "registered";
    case AllocationKind::managed:
      return "managed";
  }
  return "?";
}

// Equal bytes between two changes that are cheaper to repeat than to leave out.
constexpr size_t most_gap = 8;

// Whether its address says where its bytes are, and they are not part of something larger.
bool is_followed(const Allocation& allocation) {
  switch (allocation.kind) {
    case AllocationKind::array:
    case AllocationKind::external_array:
    case AllocationKind::reserve:
      return false;
    case AllocationKind::device:
    case AllocationKind::external:
    case AllocationKind::mapping:
    case AllocationKind::shared:
    case AllocationKind::graphics:
    case AllocationKind::pool:
    case AllocationKind::imported:
    case AllocationKind::variable:
    case AllocationKind::pinned:
    case AllocationKind::registered:
    case AllocationKind::managed:
      break;
  }
  return !allocation.is_absent();
}

std::string hex(const std::string& bytes, size_t begin, size_t end) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * (end - begin));
  for (size_t i = begin; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string hex_address(uint64_t address) {
  char text[20];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

// Returns the bytes; nothing if they cannot be read.
std::optional<std::string> bytes_at(uint64_t address, size_t size, bool checked) {
  // The program may have unmapped its own memory.
  if (checked && !os::accessible(address, size, false)) return std::nullopt;
  const os::DeviceAccess access;
  const os::FaultScope scope;
  std::string bytes(memory::host_pointer(address), size);
  if (scope.faulted()) return std::nullopt;
  return bytes;
}

// What a copy wrote to memory that is no allocation.
std::string gift_of(const std::string& name, const Operation& operation, size_t most) {
  const device::Footprint& footprint = operation.footprint();
  const memory::Region& region = footprint.writes;
  if (operation.kind != OperationKind::copy || region.empty() || footprint.writes_in.allocation())
    return "";
  const size_t size = std::min(most, region.width);
  const std::optional<std::string> bytes = bytes_at(region.address, size, true);
  if (!bytes) return "";
  return "\ngave\t" + name + "\t" + hex_address(region.address) + "\t" +
         std::to_string(region.bytes()) + "\t" + hex(*bytes, 0, size);
}

}  // namespace

void MemoryLog::look_at(const Allocation& allocation, const std::string& by, std::string& lines) {
  Known& known = known_[allocation.buffer_id];
  if (known.number == 0) known.number = ++last_;
  const size_t size = std::min(most_, allocation.size);
  const auto now = bytes_at(allocation.address, size, allocation.host_accessible());
  if (!now) return;
  if (known.bytes.empty()) {
    lines += "\nmemory\t" + std::to_string(known.number) + "\t" + word_for(allocation.kind) + "\t" +
             (allocation.name.empty() ? "-" : callsite::readable_name(allocation.name.c_str())) +
             "\t" + hex_address(allocation.address) + "\t" + std::to_string(allocation.size) +
             "\t" + callsite::describe_caller(allocation.call_site) + "\t" + hex(*now, 0, size);
  } else {
    for (size_t i = 0; i < size;) {
      if ((*now)[i] == known.bytes[i]) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      for (size_t j = end; j < size && j < end + most_gap; ++j)
        if ((*now)[j] != known.bytes[j]) end = j + 1;
      lines += "\nbytes\t" + by + "\t" + std::to_string(known.number) + "\t" + std::to_string(i) +
               "\t" + hex(*now, i, end);
      i = end;
    }
  }
  known.bytes = *now;
}

void MemoryLog::look(const std::string& by, std::string& lines) {
  std::vector<Ref<Allocation>> all = device::address_space().all();
  std::erase_if(all, [](const Ref<Allocation>& one) { return !is_followed(*one); });
  std::ranges::sort(all, {}, [](const Ref<Allocation>& one) { return one->buffer_id; });
  std::erase_if(known_, [&](const auto& entry) {
    const bool is_there = std::ranges::binary_search(
        all, entry.first, {}, [](const Ref<Allocation>& one) { return one->buffer_id; });
    if (!is_there) lines += "\nfreed\t" + std::to_string(entry.second.number);
    return !is_there;
  });
  for (const Ref<Allocation>& one : all) look_at(*one, by, lines);
  if (const std::optional<int64_t> bytes = os::bytes_printed(); bytes && *bytes != printed_) {
    printed_ = *bytes;
    lines += "\nprinted\t" + std::to_string(*bytes);
  }
}

void MemoryLog::write(const std::string& lines) {
  if (!lines.empty()) file_.write(lines.substr(1));
}

void MemoryLog::submitted(const device::Stream&, uint64_t, const Operation&) {
  MutexLock lock(mutex_);
  std::string lines;
  look("host", lines);
  write(lines);
}

void MemoryLog::started(const device::Stream&, uint64_t, const Operation&) {
  MutexLock lock(mutex_);
  std::string lines;
  look("host", lines);
  step_.clear();
  write(lines);
}

void MemoryLog::step_started(const device::Stream& stream, const exec::Step& step) {
  MutexLock lock(mutex_);
  std::string lines;
  const std::string launch = command_name(stream, step.number);
  look(step_.empty() ? launch : step_, lines);
  step_ = launch + "." + std::to_string(step.step);
  write(lines);
}

void MemoryLog::completed(const device::Stream& stream, uint64_t number,
                          const Operation& operation) {
  MutexLock lock(mutex_);
  const std::string name = command_name(stream, number);
  std::string lines;
  look(step_.empty() ? name : step_, lines);
  step_.clear();
  lines += gift_of(name, operation, most_);
  if (const device::Steps* const steps = operation.steps())
    for (size_t i = 0; i < steps->count(); ++i)
      lines += gift_of(name + "." + std::to_string(i + 1), steps->step(i), most_);
  lines += "\nended\t" + name;
  write(lines);
}

}  // namespace cuvette::check::log
