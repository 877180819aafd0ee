// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_document.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/check/report/report.hpp"
#include "sim/check/report/report_names.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

namespace fs = std::filesystem;
using Result = ReportDocument::Result;

constexpr ReportFormat documents[] = {ReportFormat::sarif, ReportFormat::junit,
                                      ReportFormat::gitlab};

// A report that has its own place.
Report numbered(size_t number, const std::string& file = "a.cu") {
  return {ReportId::thread_race,
          "Two threads write.",
          {{"kernel", "k" + std::to_string(number)},
           {"source", file + ":" + std::to_string(number + 1)}}};
}

// Python reads the file as the format wants it, and prints how many reports it has.
std::string as_python_reads(ReportFormat format, const fs::path& file) {
  const char* const program =
      format == ReportFormat::junit
          ? "import sys, xml.etree.ElementTree as t\\nr = t.parse(sys.argv[1]).getroot()\\n"
            "cases = [c for c in r.iter(\"testcase\") if c.find(\"failure\") is not None]\\n"
            "assert int(r[0].get(\"failures\")) == len(cases)\\n"
            "assert len({(c.get(\"classname\"), c.get(\"name\")) for c in cases}) == len(cases)\\n"
            "print(len(cases), end=\"\")"
      : format == ReportFormat::sarif
          ? "import sys, json\\nd = json.load(open(sys.argv[1], encoding=\"utf-8\"))\\n"
            "print(len(d[\"runs\"][0][\"results\"]), end=\"\")"
      : format == ReportFormat::gitlab
          ? "import sys, json\\nd = json.load(open(sys.argv[1], encoding=\"utf-8\"))\\n"
            "assert len({i[\"fingerprint\"] for i in d}) == len(d)\\n"
            "assert all(i[\"location\"][\"path\"] for i in d)\\nprint(len(d), end=\"\")"
          : "import sys, json\\nlines = open(sys.argv[1], encoding=\"utf-8\").readlines()\\n"
            "assert all(json.loads(l)[\"report\"] for l in lines)\\nprint(len(lines), end=\"\")";
  const std::string line = CUVETTE_PYTHON " -c \"$(printf '" + std::string(program) + "')\" '" +
                           file.string() + "' 2>&1";
  FILE* const pipe = popen(line.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
  pclose(pipe);
  return output;
}

using Documents = ReportFiles;

TEST_F(Documents, AreWholeAfterEachReport) {
  for (const ReportFormat format : documents) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    ReportDocument one(format, file), other(format, file);
    EXPECT_EQ(one.add(nullptr), Result::done);
    EXPECT_EQ(as_python_reads(format, file), "0");
    for (size_t i = 0; i < 6; ++i) {
      const Report report = numbered(i);
      // The other has to read what this one has added.
      EXPECT_EQ((i % 3 == 0 ? other : one).add(&report), Result::done);
      EXPECT_EQ(as_python_reads(format, file), std::to_string(i + 1));
    }
  }
}

TEST_F(Documents, BeginAnewWhereTheFileDoes) {
  for (const ReportFormat format : documents) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    ReportDocument document(format, file);
    const Report first = numbered(1), second = numbered(2);
    document.add(&first);
    fs::resize_file(file, 0);
    EXPECT_EQ(document.add(&first), Result::done);
    EXPECT_EQ(as_python_reads(format, file), "1");
    fs::remove(file);
    EXPECT_EQ(document.add(&second), Result::done);
    EXPECT_EQ(as_python_reads(format, file), "1");
  }
}

// A process was killed, or a disk was full, in the middle of an entry.
TEST_F(Documents, AreMendedWhereTheyAreCutOff) {
  for (const ReportFormat format : documents) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    std::vector<uintmax_t> sizes;
    for (size_t i = 0; i < 3; ++i) {
      const Report report = numbered(i);
      ReportDocument(format, file).add(&report);
      sizes.push_back(fs::file_size(file));
    }
    const std::string whole = contents(file);
    for (const uintmax_t size : {sizes[1], sizes[1] + 1, sizes[1] + 60, sizes[2] - 3}) {
      std::ofstream(file) << whole.substr(0, size);
      EXPECT_EQ(ReportDocument(format, file).add(nullptr), Result::done);
      const std::string count = as_python_reads(format, file);
      EXPECT_TRUE(count == "1" || count == "2" || count == "3") << size << ": " << count;
      const Report report = numbered(9);
      EXPECT_EQ(ReportDocument(format, file).add(&report), Result::done);
      EXPECT_EQ(as_python_reads(format, file), std::to_string(std::stoi(count) + 1));
    }
    std::ofstream(file) << whole.substr(0, 0);
    EXPECT_EQ(ReportDocument(format, file).add(nullptr), Result::done);
    EXPECT_EQ(as_python_reads(format, file), "0");
  }
}

TEST_F(Documents, OfOtherKindsAreLeftAlone) {
  const fs::path file = folder_ / "file";
  const Report report = numbered(1);
  for (const std::string& text : std::vector<std::string>{
           "mine\n", "{\"version\":\"2.1.0\"}\n", "[\n 1,\n 2\n]\n", "[1]",
           "<?xml version=\"1.0\"?>\n",
           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n</testsuites>\n"})
    for (const ReportFormat format : documents) {
      std::ofstream(file) << text;
      EXPECT_EQ(ReportDocument(format, file).add(&report), Result::refused) << text;
      EXPECT_EQ(contents(file), text);
    }
  for (const ReportFormat one : documents)
    for (const ReportFormat other : documents) {
      fs::remove(file);
      ReportDocument(one, file).add(&report);
      const std::string before = contents(file);
      if (one == other) continue;
      EXPECT_EQ(ReportDocument(other, file).add(&report), Result::refused);
      EXPECT_EQ(contents(file), before);
    }
}

TEST_F(Documents, CannotBeWrittenEverywhere) {
  const Report report = numbered(1);
  fs::create_directories(folder_ / "folder");
  for (const std::string& file : {(folder_ / "folder").string(), (folder_ / "no" / "file").string(),
                                  std::string("/dev/full"), std::string("/proc/version")})
    for (const ReportFormat format : documents)
      EXPECT_EQ(ReportDocument(format, file).add(&report), Result::failed) << file;
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReportDocument(ReportFormat::junit, folder_ / "pipe").add(&report), Result::failed);
}

// Twenty processes, each with reports of its own and one that all of them make.
TEST_F(Documents, AreSharedByProcesses) {
  constexpr size_t processes = 20, each = 10;
  for (const ReportFormat format :
       {ReportFormat::json, ReportFormat::sarif, ReportFormat::junit, ReportFormat::gitlab}) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    for (size_t i = 0; i < processes; ++i) {
      if (fork() != 0) continue;
      Reporter reporter({"", file.string(), format});
      reporter.begin_document();
      testing::internal::CaptureStderr();
      const char places[each + 1]{};
      for (size_t k = 0; k <= each; ++k) {
        const Report report = numbered(k == 0 ? 0 : i * each + k);
        if (reporter.admit(report.id, &places[k])) reporter.write(report);
      }
      _exit(0);  // loses nothing
    }
    for (size_t i = 0; i < processes; ++i) {
      int status = 1;
      wait(&status);
      EXPECT_EQ(status, 0);
    }
    const bool has_each_once = format == ReportFormat::junit || format == ReportFormat::gitlab;
    EXPECT_EQ(as_python_reads(format, file),
              std::to_string(processes * each + (has_each_once ? 1 : processes)));
  }
}

TEST_F(Documents, TakeNamesOfAnyBytes) {
  std::string bytes;
  for (int c = 1; c < 256; ++c) bytes += static_cast<char>(c);
  const std::vector<std::string> names = {bytes,
                                          "\xef\xbf\xbe\xef\xbf\xbf",
                                          "]]>&#0;<![CDATA[",
                                          "\xed\xa0\x80",
                                          "\xf4\x90\x80\x80",
                                          "\" name=\"x",
                                          "\",\"fingerprint\":\"x",
                                          "a\nb",
                                          "\xc3",
                                          "%0A::error::",
                                          "\xe2\x80\xa8"};
  for (const ReportFormat format :
       {ReportFormat::json, ReportFormat::text, ReportFormat::github, ReportFormat::sarif,
        ReportFormat::junit, ReportFormat::gitlab}) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    Reporter reporter({"", file.string(), format});
    std::vector<char> places(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const Report report{ReportId::thread_race,
                          "In " + names[i],
                          {{"kernel", names[i]},
                           {"source", names[i] + ":" + std::to_string(i + 1)},
                           {"submitted at", names[i] + " (" + names[i] + ":3)"},
                           {"file", names[i]}}};
      make(reporter, report, &places[i]);
    }
    if (format == ReportFormat::github) {
      std::ifstream in(file);
      size_t lines = 0;
      for (std::string line; std::getline(in, line); ++lines)
        EXPECT_TRUE(line.starts_with("::error ")) << line;
      EXPECT_EQ(lines, names.size());
    } else if (format != ReportFormat::text) {
      EXPECT_EQ(as_python_reads(format, file), std::to_string(names.size()));
    }
  }
}

// The time for each does not grow with their number: a document is not read and written again.
TEST_F(Documents, GrowToManyReports) {
  constexpr size_t reports = 5000;
  for (const ReportFormat format : documents) {
    const fs::path file = folder_ / std::to_string(static_cast<int>(format));
    ReportDocument document(format, file);
    for (size_t i = 0; i < reports; ++i) {
      const Report report = numbered(i);
      ASSERT_EQ(document.add(&report), Result::done);
    }
    EXPECT_EQ(as_python_reads(format, file), std::to_string(reports));
  }
}

}  // namespace
}  // namespace cuvette::check
