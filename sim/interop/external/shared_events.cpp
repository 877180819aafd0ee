// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/shared_events.hpp"

#include <cstddef>
#include <cstring>

#include "sim/base/mutex.hpp"

namespace cuvette::interop::shared_events {
namespace {

using device::SharedEvent;

// The content of the 64 bytes.
struct Name {
  char magic[8];
  os::ExchangeName process;
  uint64_t number;
  uint64_t reserved[3];
  uint64_t check;  // of the bytes before it
};
static_assert(sizeof(Name) == sizeof(EventName));
constexpr char magic[8] = {'c', 'u', 'v', 'e', 't', 't', 'e', 'e'};

// Held while an event is opened, because a process has one object of each shared event.
constinit Mutex open_mutex;

int answer(const exchange::Request& request, exchange::Reply& reply, Ref<Counted>& kept) {
  const auto event = SharedEvent::find({{}, request.number});
  if (!event) return -1;
  reply.known = 1;
  kept = event;
  return event->fd();
}

}  // namespace

Result<EventName> name_of(const device::Event& event) {
  const auto& shared = event.shared();
  if (!shared)
    return refuse(Error::invalid_handle,
                  "The event was created without CU_EVENT_INTERPROCESS, which sharing requires.");
  if (shared->name().process != os::ExchangeName{})
    return refuse(Error::invalid_handle,
                  "The event belongs to another process, and only that process can export it.");
  Name name{};
  std::memcpy(name.magic, magic, sizeof magic);
  name.process = TRY(exchange::own_name(exchange::Kind::event, answer));
  name.number = shared->name().number;
  name.check = exchange::check_of(&name, offsetof(Name, check));
  EventName bytes;
  std::memcpy(bytes.data(), &name, sizeof name);
  return bytes;
}

Result<Ref<SharedEvent>> open(const EventName& bytes) {
  Name name;
  std::memcpy(&name, bytes.data(), sizeof name);
  if (std::memcmp(name.magic, magic, sizeof magic) != 0 ||
      name.check != exchange::check_of(&name, offsetof(Name, check)))
    return refuse(Error::map_failed, "These 64 bytes are not a handle from cuIpcGetEventHandle.");
  if (exchange::is_own(name.process))
    return refuse(Error::invalid_context,
                  "The event belongs to this process, which cannot open it: use the event itself.");
  const SharedEvent::Name of_event{name.process, name.number};
  MutexLock lock(open_mutex);
  if (auto known = SharedEvent::find(of_event)) return known;
  const auto answer = exchange::ask(name.process, {exchange::Kind::event, name.number, 0});
  if (!answer.ok()) return Error::map_failed;
  if (answer.value().fd < 0)
    return refuse(Error::map_failed, "The event has been destroyed by the process that made it.");
  auto event = SharedEvent::adopt(of_event, answer.value().fd);
  // The other process sent something that is not an event.
  if (!event.ok() && event.error() == Error::unknown) return Error::map_failed;
  return event;
}

}  // namespace cuvette::interop::shared_events
