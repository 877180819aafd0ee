// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/device/machine.hpp"
#include "sim/mutex.hpp"
#include "sim/os/fd_exchange.hpp"

namespace cuvette::interop::shared_memory {
namespace {

using memory::Allocation;

// What the 64 bytes are.
struct Name {
  char magic[8];
  os::ExchangeName process;
  uint64_t buffer_id;
  uint64_t size;
  std::array<uint8_t, 16> device;  // its UUID
  uint64_t check;                  // of what is before it
};
static_assert(sizeof(Name) == sizeof(MemoryName));
constexpr char magic[8] = {'c', 'u', 'v', 'e', 't', 't', 'e', '1'};

struct Request {
  uint64_t buffer_id, size;
};
struct Reply {
  uint64_t known;  // 1: the segment comes with this
  uint64_t offset;
};

uint64_t check_of(const Name& name) {
  uint64_t sum = 14695981039346656037u;  // FNV-1a
  const auto* bytes = reinterpret_cast<const unsigned char*>(&name);
  for (size_t i = 0; i < offsetof(Name, check); ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

// --- What this process has exported --------------------------------------------------------------

constinit Mutex export_mutex;
constinit std::optional<os::ExchangeName> own_name GUARDED_BY(export_mutex);

std::map<uint64_t, Ref<Allocation>>& exported() REQUIRES(export_mutex) {
  static auto* const map = new std::map<uint64_t, Ref<Allocation>>;
  return *map;
}

// In the thread that answers other processes.
int answer(const void* request_bytes, void* reply_bytes) {
  Request request;
  std::memcpy(&request, request_bytes, sizeof request);
  Reply reply{};
  int fd = -1;
  {
    MutexLock lock(export_mutex);
    const auto found = exported().find(request.buffer_id);
    if (found != exported().end() && !found->second->ended.load() &&
        found->second->size == request.size) {
      reply = {1, found->second->offset};
      fd = found->second->segment->fd();
    }
  }
  std::memcpy(reply_bytes, &reply, sizeof reply);
  return fd;
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
// What has gone with its context.
void forget_ended() REQUIRES(open_mutex) {
  std::erase_if(opened(), [](const Opened& one) { return one.allocation->ended.load(); });
}

Result<uint8_t> device_of(const Name& name) {
  for (const auto& device : device::Machine::get().devices())
    if (device->identity().uuid == name.device) return static_cast<uint8_t>(device->ordinal());
  return refuse(Error::invalid_device, "The memory is a device's that is not visible here.");
}

Result<Ref<Allocation>> map(const Name& name, const memory::Asker& asker) {
  const Request request{name.buffer_id, name.size};
  Reply reply{};
  int fd = -1;
  TRY(os::ask_for_fd(name.process, &request, sizeof request, &reply, sizeof reply, fd));
  if (fd < 0 || reply.known != 1) {
    if (fd >= 0) os::close_fd(fd);
    return refuse(Error::invalid_value,
                  "The memory has been freed by the process that exported it.");
  }
  auto segment = os::Segment::adopt(fd, 1);
  if (!segment.ok()) {
    os::close_fd(fd);
    return Error::map_failed;
  }
  return device::Machine::get().memory().map_shared(segment.value(), reply.offset, name.size,
                                                    asker);
}

}  // namespace

Result<MemoryName> name_of(const Ref<Allocation>& allocation) {
  if (allocation->kind != memory::AllocationKind::device)
    return refuse(Error::invalid_value,
                  "0x%llx is not memory of cuMemAlloc, which alone can be opened elsewhere.",
                  static_cast<unsigned long long>(allocation->address));
  device::Machine& machine = device::Machine::get();
  // Pages that the other process touches first are accounted for here.
  TRY(machine.memory().touch(*allocation,
                             memory::Region::linear(allocation->address, allocation->size)));
  Name name{};
  std::memcpy(name.magic, magic, sizeof magic);
  name.buffer_id = allocation->buffer_id;
  name.size = allocation->size;
  name.device = machine.devices()[allocation->device]->identity().uuid;
  {
    MutexLock lock(export_mutex);
    if (!own_name) own_name = TRY(os::serve_fds({sizeof(Request), sizeof(Reply), answer}));
    name.process = *own_name;
    std::erase_if(exported(), [](const auto& one) { return one.second->ended.load(); });
    exported().emplace(allocation->buffer_id, allocation);
  }
  name.check = check_of(name);
  MemoryName bytes;
  std::memcpy(bytes.data(), &name, sizeof name);
  return bytes;
}

Result<memory::DevicePtr> open(const MemoryName& bytes, const memory::Asker& asker) {
  Name name;
  std::memcpy(&name, bytes.data(), sizeof name);
  if (std::memcmp(name.magic, magic, sizeof magic) != 0 || name.check != check_of(name))
    return refuse(Error::invalid_value, "These 64 bytes are no handle of cuIpcGetMemHandle.");
  {
    MutexLock lock(export_mutex);
    if (own_name && *own_name == name.process)
      return refuse(Error::invalid_context,
                    "The memory is this process's own, which cannot open it: use its address.");
  }
  memory::Asker here = asker;
  here.device = TRY(device_of(name));
  MutexLock lock(open_mutex);
  forget_ended();
  for (Opened& one : opened()) {
    if (one.process != name.process || one.buffer_id != name.buffer_id ||
        one.allocation->owner != asker.owner)
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
      return refuse(Error::invalid_value, "cuIpcOpenMemHandle has not given the address 0x%llx.",
                    static_cast<unsigned long long>(address));
    if (--found->count != 0) return {};
    last = std::move(found->allocation);
    opened().erase(found);
  }
  device::Machine& machine = device::Machine::get();
  machine.wait_for_users(*last);
  return machine.memory().free(last);
}

}  // namespace cuvette::interop::shared_memory
