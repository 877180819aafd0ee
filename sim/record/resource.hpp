// SPDX-License-Identifier: Apache-2.0
// Resource: what the record of this process has of an object of another API, or of an event, over
// its life: a member of the object.
//
// Threads: begin() comes first; map() and unmap() for one thread at a time; the others for any.
#pragma once

#include <cstdint>
#include <string>

#include "sim/record/recorder.hpp"

namespace cuvette::record {

class Resource {
 public:
  Resource() = default;
  ~Resource() { end(); }
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  // It is there from now on. An empty name is "event 3" and the like; `place`: where the program
  // asked for it, null: where it made the call that the thread is in.
  void begin(format::ResourceKind kind, const std::string& name = {}, const void* place = nullptr) {
    if (Recorder* const running = recorder()) [[unlikely]]
      begin_in(*running, kind, name, place);
  }
  void map() {
    if (record_) [[unlikely]]
      begin_mapped();
  }
  void unmap() {
    Recorder::end(mapped_);
    mapped_ = nullptr;
  }
  void end() {
    unmap();
    Recorder::end(record_);
    record_ = nullptr;
  }
  // The number of the text that is its name; 0 if it is not recorded.
  uint32_t name() const { return record_ ? record_->name : 0; }

 private:
  void begin_in(Recorder& running, format::ResourceKind kind, const std::string& name,
                const void* place);
  void begin_mapped();

  format::Resource* record_ = nullptr;
  format::Mapped* mapped_ = nullptr;
};

// While one lives, commands that the calling thread submits are about this resource.
class About {
 public:
  explicit About(const Resource& resource) : running_(resource.name() != 0 ? recorder() : nullptr) {
    if (running_) [[unlikely]]
      running_->set_subject(resource.name());
  }
  ~About() {
    if (running_) [[unlikely]]
      running_->set_subject(0);
  }
  About(const About&) = delete;
  About& operator=(const About&) = delete;

 private:
  Recorder* const running_;
};

}  // namespace cuvette::record
