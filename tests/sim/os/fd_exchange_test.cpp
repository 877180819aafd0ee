// SPDX-License-Identifier: Apache-2.0
#include "sim/os/fd_exchange.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

namespace cuvette::os {
namespace {

std::atomic<int> answered{0};

// Answers with the request plus one, and without a descriptor.
int answer(const void* request, void* reply) {
  ++answered;
  int number;
  std::memcpy(&number, request, sizeof number);
  ++number;
  std::memcpy(reply, &number, sizeof number);
  return -1;
}

const ExchangeName& own_name() {
  static const ExchangeName name = [] {
    auto served = serve_fds({sizeof(int), sizeof(int), answer, [] {}});
    EXPECT_TRUE(served.ok());
    return served.value();
  }();
  return name;
}

// Connects as any process can that reads /proc/net/unix.
int connect_to(const ExchangeName& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  char* at = address.sun_path + 1;
  at += snprintf(at, 16, "cuvette-");
  for (const uint8_t byte : name) at += snprintf(at, 3, "%02x", byte);
  const int peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(at - reinterpret_cast<char*>(&address));
  if (peer < 0 || connect(peer, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    if (peer >= 0) close(peer);
    return -1;
  }
  return peer;
}

Result<> ask(int question, int& reply) {
  int fd = -1;
  return ask_for_fd(own_name(), &question, sizeof question, &reply, sizeof reply, fd);
}

TEST(serve_fds, Answers) {
  int reply = 0;
  ASSERT_TRUE(ask(41, reply).ok());
  EXPECT_EQ(reply, 42);
}

// There are more of them than would fit if each were waited for.
TEST(serve_fds, IsNotHeldUpBySilentPeers) {
  std::vector<int> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(connect_to(own_name()));
    ASSERT_GE(silent.back(), 0);
    if (i % 20 != 0) continue;
    int reply = 0;
    ASSERT_TRUE(ask(i, reply).ok());
    EXPECT_EQ(reply, i + 1);
  }
  for (const int peer : silent) close(peer);
  int reply = 0;
  ASSERT_TRUE(ask(1, reply).ok());
}

// Silent peers are dropped after a while.
TEST(serve_fds, LeavesSilentPeers) {
  const int peer = connect_to(own_name());
  ASSERT_GE(peer, 0);
  char byte;
  EXPECT_EQ(recv(peer, &byte, 1, 0), 0) << "the connection was not closed";
  close(peer);
}

TEST(serve_fds, DropsWhoAsksSomethingElse) {
  const int peer = connect_to(own_name());
  ASSERT_GE(peer, 0);
  const int before = answered;
  char question[17] = {};
  ASSERT_EQ(send(peer, question, sizeof question, MSG_NOSIGNAL), 17);
  EXPECT_EQ(recv(peer, question, sizeof question, 0), 0);
  EXPECT_EQ(answered, before);
  close(peer);
}

// A process of another user must get no answer, however quickly it asks.
TEST(serve_fds, DoesNotAnswerOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const ExchangeName name = own_name();
  const int before = answered;
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) != 0) _exit(2);
    const int peer = connect_to(name);
    if (peer < 0) _exit(0);  // refused at once
    int question = 1;
    static_cast<void>(send(peer, &question, sizeof question, MSG_NOSIGNAL));
    _exit(recv(peer, &question, sizeof question, 0) > 0 ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(answered, before) << "the request was read";
}

}  // namespace
}  // namespace cuvette::os
