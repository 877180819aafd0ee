// SPDX-License-Identifier: Apache-2.0
#include "sim/device/value_operation.hpp"

#include <vector>

#include "sim/device/capture.hpp"
#include "sim/device/context.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/transfer.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/sanitizer.hpp"

namespace cuvette::device {

bool holds(Comparison comparison, uint64_t memory, uint64_t value, unsigned bytes) {
  const unsigned shift = 64 - 8 * bytes;  // the word's own sign, whatever its size
  switch (comparison) {
    case Comparison::cyclic_geq:
      return static_cast<int64_t>((memory - value) << shift) >= 0;
    case Comparison::equal:
      return (memory - value) << shift == 0;
    case Comparison::any_bit:
      return (memory & value) << shift != 0;
    case Comparison::any_clear:
      return ~(memory | value) << shift != 0;
  }
  return false;
}

ValueWait::ValueWait(Context& context, const Command& command)
    : Polled(command.reads.address, command.reads.address + command.element),
      context_(context),
      command_(command) {}

bool ValueWait::look() {
  if (context_.error()) return true;
  const void* word = memory::host_pointer(command_.reads.address);
  uint64_t value;
  bool lost;
  {
    const os::DeviceAccess access;
    const os::FaultScope scope;
    value = os::load_word(word, command_.element);
    lost = scope.faulted();
  }
  if (lost) {
    context_.fail(Error::illegal_address);
    return true;
  }
  if (!holds(static_cast<Comparison>(command_.value), value, command_.word, command_.element))
    return false;
  acquire_at(word);
  return true;
}

exec::Edge value_edge(Context& context, Command& command) {
  if (!command.run) {
    if (command.may_lose_pages) os::watch_faults(Machine::get().fault_hook());
    auto wait = make_ref<ValueWait>(context, command);
    if (wait->look()) return {};
    command.run = wait;
    exec::Poller::get().watch(std::move(wait));
  }
  return {Ref<exec::Timeline>(static_cast<ValueWait*>(command.run.get())), 1};
}

bool write_value(const Command& command, os::MemoryFault& fault) {
  if (command.may_lose_pages) os::watch_faults(Machine::get().fault_hook());
  void* word = memory::host_pointer(command.writes.address);
  release_at(word);
  {
    const os::DeviceAccess access;
    const os::FaultScope scope;
    os::store_word(word, command.word, command.element, command.value != 0);
    if (scope.faulted()) [[unlikely]] {
      fault = scope.first();
      return false;
    }
  }
  return true;
}

Result<Command> make_command(const ValueOperation& operation, const void* call_site) {
  if (operation.address % operation.bytes != 0)
    return refuse(Error::invalid_value, "0x%llx is no multiple of the word's %u bytes.",
                  static_cast<unsigned long long>(operation.address), operation.bytes);
  // Measured: managed memory cannot be waited for, nor written to in this way.
  const auto allocation = Machine::get().memory().find(operation.address);
  if (allocation && allocation->managed())
    return refuse(Error::invalid_value,
                  "0x%llx is managed memory: streams wait for words of other memory only.",
                  static_cast<unsigned long long>(operation.address));
  const bool write = operation.kind == ValueOperation::Kind::write;
  Command command = TRY(make_access(write ? CommandKind::value_write : CommandKind::value_wait,
                                    memory::Region::linear(operation.address, operation.bytes),
                                    write, call_site));
  command.element = operation.bytes;
  command.value = write ? uint32_t{operation.ordered} : static_cast<uint32_t>(operation.comparison);
  command.word = operation.value;
  if (!write) TRY(exec::Poller::get().start());
  return command;
}

Result<> submit(Stream& stream, std::span<const ValueOperation> operations, const void* call_site) {
  const bool captured = TRY(Capture::takes(stream));
  std::vector<Command> commands;
  commands.reserve(operations.size());
  for (const ValueOperation& operation : operations)
    // Commands of a stream come one after the other, for all who look: that is what a barrier is.
    if (operation.kind != ValueOperation::Kind::barrier)
      commands.push_back(TRY(make_command(operation, call_site)));
  if (captured) {
    BatchWork work{
        {operations.begin(), operations.end()}, nullptr, Ref<Context>(&stream.context())};
    return Capture::add(stream, NodeType::batch, std::move(work));
  }
  for (Command& command : commands) stream.context().submit(stream, std::move(command));
  return {};
}

}  // namespace cuvette::device
