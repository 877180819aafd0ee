// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/digests.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/os/process.hpp"

namespace cuvette::check::log {
namespace {

using device::Operation;
using device::OperationKind;
using memory::Allocation;

// A sum over bytes in which each bit of the input changes half of the result's.
class Digest {
 public:
  void add(const char* bytes, size_t size) {
    for (; size >= 8; bytes += 8, size -= 8) {
      uint64_t word;
      memcpy(&word, bytes, 8);
      mix(word);
    }
    uint64_t rest = size + 1;
    for (size_t i = 0; i < size; ++i) rest = rest << 8 | static_cast<unsigned char>(bytes[i]);
    mix(rest);
  }
  std::string print() const {
    char text[20];
    snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  void mix(uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25u;
    state_ ^= state_ >> 32;
  }
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

bool writes_to_host(const Operation& operation) {
  const device::Footprint& footprint = operation.footprint();
  if (operation.kind != OperationKind::copy || footprint.writes.empty()) return false;
  const Ref<Allocation>& allocation = footprint.writes_in.allocation();
  return !allocation || allocation->host_accessible();
}

std::string line_about(const std::string& name, const Operation& copy) {
  const memory::Region& region = copy.footprint().writes;
  // Pageable memory may be gone: a copy does nothing once its context has an error.
  if (!copy.footprint().writes_in.allocation() &&
      !os::accessible(region.address, region.extent(), false))
    return "";
  Digest digest;
  for (size_t z = 0; z < region.depth; ++z)
    for (size_t y = 0; y < region.height; ++y)
      digest.add(memory::host_pointer(region.address) + z * region.slice + y * region.pitch,
                 region.width);
  return "\ncopied\t" + name + "\t" + digest.print() + "\t" + std::to_string(region.bytes());
}

}  // namespace

void Digests::submitted(const device::Stream& stream, uint64_t number, const Operation& operation) {
  MutexLock lock(mutex_);
  Progress& progress = streams_[stream.id()];
  progress.context = stream.context().generation();
  progress.submitted = number;
  if (operation.kind == OperationKind::kernel || operation.kind == OperationKind::graph)
    kernels_ran_ = true;
}

void Digests::completed(const device::Stream& stream, uint64_t number, const Operation& operation) {
  const std::string name = command_name(stream, number);
  std::string lines;
  if (writes_to_host(operation)) lines = line_about(name, operation);
  // The bytes that a graph's copies have left when it has ended.
  if (const device::Steps* const steps = operation.steps())
    for (size_t i = 0; i < steps->count(); ++i)
      if (writes_to_host(steps->step(i)))
        lines += line_about(name + "." + std::to_string(i + 1), steps->step(i));
  if (!lines.empty()) file_.write(lines.substr(1));
}

void Digests::look_if_all_is_waited_for() {
  if (!kernels_ran_) return;
  for (const auto& [id, progress] : streams_)
    if (progress.waited < progress.submitted) return;
  kernels_ran_ = false;
  ++waits_;
  std::vector<Ref<Allocation>> all = device::Machine::get().memory().all();
  std::erase_if(all, [](const Ref<Allocation>& one) { return !one->host_accessible(); });
  std::ranges::sort(all, {}, [](const Ref<Allocation>& one) { return one->buffer_id; });
  std::string lines;
  for (size_t i = 0; i < all.size(); ++i) {
    const Allocation& one = *all[i];
    // The program may have unmapped what it has registered.
    if (!os::accessible(one.address, one.size, false)) continue;
    Digest digest;
    digest.add(memory::host_pointer(one.address), one.size);
    lines += "\nshared\t" + std::to_string(waits_) + "." + std::to_string(i + 1) + "\t" +
             digest.print() + "\t" + std::to_string(one.size) + "\t" +
             callsite::describe_call(one.call_site);
  }
  if (!lines.empty()) file_.write(lines.substr(1));
}

void Digests::waited_for(const device::Stream& stream, uint64_t number) {
  MutexLock lock(mutex_);
  uint64_t& waited = streams_[stream.id()].waited;
  waited = std::max(waited, number);
  look_if_all_is_waited_for();
}

void Digests::synchronised(const device::Context& context, device::Streams which) {
  if (which != device::Streams::all) return;
  MutexLock lock(mutex_);
  for (auto& [id, progress] : streams_)
    if (progress.context == context.generation()) progress.waited = progress.submitted;
  look_if_all_is_waited_for();
}

void Digests::ended(const device::Stream& stream) {
  MutexLock lock(mutex_);
  streams_.erase(stream.id());
}

}  // namespace cuvette::check::log
