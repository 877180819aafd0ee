// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/faults.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/check/check.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/primary_context.hpp"
#include "sim/device/stream/transfer.hpp"
#include "tests/sim/check/report/fact.hpp"

namespace cuvette::check {
namespace {

using device::Machine;
using memory::AddressSpace;
using memory::Allocation;
using memory::Region;
using os::FaultKind;

constexpr size_t size = 64 << 10;

// A segment over a file that cannot be sealed.
Ref<os::Segment> shrinkable() {
  const int file = memfd_create("exported", 0);
  if (ftruncate(file, size) != 0) _exit(98);
  return os::Segment::adopt(file, size).value();
}

class CommandFault : public testing::Test {
 protected:
  std::unique_ptr<AddressSpace> memory_ =
      AddressSpace::create({{size_t{64} << 20}, memory::Fill::none}).value();
  const FaultedCommand copy_{"stream 3", 17, "copy", nullptr};
};

TEST_F(CommandFault, IsLostMemoryWhenTheExporterShrankIt) {
  const auto segment = shrinkable();
  const auto allocation =
      memory_->map_external({segment, 4096, size - 4096}, {1, 0, nullptr}).value();
  ASSERT_EQ(ftruncate(segment->fd(), 8192), 0);
  const uint64_t address = allocation->address + 8192;
  const Report report =
      command_fault({FaultKind::lost, address, false, nullptr, true}, copy_, *memory_);
  EXPECT_EQ(report.id, ReportId::lost_memory);
  EXPECT_EQ(report.sentence, "A copy reads from external memory at " + hexadecimal(address) +
                                 ", whose pages its exporter has removed.");
  EXPECT_EQ(fact(report, "command"), "copy");
  EXPECT_EQ(fact(report, "stream"), "stream 3");
  EXPECT_EQ(fact(report, "number"), "17");
  EXPECT_EQ(fact(report, "offset"), "8192");
  EXPECT_EQ(fact(report, "offset in the segment"), std::to_string(4096 + 8192));
  EXPECT_EQ(fact(report, "segment's size at import"), std::to_string(size));
  EXPECT_EQ(fact(report, "segment's size now"), "8192");
}

TEST_F(CommandFault, IsAnIllegalAddressOtherwise) {
  const auto segment = os::Segment::create("test", size).value();
  const auto allocation = memory_->map_external({segment, 0, size}, {1, 0, nullptr}).value();
  const uint64_t address = allocation->address;
  ASSERT_TRUE(memory_->free(allocation).ok());
  const Report freed =
      command_fault({FaultKind::unmapped, address, true, nullptr, true}, copy_, *memory_);
  EXPECT_EQ(freed.id, ReportId::illegal_address);
  EXPECT_EQ(freed.sentence,
            "A copy writes to external memory at " + hexadecimal(address) + ", which was freed.");

  const auto device_memory = memory_->allocate(512, {1, 0, nullptr}).value();
  const Report no_page = command_fault(
      {FaultKind::lost, device_memory->address, true, nullptr, true}, copy_, *memory_);
  EXPECT_EQ(no_page.id, ReportId::illegal_address);
  EXPECT_NE(no_page.sentence.find("for which the machine has no page left"), std::string::npos);
}

// Returns the advice of the report about a write to `address`.
std::string advice(uint64_t address, const AddressSpace& memory) {
  const FaultedCommand fill{"stream 3", 17, "fill", nullptr};
  return command_fault({FaultKind::unmapped, address, true, nullptr, true}, fill, memory).advice;
}

TEST_F(CommandFault, HasAdviceForEachCause) {
  const auto first = memory_->allocate(512, {1, 0, nullptr}).value();
  const auto second = memory_->allocate(512, {1, 0, nullptr}).value();
  EXPECT_NE(advice(0x100, *memory_).find("null plus an offset"), std::string::npos);
  EXPECT_NE(advice(second->end() + 512, *memory_).find("past its end"), std::string::npos);
  static const int host = 0;
  EXPECT_NE(advice(reinterpret_cast<uint64_t>(&host), *memory_).find("host memory"),
            std::string::npos);
  const uint64_t reserved =
      memory_->virtual_memory().reserve(memory::VirtualMemory::granularity, 0).value();
  EXPECT_NE(advice(reserved, *memory_).find("nothing is mapped there"), std::string::npos);
  ASSERT_TRUE(memory_->free(first).ok());
  EXPECT_NE(advice(first->address, *memory_).find("Free the memory after the last command"),
            std::string::npos);
  second->ended_with_context = true;
  ASSERT_TRUE(memory_->free(second).ok());
  EXPECT_NE(advice(second->address, *memory_).find("Keep the context"), std::string::npos);
}

TEST_F(CommandFault, SaysWhereTheMemoryWasFreed) {
  const auto allocation = memory_->allocate(512, {1, 0, nullptr}).value();
  allocation->freed_at = reinterpret_cast<const void*>(&getpid);
  ASSERT_TRUE(memory_->free(allocation).ok());
  const Report report = command_fault(
      {FaultKind::unmapped, allocation->address, true, nullptr, true}, copy_, *memory_);
  EXPECT_NE(fact(report, "freed at"), "(none)");
}

// Fills imported memory that its exporter has shrunk. Runs in the child process of a death test.
void lose_memory() {
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  if (!Machine::start().ok()) _exit(99);
  attach();
  Machine& machine = Machine::get();
  const auto context = device::PrimaryContext::of(*machine.devices()[0]).retain().value();
  const auto segment = shrinkable();
  const auto allocation = machine.memory()
                              .map_external({segment, 0, size}, {context->generation(), 0, nullptr})
                              .value();
  if (ftruncate(segment->fd(), 0) != 0) _exit(98);
  const device::Transfer transfer{*context, context->legacy_stream(), true, nullptr};
  if (!device::fill(transfer, Region::linear(allocation->address, size), 1, 1).ok()) _exit(97);
  context->synchronise();
  if (context->error() != Error::illegal_address) _exit(96);
}

// Knobs are read once per process, so each of these tests starts its own.
class FaultReports : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FaultReports, ReportsAndTheProgramLives) {
  EXPECT_EXIT((lose_memory(), _exit(0)), testing::ExitedWithCode(0),
              "\\[lost-memory\\] A fill writes to external memory");
}

TEST_F(FaultReports, DecidesTheExitStatus) {
  EXPECT_EXIT(
      {
        setenv("CUVETTE_ERROR_EXITCODE", "9", 1);
        lose_memory();
        std::exit(0);
      },
      testing::ExitedWithCode(9), "\\[lost-memory\\]");
  EXPECT_EXIT(
      {
        setenv("CUVETTE_ERROR_EXITCODE", "9", 1);
        setenv("CUVETTE_SUPPRESS", "lost-memory", 1);
        lose_memory();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "suppressed: lost-memory 1");
  EXPECT_EXIT(
      {
        setenv("CUVETTE_ERROR_EXITCODE", "9", 1);
        lose_memory();
        std::exit(4);
      },
      testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace cuvette::check
