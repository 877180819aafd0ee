// SPDX-License-Identifier: Apache-2.0
// Peer: a second process that takes commands of one letter. It is forked before either process has
// called cuInit, and ends with this one.
#pragma once

#include <cuda.h>
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <type_traits>

// `Offer` is what the peer sends when it has begun.
template <typename Offer>
class Peer {
  static_assert(std::is_trivially_copyable_v<Offer>);

 public:
  // `begin` runs in the peer: it fills in the offer and returns the function that answers each
  // letter, or an empty function if the peer cannot begin.
  using Answer = std::function<int(char)>;
  explicit Peer(const std::function<Answer(Offer&)>& begin) {
    int down[2], up[2];
    EXPECT_EQ(pipe2(down, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(up, O_CLOEXEC), 0);
    child_ = fork();
    if (child_ == 0) {
      alarm(60);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(down[1]);
      close(up[0]);
      const Answer answer = begin(offer);
      if (!answer || write(up[1], &offer, sizeof offer) != sizeof offer) _exit(1);
      for (char letter; read(down[0], &letter, 1) == 1;) {
        const int result = answer(letter);
        if (write(up[1], &result, sizeof result) != sizeof result) break;
      }
      _exit(0);
    }
    close(down[0]);
    close(up[1]);
    tell_ = down[1];
    hear_ = up[0];
    EXPECT_EQ(read(hear_, &offer, sizeof offer), static_cast<ssize_t>(sizeof offer));
  }
  ~Peer() { end(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Sends a letter and waits for the answer; -1 if there is none.
  int tell(char letter) {
    begin(letter);
    return answer();
  }
  // The two halves of tell(), for commands that take a while.
  void begin(char letter) { EXPECT_EQ(write(tell_, &letter, 1), 1); }
  bool answered(int milliseconds) {
    pollfd one{hear_, POLLIN, 0};
    return poll(&one, 1, milliseconds) == 1;
  }
  int answer() {
    int result = -1;
    return read(hear_, &result, sizeof result) == sizeof result ? result : -1;
  }

  void end() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    EXPECT_EQ(waitpid(child_, nullptr, 0), child_);
    close(tell_);
    close(hear_);
    child_ = 0;
  }
  // The number of descriptors that it takes in this process.
  static constexpr int descriptors = 2;

  pid_t id() const { return child_; }
  Offer offer{};

 private:
  pid_t child_;
  int tell_, hear_;
};

// Pinned memory, so that copies to it are asynchronous; it is freed when the process ends.
inline unsigned char* pinned_bytes(size_t count) {
  void* bytes = nullptr;
  EXPECT_EQ(cuMemAllocHost(&bytes, count), CUDA_SUCCESS);
  return static_cast<unsigned char*>(bytes);
}

inline int open_descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}
