// SPDX-License-Identifier: Apache-2.0
// Each test runs in a process of its own, because a gate stays once it is set up.
#include "sim/os/device_gate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {
namespace {

// Whether this process may read the byte; otherwise a system call on it answers EFAULT.
bool may_read(uint64_t address) {
  int ends[2];
  if (pipe(ends) != 0) _exit(99);
  const bool yes = write(ends[1], reinterpret_cast<char*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return yes;
}

// Ends the process with 1 if a condition does not hold.
void need(bool holds, int line) {
  if (holds) return;
  fprintf(stderr, "line %d\n", line);
  _exit(1);
}
#define NEED_THAT(condition) need(condition, __LINE__)

struct Behind {
  Behind() {
    DeviceGate::set_up();
    NEED_THAT(range.map(range.begin(), *segment, 0, 8192).ok());
  }
  Reservation range = Reservation::reserve(1 << 30, 1 << 30).value();
  Ref<Segment> segment = Segment::create("test", 65536).value();
  uint64_t first = range.begin();
};

template <typename Body>
void in_own_process(Body body) {
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(
      {
        body();
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
}

class DeviceGateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (set_up_device_key()) GTEST_SKIP() << "Protection keys are here: there is no gate.";
  }
};

TEST_F(DeviceGateTest, IsOpenWhileAnyThreadIsInside) {
  in_own_process([] {
    const Behind behind;
    NEED_THAT(!may_read(behind.first));
    {
      const DeviceAccess access;
      NEED_THAT(may_read(behind.first));
      std::thread([&] {
        {
          const DeviceAccess other;
          NEED_THAT(may_read(behind.first));
        }
        NEED_THAT(may_read(behind.first));
      }).join();
      NEED_THAT(may_read(behind.first));
    }
    NEED_THAT(!may_read(behind.first));
    NEED_THAT(DeviceGate::get().closings() == 1);
  });
}

TEST_F(DeviceGateTest, GuardsWhatIsMappedAndNothingElse) {
  in_own_process([] {
    Behind behind;
    Reservation& range = behind.range;
    const uint64_t later = behind.first + 65536;
    {
      const DeviceAccess access;
      NEED_THAT(range.map(later, *behind.segment, 0, 4096).ok());
      NEED_THAT(may_read(later));
    }
    NEED_THAT(!may_read(later));
    NEED_THAT(DeviceGate::get().guards(later) && !DeviceGate::get().guards(later + 4096));
    // The host may use a part from now on.
    NEED_THAT(range.map(behind.first + 4096, *behind.segment, 4096, 4096, {.host = true}).ok());
    NEED_THAT(may_read(behind.first + 4096) && !may_read(behind.first));
    range.unmap(later, 4096);
    NEED_THAT(!DeviceGate::get().guards(later));
    const DeviceAccess access;
    NEED_THAT(!may_read(later));
  });
}

FaultAction allow(const MemoryFault& fault) {
  return fault.kind == FaultKind::denied ? FaultAction::allow : FaultAction::chain;
}

TEST_F(DeviceGateTest, LetsAHostThreadThroughUntilACommandHasRun) {
  in_own_process([] {
    const Behind behind;
    watch_range(behind.range.begin(), behind.range.end());
    watch_faults(allow);
    *reinterpret_cast<volatile char*>(behind.first) = 5;
    NEED_THAT(may_read(behind.first));
    { const DeviceAccess access; }
    NEED_THAT(!may_read(behind.first));
  });
}

}  // namespace
}  // namespace cuvette::os
