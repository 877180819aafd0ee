// SPDX-License-Identifier: Apache-2.0
// `cuvette profile`: its counts, from a program to the answer, and the reader of its files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/tools/shell.hpp"
#include "tools/cuvette/profile/advice.hpp"
#include "tools/cuvette/profile/profile.hpp"
#include "tools/cuvette/profile/profile_text.hpp"

namespace {

using namespace cuvette::tools;
using Json = nlohmann::json;
namespace fs = std::filesystem;

Outcome run_profiled(const std::string& options, const std::string& how) {
  return shell("$C profile " + options + " -- '" PROFILED_PROGRAM "' " + how + " 2>/dev/null");
}

Json answer(const std::string& how, const std::string& options = "") {
  const Outcome outcome = run_profiled("--json --limit=0 " + options, how);
  const Json json = Json::parse(outcome.output, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.output;
  return json;
}

Json kernel_in(const Json& answer, const std::string& name) {
  for (const Json& kernel : answer.at("kernels"))
    if (kernel.at("symbol") == name) return kernel;
  ADD_FAILURE() << name << " is not in " << answer.dump();
  return {};
}

Json line_in(const Json& kernel, const std::string& source) {
  for (const Json& line : kernel.at("lines"))
    if (line.at("source") == source) return line;
  ADD_FAILURE() << source << " is not in " << kernel.dump();
  return {};
}

TEST(Profile, CountsAccessesByLine) {
  const Json strided = kernel_in(answer("once"), "strided");
  EXPECT_EQ(strided.at("launch_count"), 1);
  const Json load = line_in(strided, "kernels.cu:10").at("accesses").at(0);
  EXPECT_EQ(load.at("kind"), "load");
  EXPECT_EQ(load.at("bytes"), 4);
  EXPECT_EQ(load.at("requests"), 32);
  EXPECT_EQ(load.at("threads"), 1024);
  EXPECT_EQ(load.at("sectors"), 1024);
  EXPECT_EQ(load.at("sectors_per_request"), 32);
  EXPECT_EQ(load.at("excess_sectors"), 896);
  EXPECT_EQ(load.at("stride"), 128);
  const Json store = line_in(strided, "kernels.cu:11").at("accesses").at(0);
  EXPECT_EQ(store.at("sectors"), 128);
  EXPECT_EQ(store.at("excess_sectors"), 0);
  EXPECT_EQ(strided.at("lines").at(0).at("source"), "kernels.cu:10") << "the worst line first";
  EXPECT_NE(strided.at("lines").at(0).at("advice").get<std::string>().find(
                "32 sectors where 4 would do: threads read 4 bytes with a stride of 128 bytes"),
            std::string::npos);
}

TEST(Profile, CountsConflictsBarriersAndBranches) {
  const Json all = answer("once");
  const Json conflicts = kernel_in(all, "conflicts");
  const Json store = line_in(conflicts, "kernels.cu:20").at("accesses").at(0);
  EXPECT_EQ(store.at("shared_requests"), 2);
  EXPECT_EQ(store.at("wavefronts"), 64);
  EXPECT_EQ(store.at("bank_conflicts"), 62);
  EXPECT_EQ(line_in(conflicts, "kernels.cu:21").at("barriers"), 2);
  const Json counted = kernel_in(all, "counted");
  EXPECT_EQ(line_in(counted, "kernels.cu:31").at("branches"), 6);
  EXPECT_EQ(line_in(counted, "kernels.cu:31").at("divergent_branches"), 6);
  const Json store_of_some = line_in(counted, "kernels.cu:32");
  EXPECT_EQ(store_of_some.at("accesses").at(0).at("threads"), 64);
  EXPECT_NEAR(store_of_some.at("active_threads").get<double>(), 64 / 6.0, 1e-9);
}

TEST(Profile, CountsAtomicsAndFindsTheHottestAddress) {
  const Json line = line_in(kernel_in(answer("once"), "counted"), "kernels.cu:5");
  const Json red = line.at("accesses").at(0);
  EXPECT_EQ(red.at("kind"), "reduction");
  EXPECT_EQ(red.at("requests"), 6);
  EXPECT_EQ(red.at("sectors"), 6);
  EXPECT_EQ(red.at("most_threads_at_one_address"), 32);
  EXPECT_EQ(red.at("threads_behind_others"), 186);
  EXPECT_EQ(red.at("sector_visits"), 192) << "one for each thread at the address";
  EXPECT_EQ(red.at("hottest_address").at("times"), 192);
  EXPECT_EQ(red.at("hottest_address").at("offset"), 0);
  EXPECT_EQ(red.at("hottest_address").at("allocation_bytes"), 2 << 20);
  ASSERT_EQ(line.at("inlined").size(), 2u);
  EXPECT_EQ(line.at("inlined").at(0).at("function"), "add(int)");
  EXPECT_EQ(line.at("inlined").at(1).at("source"), "kernels.cu:30");
}

TEST(Profile, SaysHowFullTheDeviceIs) {
  const Json kernel = kernel_in(answer("once"), "conflicts");
  EXPECT_EQ(kernel.at("registers"), nullptr) << "PTX alone does not say";
  const Json launch = kernel.at("launches").at(0);
  EXPECT_EQ(launch.at("blocks_per_multiprocessor"), 32);
  EXPECT_EQ(launch.at("limited_by").dump(), R"(["warps","block slots"])");
  EXPECT_EQ(launch.at("theoretical_occupancy"), 1);
  EXPECT_NEAR(launch.at("waves").get<double>(), 1.0 / (132 * 32), 1e-9);
}

TEST(Profile, AddsUpLaunchesAndProcesses) {
  EXPECT_EQ(line_in(kernel_in(answer("twice"), "strided"), "kernels.cu:10")
                .at("accesses")
                .at(0)
                .at("requests"),
            64);
  const Json all = answer("processes");
  EXPECT_EQ(all.at("processes"), 3);
  const Json strided = kernel_in(all, "strided");
  EXPECT_EQ(strided.at("launch_count"), 3);
  EXPECT_EQ(line_in(strided, "kernels.cu:10").at("accesses").at(0).at("sectors"), 3072);
}

TEST(Profile, DoesNotChangeWithTheThreadsThatRunIt) {
  const auto counts = [](const Json& answer) {
    return line_in(kernel_in(answer, "strided"), "kernels.cu:10").dump();
  };
  EXPECT_EQ(counts(answer("once", "--workers=1")), counts(answer("once", "--workers=8")));
  EXPECT_EQ(counts(answer("once", "--check=races")), counts(answer("once")));
}

TEST(Profile, NamesLinesOfThePtxWithoutOthers) {
  const Outcome text = run_profiled("--kernel=plain", "once");
  EXPECT_TRUE(has(text, "PTX line 9")) << text.output;
  EXPECT_TRUE(has(text, "without -lineinfo"));
  EXPECT_FALSE(has(text, "strided"));
}

TEST(Profile, ShowsTheWorstLinesFirst) {
  const Outcome text = run_profiled("--kernel='^strided$' --limit=1", "once");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(has(text, "kernels.cu:10"));
  EXPECT_FALSE(has(text, "kernels.cu:11"));
  EXPECT_TRUE(has(text, "896 of 1024 too many"));
  EXPECT_TRUE(has(text, "2 more lines"));
}

TEST(Profile, KeepsTheProgramsExitStatus) {
  EXPECT_EQ(run_profiled("", "fails").status, 5);
  EXPECT_EQ(run_profiled("", "nothing").status, 0);
  EXPECT_TRUE(has(run_profiled("", "nothing"), "No kernel was counted."));
  EXPECT_EQ(shell("$C profile -- /nowhere/program").status, 127);
  const Outcome killed = shell("$C profile -- sh -c 'kill -9 $$'");
  EXPECT_EQ(killed.status, 137);
  EXPECT_TRUE(has(killed, "ended by signal 9: launches just before that may not be counted"))
      << killed.output;
  EXPECT_EQ(shell("$C profile").status, 125);
  EXPECT_EQ(shell("$C profile --kernel='(' -- true").status, 125);
  const Outcome missing = shell("$C profile --from=/nowhere");
  EXPECT_EQ(missing.status, 125);
  EXPECT_TRUE(has(missing,
                  "cuvette profile: --from=/nowhere: there is no such folder; "
                  "CUVETTE_PROFILE=FOLDER in the environment"))
      << missing.output;
}

TEST(Profile, HasWhatAKilledProcessCounted) {
  const Outcome outcome = run_profiled("--json", "killed");
  EXPECT_EQ(outcome.status, 128 + 9);
  EXPECT_FALSE(Json::parse(outcome.output, nullptr, false).at("kernels").empty());
}

TEST(Profile, ShowsCountsThatWereKept) {
  const std::string folder = testing::TempDir() + "counts" + std::to_string(getpid());
  EXPECT_EQ(shell("$C run --profile=" + folder + " -- '" PROFILED_PROGRAM "'").status, 0);
  EXPECT_TRUE(has(shell("$C profile --from=" + folder), "896 of 1024 too many"));
  fs::remove_all(folder);
}

// --- The reader ---

std::vector<std::string> good_lines() {
  const std::string folder = testing::TempDir() + "lines" + std::to_string(getpid());
  shell("$C run --profile=" + folder + " -- '" PROFILED_PROGRAM "'");
  std::vector<std::string> lines;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  fs::remove_all(folder);
  return lines;
}

std::string shown(ProfileModel& model) {
  model.order();
  EXPECT_FALSE(Json::parse(as_json(model, 0), nullptr, false).is_discarded());
  return as_text(model, 0, stdout);
}

TEST(ProfileModel, MayComeFromDamagedFiles) {
  const std::vector<std::string> good = good_lines();
  ASSERT_GE(good.size(), 5u);
  std::mt19937 random(1);
  const std::string letters = "{}[]\",:0123456789-.eE\\\x1b\xff";
  for (int n = 0; n < 3000; ++n) {
    ProfileModel model;
    for (int lines = 0; lines < 3; ++lines) {
      std::string line = good[random() % good.size()];
      for (unsigned changes = random() % 4; changes > 0; --changes)
        line[random() % line.size()] = letters[random() % letters.size()];
      if (random() % 8 == 0) line.resize(random() % line.size());
      model.add(line);
    }
    EXPECT_EQ(shown(model).find('\x1b'), std::string::npos) << "names steer no terminal";
  }
}

TEST(ProfileModel, DoesNotRunOver) {
  ProfileModel model;
  for (int n = 0; n < 3; ++n)
    model.add(R"({"kernel":"k","symbol":"k","device":{"multiprocessors":0},"launches":[
      {"grid":[18446744073709551615],"block":"x","count":18446744073709551615,"blocks":1,
       "limit_warps":4294967295,"limit_shared":4294967295,"limit_slots":4294967295}],"places":[
      {"kind":"load","sectors":5,"ideal_sectors":9,"executions":18446744073709551615},
      {"kind":"instructions","executions":1,"lanes":18446744073709551615,
       "instructions":18446744073709551615},
      {"kind":"branch","executions":1,"divergent":7}, 5, null, {"kind":3}]})");
  ASSERT_EQ(model.kernels.size(), 1u);
  EXPECT_EQ(model.kernels[0].lines[0].excess_sectors(), 0u);
  EXPECT_EQ(model.kernels[0].lines[0].divergent, 3u);
  EXPECT_FALSE(shown(model).empty());
  model.add("[]");
  model.add("{\"symbol\":7}");
  model.add("");
  EXPECT_EQ(model.unreadable, 3u);
}

TEST(Advice, IsAboutTheWorst) {
  ProfiledLine line;
  EXPECT_EQ(advice(line), "");
  line.instructions = 10;
  line.thread_instructions = 100;
  EXPECT_EQ(advice(line), "on average 10 of 32 threads are active.");
  line.branches = 10;
  line.divergent = 5;
  EXPECT_NE(advice(line).find("part in 50 % of the branches"), std::string::npos);
  AccessCounts access;
  access.kind = "load";
  access.bytes = 4;
  access.shared_requests = access.strided = 10;
  access.wavefronts = 80, access.ideal_wavefronts = 10, access.stride = 32;
  line.accesses.push_back(access);
  EXPECT_EQ(advice(line),
            "8 wavefronts where 1 would do: a stride of 32 bytes leads to the same banks; pad each "
            "row by one element.");
  access = {};
  access.kind = "atomic";
  access.bytes = 4;
  access.global_requests = 10, access.global_lanes = 320;
  access.behind_others = 310, access.most_together = 32;
  line.accesses.push_back(access);
  EXPECT_NE(advice(line).find("up to 32 threads of a warp change one address"), std::string::npos);
  access = {};
  access.kind = "load";
  access.bytes = 4;
  access.global_requests = access.strided = 100, access.global_lanes = 3200;
  access.sectors = 900, access.ideal_sectors = 400, access.stride = 4;
  line.accesses.push_back(access);
  EXPECT_NE(advice(line).find("9 sectors where 4 would do: the bytes of a warp do not begin"),
            std::string::npos);
  line.accesses.back().strided = 0;
  EXPECT_NE(advice(line).find("scattered addresses"), std::string::npos);
}

TEST(Advice, SaysWhatLimitsALaunch) {
  ProfiledKernel kernel;
  kernel.multiprocessors = 100;
  LaunchCounts launch;
  launch.blocks = 60;
  launch.by_warps = launch.by_shared = launch.by_slots = 8;
  launch.warps_per_block = 8;
  EXPECT_EQ(advice(kernel, launch), "40 of 100 multiprocessors get no block: launch more of them.");
  launch.blocks = 1000;
  launch.by_shared = 2;
  EXPECT_EQ(advice(kernel, launch),
            "at most 16 of 64 warps run at a time: shared memory is the limit.");
  launch.blocks = 210;
  EXPECT_EQ(advice(kernel, launch), "the last of 2 waves fills 5 % of the places.");
  launch.by_shared = 0;
  EXPECT_EQ(advice(kernel, launch), "a multiprocessor has no room for such a block.");
}

}  // namespace
