// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/print_buffer.hpp"

#include <utility>

#include "sim/os/output.hpp"

namespace cuvette::device {

void PrintBuffer::add(std::string text, size_t limit, const Printer& by) {
  if (text.empty()) return;
  MutexLock lock(mutex_);
  bytes_ += text.size();
  texts_.push_back(std::move(text));
  while (bytes_ > limit && texts_.size() > 1) {
    if (lost_.calls++ == 0) {
      lost_.kernel = by.kernel;
      lost_.stream = by.stream;
      lost_.number = by.number;
      lost_at_ = by.call_site;
    }
    lost_.limit = limit;
    lost_.bytes += texts_.front().size();
    bytes_ -= texts_.front().size();
    texts_.pop_front();
  }
  any_.store(true, std::memory_order_release);
}

void PrintBuffer::write() {
  MutexLock writing(writing_);
  std::deque<std::string> texts;
  misuse::PrintOverflow lost;
  const void* lost_at = nullptr;
  {
    MutexLock lock(mutex_);
    texts.swap(texts_);
    std::swap(lost, lost_);
    std::swap(lost_at, lost_at_);
    bytes_ = 0;
    any_.store(false, std::memory_order_relaxed);
  }
  std::string all;
  for (const std::string& text : texts) all += text;
  os::write_to_stdout(all);
  if (lost.calls != 0) notify_misuse({std::move(lost), lost_at});
}

}  // namespace cuvette::device
