// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/python_lines.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "sim/base/mutex.hpp"

namespace cuvette::callsite {
namespace {

// The interpreter's functions. Objects are plain pointers, since its headers are not used here.
struct Python {
  int (*is_initialised)();
  int (*is_finalising)();  // null: not known
  void* (*this_state)();
  int (*has_lock)();
  int (*take_lock)();
  void (*give_lock)(int);
  void* (*frame_of)(void* state);
  void* (*caller_of)(void* frame);
  void* (*code_of)(void* frame);
  int (*line_of)(void* frame);
  void* (*attribute)(void* object, const char* name);
  const char* (*text_of)(void* object);
  void (*release)(void* object);
  void (*take_error)(void** type, void** value, void** trace);
  void (*give_error)(void* type, void* value, void* trace);

  bool find() {
    const auto find_one = [](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(RTLD_DEFAULT, name));
      return function != nullptr;
    };
    if (!find_one(is_initialised, "Py_IsInitialized")) return false;
    if (!find_one(is_finalising, "Py_IsFinalizing")) find_one(is_finalising, "_Py_IsFinalizing");
    return find_one(this_state, "PyGILState_GetThisThreadState") &&
           find_one(has_lock, "PyGILState_Check") && find_one(take_lock, "PyGILState_Ensure") &&
           find_one(give_lock, "PyGILState_Release") &&
           find_one(frame_of, "PyThreadState_GetFrame") && find_one(caller_of, "PyFrame_GetBack") &&
           find_one(code_of, "PyFrame_GetCode") && find_one(line_of, "PyFrame_GetLineNumber") &&
           find_one(attribute, "PyObject_GetAttrString") && find_one(text_of, "PyUnicode_AsUTF8") &&
           find_one(release, "Py_DecRef") && find_one(take_error, "PyErr_Fetch") &&
           find_one(give_error, "PyErr_Restore");
  }
};

// Returns the interpreter; null if there is none. A program may load it late, so it is looked for
// again now and then.
const Python* find_python() {
  static std::atomic<const Python*> found{nullptr};
  static std::atomic<uint32_t> calls{0};
  const Python* python = found.load(std::memory_order_acquire);
  if (python || calls.fetch_add(1, std::memory_order_relaxed) % 256 != 0) return python;
  auto* const fresh = new Python{};
  if (fresh->find()) {
    found.store(fresh, std::memory_order_release);
    return fresh;
  }
  delete fresh;
  return nullptr;
}

// Lines as text, each once, in memory of their own: so a pointer is known to be one.
constexpr size_t text_bytes = size_t{16} << 20;
std::atomic<char*> text_arena{nullptr};

struct KnownLines {
  Mutex mutex;
  std::unordered_map<std::string, const char*> lines GUARDED_BY(mutex);
  size_t used GUARDED_BY(mutex) = 0;
};
KnownLines& known_lines() {
  static auto* const instance = new KnownLines;
  return *instance;
}

// Returns null if the line cannot be kept.
const char* keep_line(const std::string& line) {
  KnownLines& all = known_lines();
  MutexLock lock(all.mutex);
  if (const auto found = all.lines.find(line); found != all.lines.end()) return found->second;
  if (!text_arena.load(std::memory_order_relaxed)) {
    void* const place = mmap(nullptr, text_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return nullptr;
    text_arena.store(static_cast<char*>(place), std::memory_order_release);
  }
  if (all.used + line.size() + 1 > text_bytes) return nullptr;
  char* const kept = text_arena.load(std::memory_order_relaxed) + all.used;
  memcpy(kept, line.c_str(), line.size() + 1);
  all.used += line.size() + 1;
  all.lines.emplace(line, kept);
  return kept;
}

std::string attribute_of(const Python& python, void* object, const char* name) {
  void* const value = python.attribute(object, name);
  const char* const text = value ? python.text_of(value) : nullptr;
  std::string copy = text ? text : "?";
  if (value) python.release(value);
  return copy;
}

// Reads the frames; the thread has the interpreter's lock.
size_t read_lines(const Python& python, void* state, const void* (&lines)[most_python_lines]) {
  // An exception that is on its way stays so, and none of ours is added to it.
  void *type, *value, *trace;
  python.take_error(&type, &value, &trace);
  size_t count = 0;
  void* frame = python.frame_of(state);
  while (frame && count < most_python_lines) {
    if (void* const code = python.code_of(frame)) {
      const char* const line = keep_line(attribute_of(python, code, "co_name") + " (" +
                                         attribute_of(python, code, "co_filename") + ":" +
                                         std::to_string(python.line_of(frame)) + ")");
      python.release(code);
      if (line) lines[count++] = line;
    }
    void* const caller = python.caller_of(frame);
    python.release(frame);
    frame = caller;
  }
  if (frame) python.release(frame);
  python.give_error(type, value, trace);
  return count;
}

}  // namespace

size_t python_lines(const void* (&lines)[most_python_lines]) {
  const Python* const python = find_python();
  if (!python || !python->is_initialised()) return 0;
  void* const state = python->this_state();
  if (!state) return 0;
  if (python->has_lock()) return read_lines(*python, state, lines);
  // A thread that asks for the lock while the interpreter ends would be ended.
  if (python->is_finalising && python->is_finalising()) return 0;
  const int before = python->take_lock();
  const size_t count = read_lines(*python, state, lines);
  python->give_lock(before);
  return count;
}

const char* python_line(const void* frame) {
  const char* const begin = text_arena.load(std::memory_order_acquire);
  const auto* const text = static_cast<const char*>(frame);
  return begin && text >= begin && text < begin + text_bytes ? text : nullptr;
}

}  // namespace cuvette::callsite
