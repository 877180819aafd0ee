// SPDX-License-Identifier: Apache-2.0
#include "api/driver/log.hpp"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "sim/mutex.hpp"
#include "sim/os/symbol.hpp"
#include "sim/refusal.hpp"

namespace cuvette::driver {
namespace {

// One line. Its text is made when somebody reads it: looking up a function's name takes long, and
// programs make calls that fail all the time.
struct Entry {
  timespec time;
  pthread_t thread;
  const void* function;  // null: `sentence` is the line
  Error error;
  std::string sentence;
};

struct Callback {
  CUlogsCallback function;
  void* user_data;
};

struct Log {
  static constexpr size_t most = 1024;  // older ones are dropped

  Mutex mutex;
  std::deque<Entry> entries GUARDED_BY(mutex);
  unsigned dropped GUARDED_BY(mutex) = 0;  // the first entry's number
  std::vector<std::shared_ptr<Callback>> callbacks GUARDED_BY(mutex);

  unsigned end() const REQUIRES(mutex) { return dropped + static_cast<unsigned>(entries.size()); }
};

// Used by calls that fail while the process ends: never destroyed.
Log& log() {
  static Log* const only = new Log;
  return *only;
}

// The form of NVIDIA's lines: time of day, thread, component, level.
std::string text_of(const Entry& entry) {
  tm day{};
  localtime_r(&entry.time.tv_sec, &day);
  char head[80];
  snprintf(head, sizeof head, "[%02d:%02d:%02d.%03ld][%lu][CUDA][E] ", day.tm_hour, day.tm_min,
           day.tm_sec, entry.time.tv_nsec / 1'000'000, static_cast<unsigned long>(entry.thread));
  std::string text = head;
  if (!entry.function) return text + entry.sentence + "\n";
  const char* const name = name_of(entry.error);
  return text + "Returning " + std::to_string(static_cast<int>(entry.error)) + " (" +
         (name ? name : "unknown") + ") from " + os::function_at(entry.function) + "\n";
}

void add(Entry entry) {
  Log& all = log();
  std::vector<std::shared_ptr<Callback>> callbacks;
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
  for (const auto& callback : callbacks)
    callback->function(callback->user_data, CU_LOG_LEVEL_ERROR, text.data(), text.size());
}

// Returns the entries from `iterator` on, or all.
std::vector<Entry> entries_from(const CUlogIterator* iterator) {
  Log& all = log();
  MutexLock lock(all.mutex);
  const unsigned skipped =
      iterator ? std::min(std::max(*iterator, all.dropped), all.end()) - all.dropped : 0;
  return {all.entries.begin() + skipped, all.entries.end()};
}

// Says in `iterator` that `count` of the entries that entries_from() returned have been read.
void advance(CUlogIterator* iterator, size_t count) {
  if (!iterator) return;
  Log& all = log();
  MutexLock lock(all.mutex);
  *iterator = std::min(std::max(*iterator, all.dropped) + static_cast<unsigned>(count), all.end());
}

}  // namespace

void log_refusal(const void* function, Error error, const char* sentence) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (sentence) add({now, pthread_self(), nullptr, error, sentence});
  add({now, pthread_self(), function, error, {}});
}

}  // namespace cuvette::driver

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                CUlogsCallbackHandle* callback_out) {
  return call<CUresult>([&]() -> Result<> {
    if (!callbackFunc || !callback_out) return Error::invalid_value;
    keep_sentences();
    auto callback = std::make_shared<Callback>(Callback{callbackFunc, userData});
    *callback_out = reinterpret_cast<CUlogsCallbackHandle>(callback.get());
    MutexLock lock(log().mutex);
    log().callbacks.push_back(std::move(callback));
    return {};
  });
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return call<CUresult>([&]() -> Result<> {
    MutexLock lock(log().mutex);
    const auto removed = std::erase_if(log().callbacks, [&](const auto& one) {
      return reinterpret_cast<CUlogsCallbackHandle>(one.get()) == callback;
    });
    if (!removed)
      return refuse(Error::invalid_value, "%p is not what cuLogsRegisterCallback returned.",
                    static_cast<void*>(callback));
    return {};
  });
}

CUresult cuLogsCurrent(CUlogIterator* iterator_out, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!iterator_out) return Error::invalid_value;
    keep_sentences();
    MutexLock lock(log().mutex);
    *iterator_out = log().end();
    return {};
  });
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!pathToFile) return Error::invalid_value;
    FILE* const file = fopen(pathToFile, "a");
    if (!file) return refuse(Error::invalid_value, "%s cannot be written.", pathToFile);
    const std::vector<Entry> entries = entries_from(iterator);
    for (const Entry& entry : entries) fputs(text_of(entry).c_str(), file);
    const bool written = !ferror(file);
    if (fclose(file) != 0 || !written)
      return refuse(Error::invalid_value, "%s cannot be written.", pathToFile);
    advance(iterator, entries.size());
    return {};
  });
}

// As many whole lines are written as there is room for; the iterator says where the next call goes
// on. Measured: if not one of them has room, that is an error.
CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!buffer || !size) return Error::invalid_value;
    const size_t room = *size;
    *size = 0;
    const std::vector<Entry> entries = entries_from(iterator);
    size_t count = 0;
    for (const Entry& entry : entries) {
      const std::string text = text_of(entry);
      if (text.size() > room - *size) break;
      text.copy(buffer + *size, text.size());
      *size += text.size();
      ++count;
    }
    if (count == 0 && !entries.empty())
      return refuse(Error::invalid_value, "The next line has more than %zu bytes.", room);
    if (*size < room) buffer[*size] = '\0';
    advance(iterator, count);
    return {};
  });
}

}  // extern "C"
