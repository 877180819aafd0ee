// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/kernel_faults.hpp"

#include <gtest/gtest.h>

#include "tests/sim/check/report/fact.hpp"

namespace cuvette::check {
namespace {

using exec::GridFault;
using memory::AddressSpace;

class KernelFault : public testing::Test {
 protected:
  Report report(GridFault fault) {
    fault.block[0] = 3;
    fault.thread[1] = 2;
    FaultedKernel kernel;
    kernel.name = "scale";
    kernel.stream = "stream 5";
    kernel.number = 9;
    kernel.shape.grid[0] = 4;
    kernel.shape.block[0] = 32;
    kernel.module = &module_;
    return kernel_fault(fault, kernel, *memory_);
  }
  static GridFault access(GridFault::Kind kind, uint64_t address, uint32_t access) {
    GridFault fault;
    fault.kind = kind;
    fault.address = address;
    fault.access = access;
    return fault;
  }

  std::unique_ptr<AddressSpace> memory_ =
      AddressSpace::create({{size_t{64} << 20}, memory::Fill::none}).value();
  ptx::Module module_;
};

TEST_F(KernelFault, NamesThreadBlockAddressAndTheNearestAllocation) {
  const auto allocation = memory_->allocate(4096, {1, 0, nullptr}).value();
  const uint64_t address = allocation->end() + 16;
  const Report one =
      report(access(GridFault::Kind::illegal_address, address, 4 | ptx::access_write));
  EXPECT_EQ(one.id, ReportId::illegal_address);
  EXPECT_EQ(one.sentence, "A thread of the kernel scale writes 4 bytes to " + hexadecimal(address) +
                              ", where there is no memory that a device can access.");
  EXPECT_EQ(fact(one, "kernel"), "scale");
  EXPECT_EQ(fact(one, "block"), "(3, 0, 0)");
  EXPECT_EQ(fact(one, "thread"), "(0, 2, 0)");
  EXPECT_EQ(fact(one, "grid"), "(4, 1, 1)");
  EXPECT_EQ(fact(one, "threads of a block"), "(32, 1, 1)");
  EXPECT_EQ(fact(one, "address"), hexadecimal(address));
  EXPECT_EQ(fact(one, "access"), "write");
  EXPECT_EQ(fact(one, "bytes past its end"), "16");
  EXPECT_EQ(fact(one, "source"), "(none)");
}

TEST_F(KernelFault, SaysThatMemoryIsFreed) {
  const auto allocation = memory_->allocate(4096, {1, 0, nullptr}).value();
  ASSERT_TRUE(memory_->free(allocation).ok());
  const Report one = report(access(GridFault::Kind::illegal_address, allocation->address + 8, 8));
  EXPECT_EQ(one.sentence, "A thread of the kernel scale reads 8 bytes from device memory at " +
                              hexadecimal(allocation->address + 8) + ", which was freed.");
}

TEST_F(KernelFault, SaysWhereItStands) {
  module_.files.push_back({2, "scale.cu"});
  GridFault fault = access(GridFault::Kind::misaligned, 0x1002, 4);
  fault.location = ptx::location_of(77, 2, 12);
  const Report one = report(fault);
  EXPECT_EQ(one.id, ReportId::misaligned_address);
  EXPECT_EQ(
      one.sentence,
      "A thread of the kernel scale reads 4 bytes from 0x1002, which is not a multiple of 4.");
  EXPECT_EQ(fact(one, "line of the PTX"), "77");
  EXPECT_EQ(fact(one, "source"), "scale.cu:12");
}

TEST_F(KernelFault, KnowsTheBlocksOwnMemory) {
  const Report one = report(access(GridFault::Kind::illegal_address, 0x1000,
                                   4 | ptx::access_atomic | ptx::access_shared));
  EXPECT_EQ(one.sentence,
            "A thread of the kernel scale changes 4 bytes at shared memory at "
            "0x1000, where the block has none.");
  EXPECT_EQ(fact(one, "allocation"), "(none)");
}

TEST_F(KernelFault, HasAWordForEachKind) {
  struct Case {
    GridFault::Kind kind;
    ReportId id;
  };
  for (const Case& one : {Case{GridFault::Kind::trap, ReportId::kernel_trap},
                          Case{GridFault::Kind::breakpoint, ReportId::kernel_trap},
                          Case{GridFault::Kind::assertion, ReportId::kernel_assertion},
                          Case{GridFault::Kind::stuck, ReportId::barrier_stuck},
                          Case{GridFault::Kind::not_supported, ReportId::kernel_not_supported}}) {
    GridFault fault;
    fault.kind = one.kind;
    fault.text = "x > 0";
    const Report made = report(fault);
    EXPECT_EQ(made.id, one.id);
    EXPECT_NE(made.sentence.find("scale"), std::string::npos);
    EXPECT_EQ(fact(made, "address"), "(none)");
  }
}

}  // namespace
}  // namespace cuvette::check
