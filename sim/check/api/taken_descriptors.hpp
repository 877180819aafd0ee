// SPDX-License-Identifier: Apache-2.0
// TakenDescriptors: reports that the program closes a file descriptor which an import has taken
// over, or imports it again, with CUVETTE_CHECK=api.
//
// "Ownership of the file descriptor is transferred to the CUDA driver when the handle is imported
// successfully." Cuvette closes it then, so that the program's close() would meet nothing, or
// something that has got the number since. With this check a file of our own stays on the number.
// If it is not there any more when somebody looks, the program has closed it: calls of imports and
// of their ends look, and so does the end of the process.
//
// Threads: any. Invariants: the numbers of `taken_` differ. Nobody looks in a child of fork(),
// which may close its copies.
#pragma once

#include <deque>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::check {

class TakenDescriptors final : public device::Observer {
 public:
  // The process's; null without CUVETTE_CHECK=api.
  static TakenDescriptors* get();

  // The current call is given a descriptor. From then on the number is the program's again.
  void given(int number) EXCLUDES(mutex_);
  // The current call has taken it over.
  void taken(int number) EXCLUDES(mutex_);
  // Reports what the program has closed by now.
  void look() EXCLUDES(mutex_);
  void process_ends(int status) { look(); }

 private:
  struct Taken {
    int number;
    os::Segment::Identity file;
    const void* place;  // of the import
    bool is_there() const { return os::identity_of_fd(number) == file; }
  };
  static void report_closed(const Taken& one);

  Mutex mutex_;
  // The latest ones, also of what is destroyed. The oldest first.
  std::deque<Taken> taken_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
