// SPDX-License-Identifier: Apache-2.0
// The file that `cuvette trace` writes: whatever the record, it follows the rules of trace_check.
#include "tools/cuvette/trace/trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "tests/tools/shell.hpp"
#include "tests/tools/trace/records.hpp"
#include "tools/cuvette/gzip.hpp"
#include "tools/cuvette/trace/lanes.hpp"
#include "tools/cuvette/trace/readable.hpp"
#include "tools/cuvette/trace/words.hpp"

namespace cuvette::tools {
namespace {

constexpr TraceTime both_times[] = {TraceTime::order, TraceTime::wall};

// A folder for files of traces, removed with what is in it.
class Folder {
 public:
  Folder() : path_(testing::TempDir() + "/cuvette-trace-" + std::to_string(getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  // Checks all of the files at once.
  Outcome check(const std::string& options) const {
    return run_line("'" PYTHON "' -B '" TRACE_TESTS "/trace_check' " + options + " " +
                    path_.string() + "/*");
  }

 private:
  std::filesystem::path path_;
};

Outcome check(const std::string& bytes, const std::string& options) {
  const Folder folder;
  folder.write("trace", bytes);
  return folder.check(options);
}

std::string golden(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(TRACE_TESTS "/" + name).rdbuf();
  return text.str();
}

// Compares with a golden file; TRACE_UPDATE_GOLDEN=1 writes it.
void expect_golden(const std::string& name, const Outcome& text) {
  ASSERT_EQ(text.status, 0) << text.output;
  if (getenv("TRACE_UPDATE_GOLDEN")) std::ofstream(TRACE_TESTS "/" + name) << text.output;
  EXPECT_EQ(text.output, golden(name)) << "TRACE_UPDATE_GOLDEN=1 writes the file";
}

TEST(Trace, ShowsARecordInTheOrderOfItsEvents) {
  expect_golden("order.txt", check(trace_of(record_by_hand(), TraceTime::order).bytes, "--text"));
}

TEST(Trace, ShowsARecordInTheTimeOfItsMachine) {
  expect_golden("wall.txt", check(trace_of(record_by_hand(), TraceTime::wall).bytes, "--text"));
}

// Times, numbers of processes and addresses differ between two runs, and the order does not.
TEST(Trace, IsTheSameForTheSameOrder) {
  Record other = record_by_hand();
  const auto later = [](uint64_t& time) {
    if (time != Record::open) time = 3 * time + 12'345;
  };
  for (auto& process : other.processes) {
    process.id = process.id + 7;
    process.began_unix_ns += 1000;
    later(process.began);
  }
  for (auto& thread : other.threads) thread.id += 7;
  for (auto& call : other.calls) {
    later(call.began);
    later(call.ended);
  }
  for (auto& command : other.commands) {
    later(command.submitted);
    later(command.began);
    later(command.ended);
  }
  for (auto& segment : other.segments) later(segment.began);
  for (auto& memory : other.memories) {
    later(memory.began);
    memory.address += 0x10000;
  }
  for (auto& touch : other.touches) touch.address += 0x10000;
  for (auto& resource : other.resources) {
    later(resource.began);
    for (auto& [began, ended] : resource.mapped) {
      later(began);
      later(ended);
    }
  }
  for (auto& report : other.reports) {
    later(report.time);
    report.address += 0x10000;
    report.facts[1].second = "0x7f0000018000";
  }
  EXPECT_EQ(trace_of(other, TraceTime::order).bytes,
            trace_of(record_by_hand(), TraceTime::order).bytes);
  EXPECT_NE(trace_of(other, TraceTime::wall).bytes,
            trace_of(record_by_hand(), TraceTime::wall).bytes);
}

// A command may begin before the call that submits it returns: the order of these two is chance.
TEST(Trace, DoesNotDependOnHowFastACallReturns) {
  Record record = record_by_hand();
  const std::string before = trace_of(record, TraceTime::order).bytes;
  for (Record::Command& command : record.commands)
    if (command.name == "fill") {
      command.began = command.submitted + 1;
      command.ended = command.began + 1;
    }
  EXPECT_EQ(trace_of(record, TraceTime::order).bytes, before);
}

TEST(Trace, ShowsTheOrderInWhichUnorderedCommandsRan) {
  const auto trace = [](bool swaps) {
    Record record;
    record.processes.push_back({1, "p", "", 0, 100, 0, 0});
    record.threads.push_back({0, 1, "main"});
    record.devices.push_back({0, 0, ""});
    record.streams.resize(2);
    for (uint32_t stream = 0; stream < 2; ++stream) {
      record.streams[stream].id = stream + 1;
      record.calls.push_back({0, "cuLaunchKernel", "", 10 + stream, 11 + stream, 0, 0, 0, ""});
      Record::Command command;
      command.stream = command.call = stream;
      command.kind = "kernel";
      command.submitted = 10 + stream;
      command.began = (stream == 0) != swaps ? 20 : 30;
      command.ended = command.began + 5;
      record.commands.push_back(command);
    }
    return check(trace_of(record, TraceTime::order).bytes, "--text").output;
  };
  EXPECT_NE(trace(false), trace(true));
}

TEST(Trace, TakesARecordWithNothingInIt) {
  for (const TraceTime time : both_times) {
    const Outcome outcome = check(trace_of({}, time).bytes, "");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
}

// Draws records, and checks the traces of all of them.
template <typename Draw>
void check_many(uint32_t seed, int count, Draw draw, size_t& left_out) {
  std::mt19937 random(seed);
  const Folder folder;
  for (int number = 0; number < count; ++number) {
    const Record record = draw(random);
    for (const TraceTime time : both_times) {
      const Trace trace = trace_of(record, time);
      left_out += trace.arrows_left_out;
      folder.write(std::to_string(number) + (time == TraceTime::wall ? ".wall" : ".order"),
                   trace.bytes);
    }
  }
  const Outcome outcome = folder.check("");
  EXPECT_EQ(outcome.status, 0) << "seed " << seed << "\n" << outcome.output;
}

int repetitions(int usual) {
  const char* const more = getenv("TRACE_RECORDS");
  return more ? atoi(more) : usual;
}

TEST(Trace, FollowsTheRulesForAnyPossibleRecord) {
  size_t left_out = 0;
  check_many(42, repetitions(100), possible_record, left_out);
  EXPECT_EQ(left_out, 0u) << "the times of these records do not contradict their edges";
}

TEST(Trace, FollowsTheRulesForAnyRecord) {
  size_t left_out = 0;
  check_many(43, repetitions(200), hostile_record, left_out);
  EXPECT_GT(left_out, 0u) << "the records are too tame";
}

TEST(Trace, ShowsManyOverlapsOnAsManyTracksAsTheyNeed) {
  Record record;
  record.processes.push_back({1, "p", "", 0, 1000, 0, 0});
  record.segments.push_back({0, 7, "segment 1", "imported", 4096, 0, 1000});
  for (uint32_t window = 0; window < 300; ++window) {
    Record::Memory memory;
    memory.process = memory.segment = 0;
    memory.kind = "external";
    memory.offset = window;
    memory.size = 4096 - 300;
    memory.began = 10 + window;
    memory.ended = 900 - window;
    record.memories.push_back(memory);
  }
  const Trace trace = trace_of(record, TraceTime::wall);
  const Outcome outcome = check(trace.bytes, "");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(trace.left_out, 300u - 128 + 300 * 299 / 2 - 128);
}

TEST(gzip, IsReadBack) {
  const Trace trace = trace_of(record_by_hand(), TraceTime::order);
  const std::string packed = gzip_of(trace.bytes);
  EXPECT_LT(packed.size(), trace.bytes.size());
  EXPECT_EQ(packed, gzip_of(trace.bytes));
  EXPECT_EQ(check(packed, "--text").output, check(trace.bytes, "--text").output);
  EXPECT_EQ(run_line("printf '' | gzip -c | gzip -dc").status, 0);
}

TEST(readable, ChangesWhatCannotBeShown) {
  EXPECT_EQ(readable("plain \xe2\x82\xac \xf0\x9f\x99\x82", 100),
            "plain \xe2\x82\xac \xf0\x9f\x99\x82");
  EXPECT_EQ(readable(std::string_view("a\0b\n\x7f", 5), 100), "a\u2400b\u240a\u2421");
  EXPECT_EQ(readable("\xff|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82", 100),
            "\ufffd|\ufffd\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd\ufffd\ufffd|\ufffd\ufffd");
  EXPECT_EQ(readable("12345", 5), "12345");
  EXPECT_EQ(readable("123456", 5), "12345\u2026");
  EXPECT_EQ(readable("1234\u20ac", 5), "1234\u2026");
}

TEST(without_addresses, LeavesShortNumbers) {
  EXPECT_EQ(without_addresses("at 0x7f0012345678, flags 0x10; 0xabcdef"),
            "at 0x..., flags 0x10; 0x...");
  EXPECT_EQ(without_addresses("0x"), "0x");
}

TEST(size_in_words, IsExact) {
  EXPECT_EQ(size_in_words(0), "0");
  EXPECT_EQ(size_in_words(100), "100 B");
  EXPECT_EQ(size_in_words(4096), "4 KiB");
  EXPECT_EQ(size_in_words(3 << 20), "3 MiB");
  EXPECT_EQ(range_in_words(32768, 65536), "[32 KiB, 96 KiB)");
}

TEST(lanes_of, KeepsNamesApartUntilThereAreTooMany) {
  std::vector<LaneSpan> spans = {{0, 5, "a", 0}, {5, 9, "b", 1}, {9, 12, "a", 2}, {1, 1, "a", 3}};
  EXPECT_EQ(lanes_of(spans, 8, 8).names, (std::vector<std::string>{"a", "a", "b"}));
  EXPECT_EQ(lanes_of(spans, 1, 8).names.size(), 2u);
  EXPECT_EQ(lanes_of(spans, 1, 1).names.size(), 1u);
  EXPECT_EQ(spans.size(), 3u) << "one has no lane";
}

}  // namespace
}  // namespace cuvette::tools
