// SPDX-License-Identifier: Apache-2.0
// Each test runs in a process of its own, because a gate stays once it is set up.
#include "sim/os/device_gate.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"
#include "tests/sim/os/may_read.hpp"

namespace cuvette::os {
namespace {

// Ends the process with 1 if a condition does not hold.
void need(bool holds, int line) {
  if (holds) return;
  fprintf(stderr, "line %d\n", line);
  _exit(1);
}
#define NEED_THAT(condition) need(condition, __LINE__)

FaultAction allow(const MemoryFault& fault) {
  return fault.kind == FaultKind::denied ? FaultAction::allow : FaultAction::chain;
}

constexpr size_t window_size = 1 << 20, piece = 64 << 10;

struct Behind {
  Behind() {
    DeviceGate::set_up();
    NEED_THAT(range.map(range.begin(), *segment, 0, window_size).ok());
    watch_range(range.begin(), range.end());
    watch_faults(allow);
  }
  Reservation range = Reservation::reserve(1 << 30, 1 << 30).value();
  Ref<Segment> segment = Segment::create("test", 2 * window_size).value();
  uint64_t first = range.begin();
};

volatile char& byte_at(uint64_t address) { return *reinterpret_cast<volatile char*>(address); }
char read_byte(uint64_t address) { return byte_at(address); }

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

TEST_F(DeviceGateTest, OpensWhatACommandTouchesUntilNobodyIsInside) {
  in_own_process([] {
    const Behind behind;
    const uint64_t touched = behind.first + 3 * piece + 5;
    {
      const DeviceAccess access;
      NEED_THAT(!may_read(touched));
      byte_at(touched) = 7;
      NEED_THAT(may_read(touched) && may_read(behind.first + 3 * piece));
      NEED_THAT(!may_read(behind.first + 3 * piece - 1) && !may_read(behind.first + 4 * piece));
      std::thread([&] {
        {
          const DeviceAccess other;
          NEED_THAT(byte_at(touched) == 7);
          read_byte(behind.first);
          NEED_THAT(may_read(behind.first));
        }
        NEED_THAT(may_read(behind.first));
      }).join();
      NEED_THAT(may_read(touched));
    }
    NEED_THAT(!may_read(touched) && !may_read(behind.first));
    { const DeviceAccess access; }
    NEED_THAT(!may_read(touched));
    const DeviceAccess access;
    NEED_THAT(byte_at(touched) == 7);
  });
}

TEST_F(DeviceGateTest, OpensMoreAtOnceTheMoreIsOpen) {
  in_own_process([] {
    const Behind behind;
    const size_t large = size_t{256} << 20;
    const auto segment = Segment::create("large", large).value();
    const uint64_t begin = behind.range.begin() + large;
    NEED_THAT(behind.range.contains(begin + large));
    NEED_THAT(const_cast<Reservation&>(behind.range).map(begin, *segment, 0, large).ok());
    const DeviceAccess access;
    size_t faults = 0;
    for (uint64_t address = begin; address < begin + large; address += 4096) {
      faults += may_read(address) ? 0 : 1;
      read_byte(address);
    }
    NEED_THAT(faults > 32 && faults < 400);
  });
}

TEST_F(DeviceGateTest, GuardsWhatIsMappedAndNothingElse) {
  in_own_process([] {
    Behind behind;
    Reservation& range = behind.range;
    const uint64_t later = behind.first + window_size + piece;
    {
      const DeviceAccess access;
      NEED_THAT(range.map(later, *behind.segment, 0, 4096).ok());
      read_byte(later);
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
    NEED_THAT(!DeviceGate::get().open_at(later, false));
    read_byte(behind.first);
    read_byte(behind.first + 8192);
    NEED_THAT(may_read(behind.first) && may_read(behind.first + 8192));
    // What is mapped anew is closed until somebody touches it.
    NEED_THAT(range.map(behind.first, *behind.segment, 0, 4096).ok());
    NEED_THAT(!may_read(behind.first) && may_read(behind.first + 8192));
  });
}

TEST_F(DeviceGateTest, KeepsToTheRightsOfAMapping) {
  in_own_process([] {
    Behind behind;
    const uint64_t read_only = behind.first + 2 * window_size;
    NEED_THAT(behind.range.map(read_only, *behind.segment, 0, 4096, {.write = false}).ok());
    const DeviceAccess access;
    NEED_THAT(!DeviceGate::get().open_at(read_only, true));
    NEED_THAT(DeviceGate::get().open_at(read_only, false));
    NEED_THAT(!DeviceGate::get().open_at(read_only, true));
  });
}

// Nor where the program has installed a handler of its own since.
TEST_F(DeviceGateTest, NeedsNoSignalsOfTheProgram) {
  in_own_process([] {
    const Behind behind;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    signal(SIGSEGV, [](int) { _exit(3); });
    {
      const DeviceAccess access;
      read_byte(behind.first);
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    NEED_THAT(sigismember(&before, SIGSEGV) == 1);
  });
}

TEST_F(DeviceGateTest, LetsAHostThreadThroughUntilACommandHasRun) {
  in_own_process([] {
    const Behind behind;
    byte_at(behind.first) = 5;
    NEED_THAT(may_read(behind.first) && !may_read(behind.first + piece));
    { const DeviceAccess access; }
    NEED_THAT(!may_read(behind.first));
  });
}

}  // namespace
}  // namespace cuvette::os
