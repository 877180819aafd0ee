// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recorder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sim/os/output.hpp"
#include "sim/record/resource.hpp"
#include "tools/cuvette/record/raw_file.hpp"
#include "tools/cuvette/record/tick_times.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::record {
namespace {

namespace fs = std::filesystem;
using tools::RawFile;

// A process has one recorder.
class RecorderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "recorder-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    recorder_ = Recorder::create(folder_, size_t{4} << 20);
    ASSERT_TRUE(recorder_);
    ASSERT_EQ(record::recorder(), recorder_);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static RawFile read() {
    const std::string path = folder_ + "/" + std::to_string(os::process_id()) + ".record";
    const auto bytes = tools::whole_file(path);
    EXPECT_TRUE(bytes);
    return RawFile(bytes.value_or(""));
  }
  static std::string text(const RawFile& file, uint32_t number) {
    const auto found = file.texts.find(number);
    return found == file.texts.end() ? "?" : found->second;
  }

  static inline std::string folder_;
  static inline Recorder* recorder_ = nullptr;
};

TEST_F(RecorderTest, TellsOfTheProcess) {
  const RawFile file = read();
  ASSERT_TRUE(file.is_record);
  EXPECT_EQ(file.header.process, static_cast<uint32_t>(os::process_id()));
  ASSERT_EQ(file.processes.size(), 1u);
  EXPECT_EQ(text(file, file.processes[0].program), os::program());
  EXPECT_EQ(file.unreadable, 0u);
}

TEST_F(RecorderTest, TextsAreWrittenOnceAndWhole) {
  std::vector<std::string> texts = {"a",
                                    std::string(52, 'b'),
                                    std::string(53, 'c'),
                                    std::string(116, 'd'),
                                    std::string(117, 'e'),
                                    std::string(format::most_text, 'f')};
  std::vector<uint32_t> numbers;
  for (const std::string& one : texts) numbers.push_back(recorder_->text(one));
  const uint32_t cut = recorder_->text(std::string(format::most_text + 1, 'g'));
  const RawFile file = read();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(text(file, numbers[i]), texts[i]);
    EXPECT_EQ(recorder_->text(texts[i]), numbers[i]);
  }
  EXPECT_EQ(text(file, cut), std::string(format::most_text, 'g'));
  EXPECT_EQ(recorder_->text(""), 0u);
}

TEST_F(RecorderTest, NamesOfKernelsAreReadable) {
  std::string name = "_Z3addPi";
  const uint32_t add = recorder_->symbol(name);
  EXPECT_EQ(recorder_->symbol(name), add);
  name = "_Z3subPi";  // in the same place
  const uint32_t sub = recorder_->symbol(name);
  const RawFile file = read();
  EXPECT_EQ(text(file, add), "add(int*)");
  EXPECT_EQ(text(file, sub), "sub(int*)");
}

TEST_F(RecorderTest, RecordsOfThreadsDoNotMix) {
  constexpr uint32_t threads = 8, each = 2000;
  std::vector<std::thread> all;
  for (uint32_t i = 0; i < threads; ++i)
    all.emplace_back([i] {
      for (uint32_t n = 1; n <= each; ++n)
        recorder_->add(format::Touch{.stream = 100 + i, .number = n});
    });
  for (std::thread& one : all) one.join();
  const RawFile file = read();
  std::map<uint32_t, uint64_t> last;
  std::map<uint32_t, uint32_t> writers;
  for (const auto& touch : file.touches) {
    if (touch.stream < 100) continue;
    EXPECT_EQ(writers.try_emplace(touch.stream, touch.writer).first->second, touch.writer);
    last[touch.stream] += touch.number;
  }
  ASSERT_EQ(last.size(), threads);
  for (const auto& [thread, sum] : last) EXPECT_EQ(sum, uint64_t{each} * (each + 1) / 2);
  EXPECT_EQ(file.unreadable, 0u);
}

TEST_F(RecorderTest, CallsNest) {
  EXPECT_EQ(recorder_->outer_call(), 0u);
  format::Call* const outer = recorder_->begin_call(recorder_->text("outer"), 0);
  format::Call* const inner = recorder_->begin_call(recorder_->text("inner"), 0);
  ASSERT_TRUE(outer && inner);
  note_bytes(12);
  note(format::CallClass::async);
  EXPECT_EQ(recorder_->inner_call(), inner);
  const uint32_t number = recorder_->outer_call();
  // An exception has left the inner one.
  recorder_->end_call(outer, 7);
  EXPECT_EQ(recorder_->inner_call(), nullptr);
  const RawFile file = read();
  bool seen = false;
  for (const auto& call : file.calls) {
    if (text(file, call.function) == "inner") {
      EXPECT_EQ(call.ended, 0u);
      EXPECT_EQ(call.bytes, 12u);
      EXPECT_EQ(call.classes, 1u << static_cast<unsigned>(format::CallClass::async));
    }
    if (text(file, call.function) != "outer") continue;
    seen = true;
    EXPECT_EQ(call.place_in_file, number);
    EXPECT_EQ(call.result, 7);
    EXPECT_GE(call.ended, call.began);
  }
  EXPECT_TRUE(seen);
}

TEST_F(RecorderTest, AResourceIsMappedSeveralTimes) {
  {
    Resource resource;
    resource.begin(format::ResourceKind::graphics, "OpenGL buffer 3");
    for (unsigned i = 0; i < 2; ++i) {
      resource.map();
      resource.unmap();
    }
  }
  const RawFile file = read();
  ASSERT_FALSE(file.resources.empty());
  const auto& resource = file.resources.back();
  EXPECT_EQ(text(file, resource.name), "OpenGL buffer 3");
  EXPECT_NE(resource.ended, 0u);
  EXPECT_EQ(file.mapped.size(), 2u);
}

TEST_F(RecorderTest, TicksBecomeNanoseconds) {
  recorder_->add_clock();
  const uint64_t ticks = os::ticks();
  const auto now = static_cast<uint64_t>(os::now_ns());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const uint64_t later_ticks = os::ticks();
  const auto later = static_cast<uint64_t>(os::now_ns());
  recorder_->add_clock();
  const tools::TickTimes times(read().clocks);
  EXPECT_NEAR(static_cast<double>(times.at(ticks)), static_cast<double>(now), 1e6);
  EXPECT_NEAR(static_cast<double>(times.at(later_ticks) - times.at(ticks)),
              static_cast<double>(later - now), 1e6);
}

}  // namespace
}  // namespace cuvette::record
