// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/compile_notice.hpp"

#include <atomic>

#include "sim/os/output.hpp"
#include "sim/os/process.hpp"
#include "sim/os/terminal.hpp"

namespace cuvette::ptx {
namespace {

// Whether a notice is on the terminal.
constinit std::atomic<bool> shown{false};

// Returns "40,000".
std::string with_commas(size_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

bool is_of_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '$' || c == '%';
}

// Returns where the kernel's name stands in its definition; npos if nowhere.
size_t find_entry(std::string_view text, std::string_view entry) {
  constexpr std::string_view word = ".entry";
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t name = text.find_first_not_of(" \t\n", at + word.size());
    if (name == text.npos || text.substr(name, entry.size()) != entry) continue;
    const size_t end = name + entry.size();
    if (end == text.size() || !is_of_name(text[end])) return name;
  }
  return text.npos;
}

}  // namespace

size_t count_instructions(std::string_view text, std::string_view entry) {
  const size_t name = find_entry(text, entry);
  if (name == text.npos) return 0;
  size_t count = 0, depth = 0;
  // A statement that begins with a dot declares something.
  bool begins = true, declares = false;
  for (size_t at = text.find('{', name); at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) break;
    if (c == ';') {
      count += declares ? 0 : 1;
      begins = true;
      declares = false;
    } else if (c == '{' || c == '}' || c == ':') {
      begins = true;
    } else if (begins && c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      declares = c == '.';
      begins = false;
    }
  }
  return count;
}

std::unique_ptr<CompileNotice> CompileNotice::on_terminal(std::string_view text,
                                                          std::string_view entry) {
  if (!os::stderr_is_terminal() || shown.exchange(true)) return nullptr;
  return std::make_unique<CompileNotice>(
      entry, [text, entry] { return count_instructions(text, entry); },
      [](std::string_view line) { os::write_to_stderr(line); }, Times{});
}

CompileNotice::CompileNotice(std::string_view entry, Count count, Write write, Times times)
    : kernel_(entry), count_(std::move(count)), write_(std::move(write)), times_(times) {
  thread_ = os::start_thread("cuvette-notice", [this] { show(); });
}

CompileNotice::~CompileNotice() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  shown.store(false);
}

bool CompileNotice::wait(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!ended_)
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) break;
  return !ended_;
}

void CompileNotice::show() {
  constexpr std::string_view clear_line = "\r\033[K";
  const MutexLock lock(mutex_);
  bool is_shown = false;
  std::string size;
  for (auto time = times_.before_first; wait(time); time = times_.between) {
    if (!is_shown) size = with_commas(count_()) + " instructions";
    const auto passed =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun_);
    write_(std::string(clear_line) + "cuvette: compiling kernel '" + kernel_ +
           "': " + std::to_string(passed.count()) + " s, " + size);
    is_shown = true;
  }
  if (is_shown) write_(clear_line);
}

}  // namespace cuvette::ptx
