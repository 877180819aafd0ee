// SPDX-License-Identifier: Apache-2.0
// OrderLog: the order in which the commands of all streams began, as lines of text.
//
// A line is one of these, its fields separated by tabs. LANE.NUMBER names a command (schedule.hpp);
// without a schedule the lane is the number of the stream.
//
//   queued  LANE.NUMBER  KIND  STREAM  CALL SITE  CONTEXT  THREAD
//                                                   it was submitted; the KIND of a kernel ends
//                                                   with its name: "kernel add(int*)"
//   held    DECISION                                it is held back as DECISION says
//   queued  LANE.NUMBER.STEP  KIND  STREAM  CALL SITE  BRANCH  PLACE
//                                                   a launch has begun that has this step; it is
//                                                   number PLACE of a chain of the steps
//   yes, no  QUESTION                               the schedule answered the question so
//   began   LANE.NUMBER                             it begins
//   grid    LANE.NUMBER  BLOCKS  WARPS  [DECISION]  a kernel begins; DECISION: not in the order of
//                                                   the numbers
//
// Threads: any.
#pragma once

#include "sim/check/log/log_file.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check::log {

class OrderLog final : public device::Observer {
 public:
  explicit OrderLog(const LogFile& file) : file_(file) {}

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override;
  void step_submitted(const device::Stream& stream, const exec::Step& step, const char* what,
                      const void* call_site) override;
  void step_held(const device::Stream& stream, const exec::Step& step,
                 const exec::Delay& delay) override;
  void step_started(const device::Stream& stream, const exec::Step& step) override;
  void grid_started(const device::Stream& stream, uint64_t number, uint64_t blocks, uint64_t warps,
                    exec::KernelOrder order) override;
  void chose(uint64_t question, bool yes) override;

 private:
  const LogFile& file_;
};

}  // namespace cuvette::check::log
