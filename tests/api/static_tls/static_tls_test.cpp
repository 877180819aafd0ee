// SPDX-License-Identifier: Apache-2.0
// All libraries of Cuvette, opened late, leave room in glibc's reserve for static thread-local
// storage (1,664 bytes), in whichever order they and others are opened.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <string>

namespace {

// Opens libraries, then ends the process: with 0 if all could be opened, else with the loader's
// sentence on stderr.
[[noreturn]] void open_all(const std::string& paths) {
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (dlopen(path.c_str(), RTLD_NOW)) continue;
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
  _exit(0);
}

class StaticTls : public testing::Test {
 protected:
  // The children start anew, with nothing opened.
  StaticTls() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  const std::string ours = CUVETTE_LIBRARIES, other = WANTS_STATIC_TLS;
};

TEST_F(StaticTls, LeavesRoomForALibraryThatComesLater) {
  EXPECT_EXIT(open_all(ours + ":" + other), testing::ExitedWithCode(0), "");
}

TEST_F(StaticTls, FindsRoomBesideALibraryThatCameBefore) {
  EXPECT_EXIT(open_all(other + ":" + ours), testing::ExitedWithCode(0), "");
}

}  // namespace
