// SPDX-License-Identifier: Apache-2.0
#include "sim/check/host/access_guard.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "sim/check/check.hpp"
#include "sim/device/machine/machine.hpp"
#include "tests/sim/check/report/fact.hpp"

namespace cuvette::check {
namespace {

using memory::AddressSpace;
using memory::Allocation;
using os::FaultKind;
using os::MemoryFault;

const void* some_code() { return dlsym(RTLD_DEFAULT, "getenv"); }

MemoryFault fault_at(uint64_t address, FaultKind kind, bool write) {
  return {kind, address, write, some_code(), false};
}

class HostAccess : public testing::Test {
 protected:
  HostAccess()
      : memory_(AddressSpace::create({{size_t{64} << 20}, memory::Fill::none}).value()),
        asker_{1, 0, static_cast<const char*>(some_code()) + 1} {}

  std::unique_ptr<AddressSpace> memory_;
  memory::Requester asker_;
};

TEST_F(HostAccess, NamesAllocationOffsetAndCallSite) {
  const Ref<Allocation> allocation = memory_->allocate(4096, asker_).value();
  const uint64_t address = allocation->address + 128;
  const Report report = host_access(fault_at(address, FaultKind::denied, false), *memory_);
  EXPECT_EQ(report.id, ReportId::host_access);
  EXPECT_EQ(report.sentence, "A host thread reads from device memory at " + hexadecimal(address) +
                                 ", which only devices may access.");
  EXPECT_EQ(fact(report, "address"), hexadecimal(address));
  EXPECT_EQ(fact(report, "access"), "read");
  EXPECT_EQ(fact(report, "instruction").find("getenv+0x0 ("), 0u);
  EXPECT_EQ(fact(report, "allocation"),
            "device memory of 4096 bytes at " + hexadecimal(allocation->address));
  EXPECT_EQ(fact(report, "offset"), "128");
  EXPECT_EQ(fact(report, "device"), "0");
  EXPECT_EQ(fact(report, "allocated at").find("getenv+0x0 ("), 0u);
}

TEST_F(HostAccess, NamesExternalMemory) {
  const auto segment = os::Segment::create("test", 8192).value();
  const auto allocation = memory_->map_external({segment, 0, 8192}, asker_).value();
  const Report report =
      host_access(fault_at(allocation->address + 1, FaultKind::denied, true), *memory_);
  EXPECT_EQ(report.sentence.find("A host thread writes to external memory at "), 0u);
  EXPECT_EQ(fact(report, "allocation"),
            "external memory of 8192 bytes at " + hexadecimal(allocation->address));
  EXPECT_EQ(fact(report, "mapped at").find("getenv+0x0 ("), 0u);

  const Report lost = host_access(fault_at(allocation->address, FaultKind::lost, false), *memory_);
  EXPECT_NE(lost.sentence.find("whose pages its exporter has removed"), std::string::npos);
}

TEST_F(HostAccess, KnowsFreedMemory) {
  const auto segment = os::Segment::create("test", 8192).value();
  const auto allocation = memory_->map_external({segment, 0, 8192}, asker_).value();
  const uint64_t address = allocation->address + 8;
  ASSERT_TRUE(memory_->free(allocation).ok());
  const Report report = host_access(fault_at(address, FaultKind::unmapped, false), *memory_);
  EXPECT_EQ(report.sentence, "A host thread reads from external memory at " + hexadecimal(address) +
                                 ", which was freed.");
  EXPECT_NE(fact(report, "allocation").find(", freed since"), std::string::npos);
  EXPECT_EQ(fact(report, "offset"), "8");
}

TEST_F(HostAccess, NamesTheNearestAllocation) {
  const Ref<Allocation> first = memory_->allocate(512, asker_).value();
  const Ref<Allocation> second = memory_->allocate(512, asker_).value();
  const uint64_t address = std::max(first->end(), second->end()) + 16;
  const Report report = host_access(fault_at(address, FaultKind::denied, false), *memory_);
  EXPECT_EQ(report.sentence, "A host thread reads from a device address, " + hexadecimal(address) +
                                 ", where nothing is allocated.");
  EXPECT_EQ(fact(report, "allocation"), "none; the nearest is device memory of 512 bytes at " +
                                            hexadecimal(std::max(first->address, second->address)));
  EXPECT_EQ(fact(report, "bytes past its end"), "16");
}

TEST_F(HostAccess, ManagesWithoutAnyAllocation) {
  const Report report = host_access(fault_at(4096, FaultKind::unmapped, false), *memory_);
  EXPECT_EQ(fact(report, "allocation"), "none: the device has no allocations");
}

// --- In a process with a machine -----------------------------------------------------------------

// Starts the machine under CUVETTE_HOST_ACCESS=`mode`, for the child process of a death test, and
// allocates.
Ref<Allocation> start(const char* mode) {
  setenv("CUVETTE_HOST_ACCESS", mode, 1);
  signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would print more
  signal(SIGBUS, SIG_DFL);
  if (!device::Machine::start({needs()}).ok()) _exit(99);
  attach();
  attach();
  return device::Machine::get().memory().allocate(4096, {1, 0, some_code()}).value();
}

volatile char& byte(const Ref<Allocation>& allocation) {
  return *reinterpret_cast<volatile char*>(allocation->address);
}

char read(const Ref<Allocation>& allocation) { return byte(allocation); }

bool keys_are_there() {
  const int key = pkey_alloc(0, 0);
  if (key < 0) return false;
  pkey_free(key);
  return true;
}

// Knobs are read once per process, so each of these tests starts its own.
class WithMachine : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
using OnHostFault = WithMachine;
using HostThread = WithMachine;
using SayIfUnguarded = WithMachine;

TEST_F(OnHostFault, ReportsAndChains) {
  EXPECT_EXIT(
      {
        const auto allocation = start("fault");
        const bool chains = on_host_fault(fault_at(allocation->address, FaultKind::denied, true)) ==
                            os::FaultAction::chain;
        _exit(chains ? 0 : 1);
      },
      testing::ExitedWithCode(0), "\\[host-access\\] A host thread writes to device memory");
}

TEST_F(OnHostFault, WarnsAndAllows) {
  EXPECT_EXIT(
      {
        const auto allocation = start("warn");
        const auto fault = fault_at(allocation->address, FaultKind::denied, false);
        if (on_host_fault(fault) != os::FaultAction::allow) _exit(1);
        if (on_host_fault(fault) != os::FaultAction::allow) _exit(2);
        if (reporter().count(ReportId::host_access).repeated != 1) _exit(3);
        // An access to unmapped memory cannot be allowed.
        _exit(on_host_fault(fault_at(4096, FaultKind::unmapped, false)) == os::FaultAction::chain
                  ? 0
                  : 4);
      },
      testing::ExitedWithCode(0), "\\[host-access\\]");
}

TEST_F(OnHostFault, LeavesCommandsAlone) {
  EXPECT_EXIT(
      {
        const auto allocation = start("fault");
        MemoryFault fault = fault_at(allocation->address, FaultKind::denied, true);
        fault.in_command = true;
        on_host_fault(fault);
        _exit(reporter().any() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(HostThread, DiesOfAStalePointerWithAReport) {
  EXPECT_EXIT(
      {
        start("fault");
        memory::AddressSpace& memory = device::Machine::get().memory();
        const auto segment = os::Segment::create("test", 8192).value();
        const auto mapped = memory.map_external({segment, 0, 8192}, {1, 0, nullptr}).value();
        if (!memory.free(mapped).ok()) _exit(98);
        _exit(read(mapped));
      },
      testing::KilledBySignal(SIGSEGV),
      "\\[host-access\\] A host thread reads from external memory at 0x[0-9a-f]*, which was freed");
}

TEST_F(HostThread, IsStoppedAtDeviceMemory) {
  if (!keys_are_there()) GTEST_SKIP() << "no protection keys here";
  EXPECT_EXIT(_exit(read(start("fault"))), testing::KilledBySignal(SIGSEGV),
              "\\[host-access\\] A host thread reads from device memory");
  EXPECT_EXIT(byte(start("fault")) = 1, testing::KilledBySignal(SIGSEGV),
              "\\[host-access\\] A host thread writes to device memory");
}

TEST_F(HostThread, GoesOnWithAWarning) {
  if (!keys_are_there()) GTEST_SKIP() << "no protection keys here";
  EXPECT_EXIT(
      {
        const auto allocation = start("warn");
        byte(allocation) = 42;
        _exit(byte(allocation));
      },
      testing::ExitedWithCode(42), "\\[host-access\\] A host thread writes to device memory");
}

TEST_F(HostThread, IsLeftInPeaceWhenAllowed) {
  EXPECT_EXIT(
      {
        const auto allocation = start("allow");
        byte(allocation) = 42;
        _exit(reporter().any() || guards_host_access() ? 1 : byte(allocation));
      },
      testing::ExitedWithCode(42), "^$");
}

TEST_F(HostThread, GetsAnErrorFromASystemCallOnDeviceMemory) {
  if (!keys_are_there()) GTEST_SKIP() << "no protection keys here";
  EXPECT_EXIT(
      {
        const auto allocation = start("fault");
        // Uses a file; a pipe or a terminal would do as well, but /dev/null never reads the memory.
        const int file = memfd_create("test", 0);
        const ssize_t written = write(file, reinterpret_cast<void*>(allocation->address), 16);
        _exit(written == -1 && errno == EFAULT ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// With the check the guard needs no keys. Without them the memory is open to all threads for a
// while.
TEST_F(HostThread, IsStoppedOnEveryMachineWithTheCheck) {
  const auto start_checked = [](const char* host_access) {
    setenv("CUVETTE_CHECK", "host", 1);
    return start(host_access);
  };
  EXPECT_EXIT(_exit(read(start_checked("fault"))), testing::KilledBySignal(SIGSEGV),
              "\\[host-access\\] A host thread reads from device memory");
  EXPECT_EXIT(
      {
        const auto allocation = start_checked("warn");
        byte(allocation) = 42;
        _exit(byte(allocation));
      },
      testing::ExitedWithCode(42), "\\[host-access\\] A host thread writes to device memory");
  EXPECT_EXIT((start_checked("allow"), _exit(guards_host_access())), testing::ExitedWithCode(0),
              "^$");
}

TEST_F(SayIfUnguarded, TellsEverybodyWhoHasNotAskedForLess) {
  if (keys_are_there()) GTEST_SKIP() << "protection keys are here";
  EXPECT_EXIT((start("warn"), _exit(0)), testing::ExitedWithCode(0),
              "host threads that dereference device memory are not caught");
  EXPECT_EXIT((start("allow"), _exit(0)), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(
      {
        unsetenv("CUVETTE_HOST_ACCESS");
        if (!device::Machine::start({needs()}).ok()) _exit(99);
        attach();
        _exit(0);
      },
      testing::ExitedWithCode(0), "are not caught without CUVETTE_CHECK=host");
  setenv("CUVETTE_CHECK", "host", 1);
  EXPECT_EXIT((start("warn"), _exit(0)), testing::ExitedWithCode(0), "^$");
  unsetenv("CUVETTE_CHECK");
}

}  // namespace
}  // namespace cuvette::check
