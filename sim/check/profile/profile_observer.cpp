// SPDX-License-Identifier: Apache-2.0
#include "sim/check/profile/profile_observer.hpp"

#include <string_view>

#include "sim/base/config.hpp"
#include "sim/check/profile/json_line.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/file.hpp"
#include "sim/os/output.hpp"

namespace cuvette::profile {
namespace {

// Between two writes passes so many times as long as one takes.
constexpr int64_t pause = 30;

// Process numbers are used again, and are the same in different containers.
std::string file_in(const std::string& folder) {
  return folder + "/" + std::to_string(os::process_id()) + "-" + std::to_string(os::now_ns()) +
         ".jsonl";
}

std::string head() {
  JsonLine line;
  line.add("cuvette_profile", 1);
  line.add("pid", static_cast<uint64_t>(os::process_id()));
  line.add("program", os::program());
  return line.text() + "\n";
}

}  // namespace

ProfileObserver* ProfileObserver::get() {
  static ProfileObserver* const instance =
      config().profile.empty() ? nullptr : new ProfileObserver(config().profile);
  return instance;
}

ProfileObserver::ProfileObserver(std::string folder) : file_(file_in(folder)), head_(head()) {
  os::make_directories(folder);
}

void ProfileObserver::kernel_counted(const device::Stream&, uint64_t,
                                     const device::Operation& operation,
                                     const device::KernelCall& call, const exec::Counts& counts) {
  if (!call.function()) return;
  const auto& launch = static_cast<const device::KernelLaunch&>(operation);
  MutexLock lock(mutex_);
  std::unique_ptr<KernelProfile>& kernel =
      kernels_[{&call.function()->module()->program(), std::string(call.name())}];
  if (!kernel) kernel = std::make_unique<KernelProfile>(call, launch.context().device().profile());
  kernel->add(call, counts);
  changed_ = true;
  if (os::now_ns() - written_at_ >= pause * took_) write();
}

void ProfileObserver::process_ends() {
  MutexLock lock(mutex_);
  if (changed_) write();
}

void ProfileObserver::write() {
  const int64_t begun = os::now_ns();
  std::string text = head_;
  for (const auto& [key, kernel] : kernels_) text += kernel->json() + "\n";
  if (!os::replace_file(file_, text) && !failed_) {
    failed_ = true;
    os::say("the profile cannot be written to '%s'.", file_.c_str());
  }
  changed_ = false;
  written_at_ = os::now_ns();
  took_ = written_at_ - begun;
}

}  // namespace cuvette::profile
