// SPDX-License-Identifier: Apache-2.0
// The actions of a watched kernel, in the terms of reports and of the access history; and reports
// about its threads that race with each other, or read as read-only memory what others write.
//
// Threads: any.
#pragma once

#include "sim/check/kernel/race_watch.hpp"
#include "sim/check/kernel/read_only_watch.hpp"
#include "sim/check/order/access_history.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/variable_part.hpp"
#include "sim/device/kernel/kernel_call.hpp"
#include "sim/device/stream/operation.hpp"

namespace cuvette::check {

// A launch that has run.
struct LaunchedKernel {
  const device::Stream& stream;
  uint64_t number;  // of the command, in the stream
  const device::Operation& operation;
  const device::KernelCall& call;
};

// Returns `own`, the access of the kernel as a whole, as what this thread does with this
// instruction.
Ref<Access> access_by(const Source& own, const LaunchedKernel& kernel, const watch::Accessor& by);

// --- Words that reports about kernels share ---
InKernel in_kernel(const LaunchedKernel& kernel, const watch::Accessor& by);
// Returns "writes" and the like.
const char* verb(const watch::Accessor& by);
// Returns "thread (1, 0, 0) of block (0, 0, 0)".
std::string thread_of(const InKernel& access);
// Returns its line of the source, or of the PTX if that is not known.
std::string line_in_words(const InKernel& access);
// Says that the report is about the launch, and adds the facts about it.
void add_launch(Report& report, const LaunchedKernel& kernel);
// Returns the variable that `bytes` at `address` are part of, if there is one.
std::optional<VariablePart> part_of(const LaunchedKernel& kernel, bool shared, uint64_t address,
                                    uint64_t bytes);
// Returns "partial[1]" for a part of a variable, else the address.
std::string in_words(const std::optional<VariablePart>& part, uint64_t address);
// Adds the facts about the address, and about the variable that it is part of.
void add_address(std::vector<Fact>& facts, const std::optional<VariablePart>& part,
                 uint64_t address);
// Adds the facts about the allocation that the kernel accesses, which a kernel may have made.
void add_allocation(std::vector<Fact>& facts, const LaunchedKernel& kernel, uint64_t address);
// The place of a mistake in a kernel that is launched at one place of the program.
const void* place_of(const LaunchedKernel& kernel, uint64_t location);
// The same of two accesses, one place for two lines: a line that the compiler has unrolled is many
// instructions.
const void* place_of(const LaunchedKernel& kernel, const watch::Accessor& earlier,
                     const watch::Accessor& later);
// Returns "(1, 0, 0)" and the like.
std::string triple(const uint32_t (&numbers)[3]);

// Adds the facts about an access by a kernel, their keys beginning with `which` ("earlier ").
void add_facts(std::vector<Fact>& facts, const InKernel& kernel, bool earlier);

// `at_one_line`: several threads make the write at the same line, so that nothing fits between.
Report thread_race_report(const LaunchedKernel& kernel, const watch::ThreadRace& race,
                          bool at_one_line);
void report_thread_races(const LaunchedKernel& kernel, const watch::RaceWatch& watch);
void report_read_only(const LaunchedKernel& kernel,
                      const std::vector<watch::ReadOnlyMistake>& mistakes);

}  // namespace cuvette::check
