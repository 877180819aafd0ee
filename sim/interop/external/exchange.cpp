// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/exchange.hpp"

#include <cstring>
#include <optional>

#include "sim/base/hash.hpp"
#include "sim/base/mutex.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::interop::exchange {
namespace {

constinit Mutex name_mutex;
constinit std::optional<os::ExchangeName> name GUARDED_BY(name_mutex);
constinit Answerer memory_answers GUARDED_BY(name_mutex) = nullptr;
constinit Answerer event_answers GUARDED_BY(name_mutex) = nullptr;

// Returns where the answerer for a kind is kept; null for an unknown kind.
Answerer* answerer_of(Kind kind) REQUIRES(name_mutex) {
  switch (kind) {
    case Kind::memory:
      return &memory_answers;
    case Kind::event:
      return &event_answers;
  }
  return nullptr;
}

// Keeps the object while the answering thread sends its descriptor, so that it stays open.
constinit Ref<Counted> being_sent;

int answer(const void* request_bytes, void* reply_bytes) {
  Request request;
  std::memcpy(&request, request_bytes, sizeof request);
  Answerer answers = nullptr;
  {
    MutexLock lock(name_mutex);
    if (const Answerer* const one = answerer_of(request.kind)) answers = *one;
  }
  Reply reply{};
  const int fd = answers ? answers(request, reply, being_sent) : -1;
  std::memcpy(reply_bytes, &reply, sizeof reply);
  return fd;
}

}  // namespace

Result<os::ExchangeName> own_name(Kind kind, Answerer answers) {
  MutexLock lock(name_mutex);
  *answerer_of(kind) = answers;
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
  return fnv1a_64({static_cast<const char*>(name), size});
}

}  // namespace cuvette::interop::exchange
