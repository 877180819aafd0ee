// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 and libcudart.so.13 in one process, each used by a library that is loaded and
// unloaded.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/api/no_leak_check.hpp"
#include "tests/api/runtime/both/user.hpp"

namespace {

class Library {
 public:
  explicit Library(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) ADD_FAILURE() << dlerror();
  }
  ~Library() {
    if (handle_) EXPECT_EQ(dlclose(handle_), 0);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* use(void* numbers, int value) const {
    const char* error = "";
    void* const used = find<UseRuntime>("use_runtime")(numbers, count, value, &error);
    EXPECT_NE(used, nullptr) << error;
    return used;
  }
  const char* try_to_read(const void* numbers, int* host) const {
    return find<ReadNumbers>("read_numbers")(numbers, host, count);
  }
  std::vector<int> read(const void* numbers) const {
    std::vector<int> host(count);
    EXPECT_STREQ(try_to_read(numbers, host.data()), "cudaSuccess");
    return host;
  }
  int version() const { return find<RuntimeVersion>("runtime_version")(); }
  int last_error() const { return find<LastError>("last_error")(); }

  static constexpr int count = 32;

 private:
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }
  void* const handle_;
};

TEST(BothRuntimes, ShareTheDeviceAndItsMemory) {
  const Library twelve(RUNTIME_USER_12), thirteen(RUNTIME_USER_13);
  EXPECT_EQ(twelve.version(), 12090);
  EXPECT_EQ(thirteen.version(), 13000);
  void* const numbers = twelve.use(nullptr, 5);
  EXPECT_EQ(thirteen.use(numbers, 7), numbers);
  EXPECT_EQ(twelve.use(numbers, 1), numbers);
  EXPECT_EQ(thirteen.read(numbers), std::vector<int>(Library::count, 13));
  EXPECT_EQ(twelve.read(numbers), std::vector<int>(Library::count, 13));
}

TEST(BothRuntimes, KeepTheirErrorsApart) {
  const Library twelve(RUNTIME_USER_12), thirteen(RUNTIME_USER_13);
  int host[Library::count];
  // The address is not device memory.
  EXPECT_STREQ(twelve.try_to_read(reinterpret_cast<void*>(64), host), "cudaErrorInvalidValue");
  EXPECT_EQ(thirteen.last_error(), 0);
  EXPECT_EQ(twelve.last_error(), 1);
  EXPECT_EQ(twelve.last_error(), 0);
}

// What a library has registered disappears with it, and is back when it is loaded again.
TEST(BothRuntimes, LibrariesComeAndGo) {
  const Library thirteen(RUNTIME_USER_13);
  void* const numbers = thirteen.use(nullptr, 0);
  for (int time = 1; time <= 50; ++time) {
    const Library twelve(RUNTIME_USER_12);
    EXPECT_EQ(twelve.use(numbers, 1), numbers);
    EXPECT_EQ(twelve.read(numbers), std::vector<int>(Library::count, time)) << time;
  }
}

TEST(BothRuntimes, LibrariesComeAndGoInSeveralThreads) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "it takes a library for the one that was loaded there before";
#endif
  std::vector<std::thread> threads;
  for (const char* path : {RUNTIME_USER_12, RUNTIME_USER_13, RUNTIME_USER_12, RUNTIME_USER_13})
    threads.emplace_back([path] {
      for (int time = 0; time < 25; ++time) {
        const Library library(path);
        void* const numbers = library.use(nullptr, 3);
        EXPECT_EQ(library.read(numbers), std::vector<int>(Library::count, 3));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// Closing a library holds the loader's lock while its kernels finish, perhaps in workers that are
// just starting.
TEST(BothRuntimes, LibrariesGoWhileTheirWorkIsUnderWay) {
  const Library stays(RUNTIME_USER_13);
  void* const numbers = stays.use(nullptr, 0);
  std::thread other([&] {
    for (int time = 0; time < 200; ++time) {
      EXPECT_EQ(stays.use(numbers, 0), numbers);
      (void)stays.read(numbers);
    }
  });
  for (int time = 0; time < 50; ++time) {
    const Library goes(time % 2 ? RUNTIME_USER_12 : RUNTIME_USER_13);
    for (int launch = 0; launch < 4; ++launch) EXPECT_EQ(goes.use(numbers, 1), numbers);
  }
  other.join();
  EXPECT_EQ(stays.read(numbers), std::vector<int>(Library::count, 200));
}

}  // namespace
