// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/print_buffer.hpp"

#include <utility>

#include "sim/os/output.hpp"

namespace cuvette::device {

void PrintBuffer::add(std::string text, size_t limit) {
  if (text.empty()) return;
  MutexLock lock(mutex_);
  bytes_ += text.size();
  texts_.push_back(std::move(text));
  while (bytes_ > limit && texts_.size() > 1) {
    bytes_ -= texts_.front().size();
    texts_.pop_front();
  }
  any_.store(true, std::memory_order_release);
}

void PrintBuffer::write() {
  MutexLock writing(writing_);
  std::deque<std::string> texts;
  {
    MutexLock lock(mutex_);
    texts.swap(texts_);
    bytes_ = 0;
    any_.store(false, std::memory_order_relaxed);
  }
  std::string all;
  for (const std::string& text : texts) all += text;
  os::write_to_stdout(all);
}

}  // namespace cuvette::device
