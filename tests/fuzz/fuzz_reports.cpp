// SPDX-License-Identifier: Apache-2.0
// The files of reports that a user names: suppressions (CUVETTE_SUPPRESS), baselines, and the file
// of --report, which may hold anything. A document is mended or left as it was, and what was mended
// needs no more.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/check/report/report_document.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/suppressions.hpp"
#include "tests/fuzz/input.hpp"

using namespace cuvette;
using namespace cuvette::check;

namespace {

using Result = ReportDocument::Result;

void need(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// A file that is gone at the end.
class File {
 public:
  File() {
    const int file = mkstemp(name_);
    need(file >= 0, "no file");
    close(file);
  }
  ~File() { unlink(name_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const char* name() const { return name_; }
  void write(const std::string& text) { std::ofstream(name_, std::ios::binary) << text; }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(name_, std::ios::binary).rdbuf();
    return all.str();
  }

 private:
  char name_[40] = "/dev/shm/cuvette-fuzz-XXXXXX";
};

const Report& report() {
  static const Report one{ReportId::thread_race,
                          "Two threads write.",
                          {{"kernel", "k"}, {"source", "a.cu:7"}, {"written at", "f (b.cu:3)"}}};
  return one;
}

// A document with some reports, changed in places, or cut off.
std::string document_text(Input& input, ReportFormat format, const std::string& raw) {
  const DocumentForm& form = form_of(format);
  const size_t entries = input.below(4);
  std::string text = document_head(format, entries);
  for (size_t i = 0; i < entries; ++i) {
    Report each = report();
    each.facts[1].value = "a.cu:" + std::to_string(input.below(5));
    text += "\n" + document_entry(format, each);
    if (i + 1 < entries) text += form.between;
  }
  if (entries == 0 && !form.empty.empty()) text += "\n" + std::string(form.empty);
  text += "\n" + std::string(form.end) + "\n";
  for (unsigned changes = input.below(4); changes > 0; --changes) {
    const size_t at = input.place(text.size());
    switch (input.below(4)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.insert(at, raw);
        break;
      case 2:
        text.erase(at, input.byte());
        break;
      default:
        text[at] = static_cast<char>(input.byte());
    }
    if (text.empty()) break;
  }
  return text;
}

void add_to_document(File& file, ReportFormat format, const std::string& before) {
  file.write(before);
  const Result result = ReportDocument(format, file.name()).add(&report());
  need(result != Result::failed, "a file that can be written was not");
  const std::string after = file.text();
  if (result == Result::refused) return need(after == before, "a refused file was changed");
  need(after.ends_with("\n" + std::string(form_of(format).end) + "\n"), "the document has no end");
  need(ReportDocument(format, file.name()).add(nullptr) == Result::done, "it is refused later");
  need(file.text() == after, "it was not whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static File& file = *new File;  // an input that fails leaves it for a look
  static const bool ends = std::atexit([] { unlink(file.name()); }) == 0;
  need(ends, "nothing would remove the file");
  const std::string raw(reinterpret_cast<const char*>(data), size);
  Input input(data, size);
  constexpr ReportFormat documents[] = {ReportFormat::junit, ReportFormat::gitlab,
                                        ReportFormat::sarif};
  const ReportFormat format = documents[input.below(3)];
  add_to_document(file, format, input.flip() ? raw : document_text(input, format, raw));
  file.write(raw);
  for (const std::string& knob : {std::string(file.name()), raw}) {
    const Suppressions suppressions(knob);
    suppressions.complaint();
    suppressions.match(report());
    suppressions.match("thread-race");
  }
  for (const std::string& text : {raw, std::string(baseline_head) + "\n" + raw}) {
    file.write(text);
    const Baseline baseline(file.name());
    baseline.has(report());
    need(baseline.complaint().empty() == text.starts_with(baseline_head), "a wrong complaint");
  }
  return 0;
}
