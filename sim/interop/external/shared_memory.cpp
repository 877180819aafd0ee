// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/shared_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/freed.hpp"
#include "sim/os/output.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::interop::shared_memory {
namespace {

using memory::Allocation;

// The content of the 64 bytes.
struct Name {
  char magic[8];
  os::ExchangeName process;
  uint64_t buffer_id;
  uint64_t size;
  std::array<uint8_t, 16> device;  // the device's UUID
  uint64_t check;                  // of the bytes before it
};
static_assert(sizeof(Name) == sizeof(MemoryName));
constexpr char magic[8] = {'c', 'u', 'v', 'e', 't', 't', 'e', '1'};

// --- What this process has exported --------------------------------------------------------------

constinit Mutex export_mutex;

std::map<uint64_t, Ref<Allocation>>& exported() REQUIRES(export_mutex) {
  static auto* const map = new std::map<uint64_t, Ref<Allocation>>;
  return *map;
}

// --- What this process has open ------------------------------------------------------------------

struct Opened {
  os::ExchangeName process;
  uint64_t buffer_id;
  Ref<Allocation> allocation;
  unsigned count;
};

constinit Mutex open_mutex;
std::vector<Opened>& opened() REQUIRES(open_mutex) {
  static auto* const list = new std::vector<Opened>;
  return *list;
}
// Forgets memory that has ended with its context.
void forget_ended() REQUIRES(open_mutex) {
  std::erase_if(opened(), [](const Opened& one) { return one.allocation->ended.load(); });
}

Result<uint8_t> device_of(const Name& name) {
  for (const auto& device : device::Machine::get().devices())
    if (device->identity().uuid == name.device) return static_cast<uint8_t>(device->ordinal());
  return refuse(Error::invalid_device, "The memory belongs to a device that is not visible here.");
}

Result<Ref<Allocation>> map(const Name& name, const memory::Requester& requester) {
  const auto answer =
      TRY(exchange::ask(name.process, {exchange::Kind::memory, name.buffer_id, name.size}));
  if (answer.fd < 0)
    return refuse(Error::invalid_handle,
                  "The memory has been freed by the process that exported it.");
  auto segment = os::Segment::adopt(answer.fd, 1);
  if (!segment.ok()) {
    os::close_fd(answer.fd);
    return Error::map_failed;
  }
  return device::Machine::get().memory().map_shared({segment.value(), answer.offset, name.size},
                                                    requester);
}

// A descriptor on its way to another process.
struct Sent : Counted {
  explicit Sent(int lent) : fd(lent) {}
  ~Sent() override { os::close_fd(fd); }
  const int fd;
};

int answer(const exchange::Request& request, exchange::Reply& reply, Ref<Counted>& kept) {
  MutexLock lock(export_mutex);
  const auto found = exported().find(request.number);
  if (found == exported().end() || found->second->size != request.size) return -1;
  const Allocation& memory = *found->second;
  auto lent = memory.segment->lend(memory.offset, memory.size);
  if (!lent.ok()) {
    os::say("memory at 0x%llx cannot be given to another process.",
            static_cast<unsigned long long>(memory.address));
    return -1;
  }
  auto sent = make_ref<Sent>(lent.value());
  // Looked at after it was lent: a call that frees it sets this first, and then sees that it is.
  if (memory.ended.load(std::memory_order_seq_cst)) return -1;
  reply = {1, memory.offset};
  const int fd = sent->fd;
  kept = std::move(sent);
  return fd;
}

}  // namespace

Result<MemoryName> name_of(const Ref<Allocation>& allocation) {
  if (allocation->kind != memory::AllocationKind::device)
    return refuse(Error::invalid_value,
                  "0x%llx was not returned by cuMemAlloc, and only such memory can be opened in "
                  "other processes.",
                  static_cast<unsigned long long>(allocation->address));
  device::Machine& machine = device::Machine::get();
  // Pages that the other process will touch first are accounted for here.
  TRY(machine.memory().touch(*allocation,
                             memory::Region::linear(allocation->address, allocation->size)));
  TRY(machine.memory().keep_in_segment(*allocation));
  Name name{};
  std::memcpy(name.magic, magic, sizeof magic);
  name.buffer_id = allocation->buffer_id;
  name.size = allocation->size;
  name.device = machine.devices()[allocation->device]->identity().uuid;
  name.process = TRY(exchange::own_name(exchange::Kind::memory, answer));
  {
    MutexLock lock(export_mutex);
    std::erase_if(exported(), [](const auto& one) { return one.second->ended.load(); });
    exported().emplace(allocation->buffer_id, allocation);
  }
  name.check = exchange::check_of(&name, offsetof(Name, check));
  MemoryName bytes;
  std::memcpy(bytes.data(), &name, sizeof name);
  return bytes;
}

Result<memory::DevicePtr> open(const MemoryName& bytes, const memory::Requester& requester) {
  Name name;
  std::memcpy(&name, bytes.data(), sizeof name);
  if (std::memcmp(name.magic, magic, sizeof magic) != 0 ||
      name.check != exchange::check_of(&name, offsetof(Name, check)))
    return refuse(Error::invalid_value, "These 64 bytes are not a handle from cuIpcGetMemHandle.");
  if (exchange::is_own(name.process))
    return refuse(Error::invalid_context,
                  "The memory belongs to this process, which cannot open it: use its address.");
  memory::Requester here = requester;
  here.device = TRY(device_of(name));
  MutexLock lock(open_mutex);
  forget_ended();
  for (Opened& one : opened()) {
    if (one.process != name.process || one.buffer_id != name.buffer_id ||
        one.allocation->owner != requester.owner)
      continue;
    ++one.count;
    return one.allocation->address;
  }
  Ref<Allocation> allocation = TRY(map(name, here));
  const memory::DevicePtr address = allocation->address;
  opened().push_back({name.process, name.buffer_id, std::move(allocation), 1});
  return address;
}

Result<> close(memory::DevicePtr address) {
  Ref<Allocation> last;
  {
    MutexLock lock(open_mutex);
    forget_ended();
    const auto found = std::find_if(opened().begin(), opened().end(), [&](const Opened& one) {
      return one.allocation->address == address;
    });
    if (found == opened().end())
      return refuse(Error::invalid_value, "0x%llx was not returned by cuIpcOpenMemHandle.",
                    static_cast<unsigned long long>(address));
    if (--found->count != 0) return {};
    last = std::move(found->allocation);
    opened().erase(found);
  }
  device::Machine& machine = device::Machine::get();
  device::Context::wait_for_users(*last);
  device::note_freed(*last);
  return machine.memory().free(last);
}

}  // namespace cuvette::interop::shared_memory
