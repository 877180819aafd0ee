// SPDX-License-Identifier: Apache-2.0
// The log of refused calls. The lines have the form that an H200's driver gives them.
#include <cuda.h>

#include <atomic>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/api/driver/gate.hpp"

namespace {

void refused_calls(int count) {
  for (int i = 0; i < count; ++i) EXPECT_EQ(cuMemFree(77), CUDA_ERROR_INVALID_VALUE);
}

// Reads the log from `iterator` on.
std::string read(CUlogIterator* iterator, size_t room = 1 << 20) {
  std::string text(room, 'x');
  size_t size = room;
  EXPECT_EQ(cuLogsDumpToMemory(iterator, text.data(), &size, 0), CUDA_SUCCESS);
  text.resize(size);
  return text;
}

size_t count(const std::string& text, const std::string& piece) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(cuLogsDumpToMemory, EachRefusedCallHasALine) {
  const Scene scene;
  CUlogIterator at = 0;
  OK(cuLogsCurrent(&at, 0));
  refused_calls(2);
  EXPECT_EQ(cuStreamQuery(reinterpret_cast<CUstream>(0x1230)), CUDA_ERROR_INVALID_HANDLE);
  const std::string text = read(&at);
  const std::regex line(
      R"(\[\d\d:\d\d:\d\d\.\d{3}\]\[\d+\]\[CUDA\]\[E\] Returning 1 \(CUDA_ERROR_INVALID_VALUE\) from cuMemFree_v2\n)");
  EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), line), {}), 2) << text;
  EXPECT_EQ(count(text, "Returning 400 (CUDA_ERROR_INVALID_HANDLE) from cuStreamQuery"), 1u);
  EXPECT_EQ(read(&at), "");  // the iterator has moved on
  CUlogIterator first = 0;
  EXPECT_NE(read(&first).find(text), std::string::npos);
  EXPECT_NE(read(nullptr).find(text), std::string::npos);
}

// NOT_READY is not an error, and successful calls log nothing.
TEST(cuLogsDumpToMemory, SaysNothingOfCallsThatGoWell) {
  const Scene scene;
  CUlogIterator at = 0;
  OK(cuLogsCurrent(&at, 0));
  const CUstream stream = new_stream();
  Gate gate(stream);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(read(&at), "");
}

TEST(cuLogsDumpToMemory, WritesWholeLinesAndGoesOn) {
  const Scene scene;
  CUlogIterator at = 0;
  OK(cuLogsCurrent(&at, 0));
  refused_calls(5);
  CUlogIterator whole = at;
  const std::string all = read(&whole);
  const size_t longest = all.find('\n') + 200;
  std::string pieces;
  for (std::string piece; !(piece = read(&at, longest)).empty();) {
    EXPECT_EQ(piece.back(), '\n');
    pieces += piece;
  }
  EXPECT_EQ(pieces, all);
  char byte = 0;
  size_t size = 1;
  CUlogIterator first = 0;
  EXPECT_EQ(cuLogsDumpToMemory(&first, &byte, &size, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(size, 0u);
}

// Old lines are dropped; an iterator that points to one continues with the oldest line left.
TEST(cuLogsDumpToMemory, KeepsTheLastLines) {
  const Scene scene;
  CUlogIterator at = 0;
  OK(cuLogsCurrent(&at, 0));
  refused_calls(3000);
  const std::string text = read(&at);
  const size_t lines = count(text, "\n");
  EXPECT_GE(lines, 100u);
  EXPECT_LT(lines, 3000u);
  EXPECT_EQ(read(&at), "");
}

TEST(cuLogsDumpToFile, AppendsLines) {
  const Scene scene;
  char name[] = "/tmp/cuvette-log-XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  close(fd);
  CUlogIterator at = 0;
  OK(cuLogsCurrent(&at, 0));
  for (int time = 0; time < 2; ++time) {
    refused_calls(1);
    OK(cuLogsDumpToFile(&at, name, 0));
  }
  std::stringstream text;
  text << std::ifstream(name).rdbuf();
  EXPECT_EQ(count(text.str(), "from cuMemFree_v2\n"), 2u) << text.str();
  unlink(name);
  EXPECT_EQ(cuLogsDumpToFile(&at, "/nowhere/at/all", 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsDumpToFile(&at, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

struct Heard {
  std::atomic<int> lines{0};
  static void hear(void* data, CUlogLevel level, char* text, size_t length) {
    EXPECT_EQ(level, CU_LOG_LEVEL_ERROR);
    EXPECT_EQ(strlen(text), length);
    // A callback may read the log.
    CUlogIterator at = 0;
    EXPECT_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
    if (strstr(text, "from cuMemFree_v2")) ++static_cast<Heard*>(data)->lines;
  }
};

TEST(cuLogsRegisterCallback, TellsEachThreadsRefusals) {
  const Scene scene;
  Heard heard, also;
  CUlogsCallbackHandle first, second;
  OK(cuLogsRegisterCallback(&Heard::hear, &heard, &first));
  OK(cuLogsRegisterCallback(&Heard::hear, &also, &second));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      OK(cuCtxSetCurrent(scene.context));
      refused_calls(50);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heard.lines, 200);
  OK(cuLogsUnregisterCallback(first));
  refused_calls(1);
  EXPECT_EQ(heard.lines, 200);
  EXPECT_EQ(also.lines, 201);
  OK(cuLogsUnregisterCallback(second));
}

TEST(cuLogsUnregisterCallback, KnowsItsHandles) {
  const Scene scene;
  Heard heard;
  CUlogsCallbackHandle handle;
  EXPECT_EQ(cuLogsRegisterCallback(nullptr, nullptr, &handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsRegisterCallback(&Heard::hear, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuLogsRegisterCallback(&Heard::hear, &heard, &handle));
  OK(cuLogsUnregisterCallback(handle));
  EXPECT_EQ(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLogsUnregisterCallback(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLogsCurrent, NeedsAPlace) {
  const Scene scene;
  EXPECT_EQ(cuLogsCurrent(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
