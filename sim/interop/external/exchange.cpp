// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/exchange.hpp"

#include <cstring>
#include <optional>

#include "sim/interop/external/shared_events.hpp"
#include "sim/interop/external/shared_memory.hpp"
#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::interop::exchange {
namespace {

constinit Mutex name_mutex;
constinit std::optional<os::ExchangeName> name GUARDED_BY(name_mutex);

// Keeps what the answering thread is sending, whose descriptor must stay open until then.
constinit Ref<Counted> being_sent;

int answer(const void* request_bytes, void* reply_bytes) {
  Request request;
  std::memcpy(&request, request_bytes, sizeof request);
  Reply reply{};
  int fd = -1;
  switch (request.kind) {
    case Kind::memory:
      fd = shared_memory::answer(request, reply, being_sent);
      break;
    case Kind::event:
      fd = shared_events::answer(request, reply, being_sent);
      break;
  }
  std::memcpy(reply_bytes, &reply, sizeof reply);
  return fd;
}

}  // namespace

Result<os::ExchangeName> own_name() {
  MutexLock lock(name_mutex);
  if (!name)
    name =
        TRY(os::serve_fds({sizeof(Request), sizeof(Reply), answer, [] { being_sent = nullptr; }}));
  return *name;
}

bool is_own(const os::ExchangeName& other) {
  MutexLock lock(name_mutex);
  return name && *name == other;
}

Result<Answer> ask(const os::ExchangeName& process, const Request& request) {
  Reply reply{};
  int fd = -1;
  TRY(os::ask_for_fd(process, &request, sizeof request, &reply, sizeof reply, fd));
  if (fd >= 0 && reply.known == 1) return Answer{fd, reply.offset};
  if (fd >= 0) os::close_fd(fd);
  return Answer{-1, 0};
}

uint64_t check_of(const void* name, size_t size) {
  uint64_t sum = 14695981039346656037u;
  const auto* bytes = static_cast<const unsigned char*>(name);
  for (size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

}  // namespace cuvette::interop::exchange
