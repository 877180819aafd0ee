// SPDX-License-Identifier: Apache-2.0
#include "api/driver/refusal_log.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <memory>
#include <sstream>
#include <thread>

#include "sim/base/mutex.hpp"
#include "sim/base/refusal.hpp"
#include "sim/callsite/symbol.hpp"

namespace cuvette::driver {
namespace {

// One line. Its text is made when it is read: looking up a function's name takes long, and
// programs make calls that fail all the time.
struct Entry {
  std::chrono::system_clock::time_point time;
  std::thread::id thread;
  const void* function;  // null: `sentence` is the line
  Error error;
  std::string sentence;
};

struct Log {
  static constexpr size_t most = 1024;  // older ones are dropped

  Mutex mutex;
  std::deque<Entry> entries GUARDED_BY(mutex);
  unsigned dropped GUARDED_BY(mutex) = 0;  // the first entry's number
  std::vector<std::shared_ptr<LogCallback>> callbacks GUARDED_BY(mutex);

  unsigned end() const REQUIRES(mutex) { return dropped + static_cast<unsigned>(entries.size()); }
};

// Used by calls that fail while the process ends: never destroyed.
Log& log() {
  static Log* const only = new Log;
  return *only;
}

// The form of NVIDIA's lines: time of day, thread, component, level.
std::string text_of(const Entry& entry) {
  using std::chrono::system_clock;
  const time_t seconds = system_clock::to_time_t(entry.time);
  const auto rest = entry.time - std::chrono::floor<std::chrono::seconds>(entry.time);
  tm day{};
  localtime_r(&seconds, &day);
  char time[32];
  snprintf(time, sizeof time, "%02d:%02d:%02d.%03d", day.tm_hour, day.tm_min, day.tm_sec,
           static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(rest).count()));
  std::ostringstream head;
  head << '[' << time << "][" << entry.thread << "][CUDA][E] ";
  std::string text = head.str();
  if (!entry.function) return text + entry.sentence + "\n";
  const char* const name = name_of(entry.error);
  return text + "Returning " + std::to_string(static_cast<int>(entry.error)) + " (" +
         (name ? name : "unknown") + ") from " + callsite::function_at(entry.function) + "\n";
}

void add(Entry entry) {
  Log& all = log();
  std::vector<std::shared_ptr<LogCallback>> callbacks;
  {
    MutexLock lock(all.mutex);
    if (all.entries.size() == Log::most) {
      all.entries.pop_front();
      ++all.dropped;
    }
    callbacks = all.callbacks;
    if (callbacks.empty()) {
      all.entries.push_back(std::move(entry));
      return;
    }
    all.entries.push_back(entry);
  }
  std::string text = text_of(entry);
  for (const auto& callback : callbacks) (*callback)(text.data(), text.size());
}

}  // namespace

void log_refusal(const void* function, Error error, const char* sentence) {
  const auto now = std::chrono::system_clock::now();
  const std::thread::id thread = std::this_thread::get_id();
  if (sentence) add({now, thread, nullptr, error, sentence});
  add({now, thread, function, error, {}});
}

unsigned end_of_log() {
  MutexLock lock(log().mutex);
  return log().end();
}

std::vector<std::string> read_log(unsigned from, unsigned* first) {
  std::vector<Entry> entries;
  {
    Log& all = log();
    MutexLock lock(all.mutex);
    *first = std::min(std::max(from, all.dropped), all.end());
    entries.assign(all.entries.begin() + (*first - all.dropped), all.entries.end());
  }
  std::vector<std::string> lines;
  for (const Entry& entry : entries) lines.push_back(text_of(entry));
  return lines;
}

const void* add_log_callback(LogCallback function) {
  auto callback = std::make_shared<LogCallback>(std::move(function));
  const void* const handle = callback.get();
  MutexLock lock(log().mutex);
  log().callbacks.push_back(std::move(callback));
  return handle;
}

bool remove_log_callback(const void* callback) {
  MutexLock lock(log().mutex);
  return std::erase_if(log().callbacks, [&](const auto& one) { return one.get() == callback; }) !=
         0;
}

}  // namespace cuvette::driver
