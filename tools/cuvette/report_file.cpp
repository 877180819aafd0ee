// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/report_file.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "sim/check/report/report_document.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/os/output.hpp"
#include "tools/cuvette/command_name.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;
using Result = check::ReportDocument::Result;

// Whether the file begins like a file of reports.
bool begins_as_reports(const std::string& file) {
  std::string begin(128, '\0');
  std::ifstream in(file);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(in.gcount()));
  for (const char* const known :
       {"{\"report\":", "{\"$schema\":\"https://json.schemastore.org/sarif", "cuvette: [",
        "::error ", "::notice ", "[\n{\"description\":"})
    if (begin.starts_with(known)) return true;
  return begin == "[\n]\n" ||
         (begin.starts_with("<?xml") && begin.find("<testsuite name=\"cuvette\"") != begin.npos);
}

}  // namespace

ReportFile::ReportFile(std::string name, ReportFormat format)
    : name_(std::move(name)), format_(format) {}

bool ReportFile::is_looked_at() const {
  return !name_.empty() && name_.find("%p") == std::string::npos;
}

void ReportFile::complain(const char* why) {
  is_good_ = false;
  fprintf(stderr, "cuvette %s: the reports cannot go to '%s': %s\n", command_name(), name_.c_str(),
          why);
}

void ReportFile::begin(bool anew) {
  if (!is_looked_at()) return;
  std::error_code failure;
  if (anew && fs::is_regular_file(name_, failure) && fs::file_size(name_, failure) > 0) {
    if (!begins_as_reports(name_)) return complain("it is no file of reports");
    fs::resize_file(name_, 0, failure);
    if (failure) return complain("those of an earlier run cannot be removed");
  }
  if (!check::is_document(format_)) {
    if (!os::append_to_file(name_, "")) return complain("it cannot be written");
  } else {
    const Result result = check::ReportDocument(format_, name_).add(nullptr);
    if (result == Result::refused) return complain("it is another kind of document");
    if (result == Result::failed) return complain("it cannot be written");
  }
  before_ = content();
}

void ReportFile::add(const check::Report& report) {
  if (name_.empty()) return;
  const std::string file = os::with_process_id(name_);
  const bool added = check::is_document(format_)
                         ? check::ReportDocument(format_, file).add(&report) == Result::done
                         : os::append_to_file(file, check::appended_text(format_, report));
  if (!added && is_good_) complain("it cannot be written");
}

void ReportFile::add_entry(const std::string& entry) {
  if (name_.empty() || !is_good_) return;
  if (check::ReportDocument(format_, name_).add_entry(entry) != Result::done)
    complain("it cannot be written");
}

bool ReportFile::has_grown() const { return is_looked_at() && content() > before_; }

bool ReportFile::end() {
  if (!is_looked_at() || !is_good_) return is_good_;
  std::error_code failure;
  if (!fs::exists(name_, failure)) {
    complain("it was removed while the program ran");
  } else if (check::is_document(format_) &&
             check::ReportDocument(format_, name_).add(nullptr) != Result::done) {
    complain("it is no longer the document that it was");
  }
  return is_good_;
}

uintmax_t ReportFile::content() const {
  std::error_code failure;
  const std::string_view mark = check::entry_mark(format_);
  if (mark.empty()) {
    const uintmax_t size = fs::file_size(name_, failure);
    return failure ? 0 : size;
  }
  std::ostringstream text;
  text << std::ifstream(name_).rdbuf();
  const std::string document = text.str();
  uintmax_t entries = 0;
  for (size_t at = 0; (at = document.find(mark, at)) != std::string::npos; ++at) ++entries;
  return entries;
}

}  // namespace cuvette::tools
