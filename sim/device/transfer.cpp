// SPDX-License-Identifier: Apache-2.0
#include "sim/device/transfer.hpp"

#include "sim/device/machine.hpp"
#include "sim/memory/copy.hpp"

namespace cuvette::device {
namespace {

using memory::Allocation;
using memory::Region;

// What an address turned out to be.
struct Found {
  Ref<Allocation> allocation;  // none for pageable host memory

  bool pageable() const { return !allocation; }
  bool host() const { return pageable() || allocation->host_accessible(); }
  bool sync_memops() const {
    return allocation && allocation->sync_memops.load(std::memory_order_relaxed);
  }
  bool may_lose_pages() const {
    return allocation && allocation->kind == memory::AllocationKind::external &&
           !allocation->segment->shrink_sealed();
  }
};

Result<Found> find(const Place& place, const char* role) {
  const Region& region = place.region;
  memory::AddressSpace& memory = Machine::get().memory();
  const size_t extent = region.extent();
  if (Ref<Allocation> allocation = memory.find(region.address)) {
    if (!allocation->contains(region.address, extent))
      return refuse(
          Error::invalid_value,
          "The %s of %zu bytes at 0x%llx reaches %zu bytes past the end of its allocation of "
          "%zu bytes at 0x%llx.",
          role, extent, static_cast<unsigned long long>(region.address),
          static_cast<size_t>(region.address + extent - allocation->end()), allocation->size,
          static_cast<unsigned long long>(allocation->address));
    TRY(memory.touch(*allocation, region));
    return Found{std::move(allocation)};
  }
  if (place.type == MemoryType::device || region.address == 0 || memory.reserved(region.address))
    return refuse(Error::invalid_value,
                  "The %s at 0x%llx is not inside memory that a device can reach.", role,
                  static_cast<unsigned long long>(region.address));
  if (region.address + extent < region.address)
    return refuse(Error::invalid_value,
                  "The %s of %zu bytes at 0x%llx is larger than the address space.", role, extent,
                  static_cast<unsigned long long>(region.address));
  return Found{};
}

// The same bytes without gaps, somewhere else.
Region packed(memory::DevicePtr address, const Region& region) {
  return {address,     region.width, region.width, region.height, region.width * region.height,
          region.depth};
}

// Queues the command and, if the call has to `wait` for it, returns when it is completed.
Result<> submit(const Transfer& transfer, Command&& command, bool wait) {
  if (!wait) {
    transfer.context.submit(transfer.stream, std::move(command));
    return {};
  }
  const uint64_t number = transfer.context.submit_for_helper(transfer.stream, std::move(command));
  transfer.context.wait_for(transfer.stream, number);
  if (auto error = transfer.context.error()) return *error;
  return {};
}

}  // namespace

Result<> copy(const Transfer& transfer, const Place& to, const Place& from) {
  if (to.region.empty()) return {};
  Found target = TRY(find(to, "destination"));
  Found source = TRY(find(from, "source"));

  Command command(CommandKind::copy, transfer.call_site);
  command.may_lose_pages = target.may_lose_pages() || source.may_lose_pages();
  command.writes = to.region;
  command.reads = from.region;

  const bool wait = target.pageable() || (target.host() && source.host()) ||
                    (!transfer.asynchronous && (target.host() || source.host() ||
                                                target.sync_memops() || source.sync_memops()));
  const bool take_aside = !wait && source.pageable();
  command.writes_in = memory::Use(std::move(target.allocation));
  command.reads_in = memory::Use(std::move(source.allocation));
  if (take_aside) {
    command.staged = std::make_unique_for_overwrite<std::byte[]>(from.region.bytes());
    command.reads = packed(reinterpret_cast<memory::DevicePtr>(command.staged.get()), from.region);
    memory::copy_piece(command.reads, from.region, 0, 1);
  }
  return submit(transfer, std::move(command), wait);
}

Result<> fill(const Transfer& transfer, const Region& to, uint32_t value, unsigned element) {
  if (to.empty()) return {};
  Found target = TRY(find({to, MemoryType::device}, "destination"));

  Command command(CommandKind::fill, transfer.call_site);
  command.element = static_cast<uint8_t>(element);
  command.value = value;
  command.may_lose_pages = target.may_lose_pages();
  command.writes = to;

  const bool wait = !transfer.asynchronous && (target.host() || target.sync_memops());
  command.writes_in = memory::Use(std::move(target.allocation));
  return submit(transfer, std::move(command), wait);
}

}  // namespace cuvette::device
