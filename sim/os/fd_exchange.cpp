// SPDX-License-Identifier: Apache-2.0
#include "sim/os/fd_exchange.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "sim/os/clock.hpp"
#include "sim/os/process.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {
namespace {

constexpr size_t most_bytes = 256;

constinit std::atomic<int> listening{-1};

struct Address {
  sockaddr_un address{};
  socklen_t size = 0;
};

// A name that begins with a zero byte is in the abstract namespace: no file, nothing to remove.
Address address_of(const ExchangeName& name) {
  Address result;
  result.address.sun_family = AF_UNIX;
  char* at = result.address.sun_path + 1;
  at += snprintf(at, 16, "cuvette-");
  for (const uint8_t byte : name) at += snprintf(at, 3, "%02x", byte);
  result.size = static_cast<socklen_t>(at - reinterpret_cast<char*>(&result.address));
  return result;
}

int new_socket() {
  const int low = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, lowest_own_fd);
  if (high < 0) return low;
  close(low);
  return high;
}

void limit_waiting(int socket, int seconds) {
  const timeval limit{seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool may_ask(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == 0 || peer.uid == geteuid());
}

// Room for one descriptor beside a message.
struct Control {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))]{};
};

// Answers a peer that has sent a request; does nothing for one that has gone.
void answer_one(int socket, const FdExchange& exchange) {
  char request[most_bytes], reply[most_bytes] = {};
  const ssize_t got = recv(socket, request, sizeof request, MSG_DONTWAIT);
  if (got != static_cast<ssize_t>(exchange.request_size)) return;
  const int fd = exchange.answer(request, reply);
  iovec data{reply, exchange.reply_size};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  Control control;
  if (fd >= 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  // The peer may be gone by now; that is its own affair.
  static_cast<void>(sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
  exchange.sent();
}

// Peers that have said nothing yet. A request follows its connection at once, so a peer that is
// silent for a second, or while many others come, is not worth a descriptor.
class Silent {
 public:
  static constexpr size_t most = 64;
  static constexpr int64_t patience_ns = 1'000'000'000;

  void add(int socket) {
    if (peers_.size() == most) drop(0);
    peers_.push_back({socket, now_ns() + patience_ns});
  }
  void drop(size_t index) {
    close(peers_[index].socket);
    peers_.erase(peers_.begin() + static_cast<ptrdiff_t>(index));
  }
  void drop_late() {
    while (!peers_.empty() && now_ns() >= peers_.front().until) drop(0);
  }
  // In milliseconds; -1 for ever.
  int patience() const {
    if (peers_.empty()) return -1;
    return static_cast<int>(std::max<int64_t>(0, peers_.front().until - now_ns()) / 1'000'000) + 1;
  }
  size_t count() const { return peers_.size(); }
  int socket(size_t index) const { return peers_[index].socket; }

 private:
  struct Peer {
    int socket;
    int64_t until;
  };
  std::vector<Peer> peers_;  // in the order in which they came
};

// Accepts one connection. False if the socket is gone.
bool accept_one(int socket, Silent& silent) {
  const int one = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (one >= 0) {
    // The name of the socket is not a secret, so nothing is read from another user's process.
    if (may_ask(one)) {
      silent.add(one);
    } else {
      close(one);
    }
    return true;
  }
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    if (silent.count() > 0) {
      silent.drop(0);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  return errno == EINTR || errno == ECONNABORTED || errno == EAGAIN;
}

void serve(int socket, const FdExchange& exchange) {
  Silent silent;
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign(1, {socket, POLLIN, 0});
    for (size_t i = 0; i < silent.count(); ++i) watched.push_back({silent.socket(i), POLLIN, 0});
    if (poll(watched.data(), watched.size(), silent.patience()) < 0 && errno != EINTR) return;
    for (size_t i = watched.size(); i-- > 1;) {
      if (watched[i].revents == 0) continue;
      answer_one(watched[i].fd, exchange);
      silent.drop(i - 1);
    }
    silent.drop_late();
    if (watched[0].revents != 0 && !accept_one(socket, silent)) return;
  }
}

Error unreachable(const char* why) {
  return refuse(Error::map_failed, "The process that exported it does not answer: %s.", why);
}

}  // namespace

Result<ExchangeName> serve_fds(const FdExchange& exchange) {
  ExchangeName name;
  if (getrandom(name.data(), name.size(), 0) != static_cast<ssize_t>(name.size()))
    return Error::operating_system;
  const Address address = address_of(name);
  const int socket = new_socket();
  if (socket < 0 ||
      bind(socket, reinterpret_cast<const sockaddr*>(&address.address), address.size) != 0 ||
      listen(socket, SOMAXCONN) != 0 || fcntl(socket, F_SETFL, O_NONBLOCK) != 0) {
    const int failure = errno;
    if (socket >= 0) close(socket);
    return refuse(Error::operating_system, "A socket for other processes cannot be made: %s.",
                  strerror(failure));
  }
  listening.store(socket, std::memory_order_release);
  on_fork(nullptr, [] {
    const int inherited = listening.exchange(-1, std::memory_order_relaxed);
    if (inherited >= 0) close(inherited);
  });
  std::thread thread = start_thread("cuvette-ipc", [socket, exchange] { serve(socket, exchange); });
  if (!thread.joinable()) {
    close(listening.exchange(-1));
    return refuse(Error::operating_system, "No thread is left to answer other processes.");
  }
  thread.detach();
  return name;
}

Result<> ask_for_fd(const ExchangeName& name, const void* request, size_t request_size, void* reply,
                    size_t reply_size, int& fd) {
  fd = -1;
  const Address address = address_of(name);
  const int socket = new_socket();
  if (socket < 0) return unreachable(strerror(errno));
  limit_waiting(socket, 5);
  iovec data{reply, reply_size};
  Control control;
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t got = -1;
  const bool connected =
      connect(socket, reinterpret_cast<const sockaddr*>(&address.address), address.size) == 0;
  if (!connected && errno == ECONNREFUSED) {
    close(socket);
    return refuse(Error::invalid_handle, "The process that exported it has ended.");
  }
  if (connected &&
      send(socket, request, request_size, MSG_NOSIGNAL) == static_cast<ssize_t>(request_size)) {
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
  }
  const int failure = errno;
  close(socket);
  if (got < 0) return unreachable(strerror(failure));
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  if (got == static_cast<ssize_t>(reply_size)) return {};
  if (fd >= 0) close(fd);
  fd = -1;
  return unreachable("its answer is incomplete");
}

}  // namespace cuvette::os
