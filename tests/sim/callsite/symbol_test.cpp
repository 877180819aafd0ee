// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "sim/callsite/symbol_table.hpp"

namespace cuvette::callsite {
namespace {

// Not exported, so the loader knows no name for it.
[[gnu::noinline, gnu::used]] int known_to_this_file_alone(int number) {
  asm volatile("" : "+r"(number));
  return number + 1;
}

const char* address() { return reinterpret_cast<const char*>(&known_to_this_file_alone); }

TEST(describe, NamesFunctionsThatAreNotExported) {
  const std::string text = describe(address() + 1);
  EXPECT_NE(text.find("known_to_this_file_alone(int)+0x1 ("), std::string::npos) << text;
  EXPECT_NE(text.find("sim_callsite_test+0x"), std::string::npos) << text;
}

TEST(describe, NamesExportedFunctions) {
  EXPECT_NE(describe(reinterpret_cast<void*>(dlsym(RTLD_DEFAULT, "qsort"))).find("qsort+0x0 ("),
            std::string::npos);
  EXPECT_EQ(describe(nullptr), "unknown");
  EXPECT_EQ(describe(reinterpret_cast<void*>(64)), "unknown");
}

TEST(readable_name, IsThatOfTheSource) {
  EXPECT_EQ(readable_name("_Z3badPi"), "bad(int*)");
  EXPECT_EQ(readable_name("bad"), "bad");
  EXPECT_EQ(readable_name("_Z"), "_Z");
  // Not what these mean as the name of a type.
  for (const char* const name : {"f", "i", "a", "PKc", "N3abc", ""})
    EXPECT_EQ(readable_name(name), name);
}

// Damaged files give an answer and never crash.
TEST(find_local_function, SurvivesDamagedFiles) {
  Dl_info info{};
  ASSERT_NE(dladdr(address(), &info), 0);
  const auto base = reinterpret_cast<uint64_t>(info.dli_fbase);
  const auto at = reinterpret_cast<uint64_t>(address());
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  char name[] = "/tmp/cuvette-symbols-XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  close(fd);
  const auto find_in = [&](const std::string& content) {
    std::ofstream(name, std::ios::binary) << content;
    return find_local_function(name, at, base);
  };
  const auto found = find_in(bytes);
  ASSERT_TRUE(found);
  EXPECT_NE(found->name.find("known_to_this_file_alone"), std::string::npos);
  EXPECT_EQ(found->offset, 0u);

  std::mt19937_64 random(1);
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{63}, size_t{64}, bytes.size() / 2, bytes.size() - 1})
    (void)find_in(bytes.substr(0, size));
  // The headers of the file and of its sections are at its two ends.
  for (int time = 0; time < 200; ++time) {
    std::string damaged = bytes;
    for (int i = 0; i < 4; ++i) {
      const size_t within = time % 2 ? random() % 64 : bytes.size() - 1 - random() % 2048;
      damaged[within] = static_cast<char>(random());
    }
    (void)find_in(damaged);
  }
  unlink(name);
  EXPECT_FALSE(find_local_function(name, at, base));
  EXPECT_FALSE(find_local_function("/dev/zero", at, base));
  EXPECT_FALSE(find_local_function("/tmp", at, base));
}

}  // namespace
}  // namespace cuvette::callsite
