// SPDX-License-Identifier: Apache-2.0
// Passes open files between a test's processes over a Unix socket, each with some bytes.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstring>

// Sends `fd` together with `size` bytes, at least one.
inline bool send_fd(int socket, int fd, const void* data, size_t size) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  iovec bytes{const_cast<void*>(data), size};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return sendmsg(socket, &message, 0) == static_cast<ssize_t>(size);
}

// Receives a file, marked close-on-exec; -1 unless it came with exactly `size` bytes.
inline int receive_fd(int socket, void* data, size_t size) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec bytes{data, size};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(size)) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}
