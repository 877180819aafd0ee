// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_document.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "sim/check/report/report_format.hpp"

namespace cuvette::check {

void ReportDocument::take(std::string_view text) {
  const DocumentForm& form = form_of(format_);
  while (!text.empty()) {
    const size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    if (line.empty() || line == form.between) continue;
    has_empty_ = line == form.empty;
    if (has_empty_) continue;
    ++entries_;
    if (const std::string_view key = key_of_entry(format_, line); !key.empty())
      keys_.insert(std::hash<std::string_view>{}(key));
  }
}

ReportDocument::Result ReportDocument::read(os::SharedFile& file) {
  const DocumentForm& form = form_of(format_);
  const std::string end = "\n" + std::string(form.end) + "\n";
  if (file.identity() != identity_ || file.size() < end_) {
    identity_ = file.identity();
    end_ = entries_ = 0;
    has_empty_ = false;
    keys_.clear();
  }
  std::string text;
  if (!file.read(end_, text)) return Result::failed;
  if (end_ == 0) {
    const std::string head = document_head(format_, 0);
    if (head.starts_with(text)) {  // empty, or cut off
      const bool has_empty = !form.empty.empty();
      if (!file.replace_end(0, head + (has_empty ? "\n" + std::string(form.empty) : "") + end))
        return Result::failed;
      end_ = head.size();
      has_empty_ = has_empty;
      return Result::done;
    }
    if (!text.starts_with(form.head) || text.size() <= head.size()) return Result::refused;
    text.erase(0, head.size());
    const std::string_view first = std::string_view(text).substr(1);
    if (text[0] != '\n' || (!first.starts_with(form.opens) &&
                            !form.end.starts_with(first.substr(0, first.find('\n')))))
      return Result::refused;
    end_ = head.size();
  }
  std::string_view entries = text;
  const bool is_whole = entries.ends_with(end);
  if (is_whole) {
    entries.remove_suffix(end.size());
  } else {
    // The last whole entry is followed by one that was cut off.
    const std::string closed = std::string(form.closes);
    size_t last = entries.rfind('\n');
    while (last != std::string_view::npos && last > 0 &&
           !entries.substr(0, last).ends_with(closed) &&
           !entries.substr(0, last).ends_with(closed + std::string(form.between)))
      last = entries.rfind('\n', last - 1);
    entries = entries.substr(0, last == std::string_view::npos ? 0 : last);
    if (!form.between.empty() && entries.ends_with(form.between))
      entries.remove_suffix(form.between.size());
  }
  take(entries);
  // The placeholder entry of an empty document is overwritten.
  if (!has_empty_) end_ += entries.size();
  if (is_whole) return Result::done;
  const std::string_view empty = has_empty_ ? form.empty : "";
  return file.replace_end(end_, (empty.empty() ? "" : "\n" + std::string(empty)) + end)
             ? Result::done
             : Result::failed;
}

bool ReportDocument::append(os::SharedFile& file, const std::string& entry) {
  const std::string_view key = key_of_entry(format_, entry);
  if (!key.empty() && keys_.contains(std::hash<std::string_view>{}(key))) return true;
  const DocumentForm& form = form_of(format_);
  const std::string added = (entries_ > 0 ? std::string(form.between) : "") + "\n" + entry;
  if (!file.replace_end(end_, added + "\n" + std::string(form.end) + "\n")) return false;
  has_empty_ = false;
  take(added);
  end_ += added.size();
  return true;
}

ReportDocument::Result ReportDocument::add(const Report* report) {
  return add_entry(report ? document_entry(format_, *report) : "");
}

ReportDocument::Result ReportDocument::add_entry(const std::string& entry) {
  os::SharedFile file(path_);
  if (!file.is_open()) return Result::failed;
  if (const Result result = read(file); result != Result::done) return result;
  if (!entry.empty() && !append(file, entry)) return Result::failed;
  // A process that was killed before this step has left a wrong count.
  const std::string head = document_head(format_, entries_);
  const bool has_count = head != document_head(format_, entries_ + 1);
  return !has_count || file.overwrite(0, head) ? Result::done : Result::failed;
}

}  // namespace cuvette::check
