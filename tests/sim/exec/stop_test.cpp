// SPDX-License-Identifier: Apache-2.0
// ExitGate::close(): after it, none of our threads touches the program's memory.
#include <gtest/gtest.h>

#include "sim/exec/exit_gate.hpp"
#include "sim/exec/host_thread.hpp"
#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

class Call final : public HostItem {
 public:
  explicit Call(std::atomic<int>& runs) : runs_(runs) {}
  void call_host() override { ++runs_; }
  void host_called(bool) override {}

 private:
  std::atomic<int>& runs_;
};

TEST(ExitGate, WaitsForWhatRunsAndStartsNothingNew) {
  const auto busy = make_ref<WorkQueue>();
  std::atomic<bool> started{false}, ended{false};
  busy->submit([&] {
    started = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ended = true;
  });
  ASSERT_TRUE(eventually([&] { return started.load(); }));
  ExitGate::get().close(30'000);
  EXPECT_TRUE(ended) << "close() returned while an item ran";

  std::atomic<int> runs{0};
  const auto late = make_ref<WorkQueue>();
  late->submit([&] { ++runs; });
  Call call(runs);
  {
    const Ref<HostThread> host = make_ref<HostThread>();
    host->post(call);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    host->stop();
  }  // the host thread can still be joined
  EXPECT_EQ(runs, 0);
  // A waiting thread of the program can still help itself.
  help_until(*late, 1, Patience::automatic);
  EXPECT_EQ(runs, 1);
  ExitGate::get().close(30'000);  // has no effect the second time
}

}  // namespace
}  // namespace cuvette::exec
