// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_format.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/check/report/project_path.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/report_document.hpp"
#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_place.hpp"
#include "tests/sim/check/report/report_files.hpp"

namespace cuvette::check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const Report in_kernel{ReportId::thread_race,
                       "Two threads write to 0x1000, 50% of the time.",
                       {{"address", "0x1000"},
                        {"bytes", uint64_t{4}},
                        {"kernel", "k<int, float>"},
                        {"source", "src/a b,c.cu:130"},
                        {"earlier source", "src/d.cu:12"},
                        {"launched at", "main+0x40 (/home/me/program+0x26bd)"}}};
const Report placeless{ReportId::host_access,
                       "A \"host\" thread <reads> & writes,\nat 0x1000.\x01\xff",
                       {{"address", "0x1000"}}};

// --- Places ---

TEST(ReportPlace, IsFoundInTextsOfManyKinds) {
  const auto found = [](const char* text) {
    const auto place = first_place(text);
    return place ? place->file + "|" + std::to_string(place->line) : "";
  };
  EXPECT_EQ(found("kernel.cu:130"), "kernel.cu|130");
  EXPECT_EQ(found("/a folder/kernel.cu:130"), "/a folder/kernel.cu|130");
  EXPECT_EQ(found("main+0x1d1 (/home/me/main.cpp:12)"), "/home/me/main.cpp|12");
  EXPECT_EQ(found("f() at a.cpp:7:3\nmain at b.cpp:9"), "a.cpp|7");
  EXPECT_EQ(found("ns::f(int) (/lib/x.cpp:5)"), "/lib/x.cpp|5");
  EXPECT_EQ(found("main+0x1d1 (/home/me/program+0x14a0)"), "");
  EXPECT_EQ(found("a::b::c"), "");
  EXPECT_EQ(found("kernel.cu:0"), "");
  EXPECT_EQ(found(""), "");
}

TEST(ReportPlace, PrefersTheKernelsLineAndTheLaterAccess) {
  const Report report{ReportId::unordered_access,
                      "s",
                      {{"allocated at", "main (a.cpp:1)"},
                       {"earlier submitted at", "main (b.cpp:2)"},
                       {"submitted at", "main (c.cpp:3)"},
                       {"address", "d.cpp:4"}}};
  const auto places = places_of(report);
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].place.file, "c.cpp");
  EXPECT_EQ(places[1].place.file, "b.cpp");
  EXPECT_EQ(places[2].place.file, "a.cpp");
  EXPECT_EQ(places_of(in_kernel)[0].place.line, 130u);
  EXPECT_TRUE(places_of(placeless).empty());
}

// --- SARIF ---

// Returns the document that the reports make, in a file.
std::string document(ReportFormat format, const std::vector<const Report*>& reports) {
  std::string file = (fs::temp_directory_path() / "report-document-XXXXXX").string();
  close(mkstemp(file.data()));
  ReportDocument document(format, file);
  EXPECT_EQ(document.add(nullptr), ReportDocument::Result::done);
  for (const Report* report : reports)
    EXPECT_EQ(document.add(report), ReportDocument::Result::done);
  const std::string text = contents(file);
  fs::remove(file);
  return text;
}

std::string uri(const std::string& file) { return (file.starts_with('/') ? "file://" : "") + file; }

// What SARIF 2.1.0 requires of a log, and what GitHub's code scanning does.
void expect_sarif(const Json& log, size_t results) {
  EXPECT_EQ(log.at("version"), "2.1.0");
  EXPECT_NE(log.at("$schema").get<std::string>().find("sarif-2.1.0"), std::string::npos);
  ASSERT_EQ(log.at("runs").size(), 1u);
  const Json& run = log["runs"][0];
  const Json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "Cuvette");
  EXPECT_EQ(driver.at("rules").size(), report_kinds.size());
  for (size_t i = 0; i < report_kinds.size(); ++i)
    EXPECT_EQ(driver.at("rules").at(i).at("defaultConfiguration").at("level"),
              report_kinds[i].is_hint ? "note" : "error");
  for (const Json& rule : driver["rules"]) {
    EXPECT_FALSE(rule.at("id").get<std::string>().empty());
    EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
    EXPECT_FALSE(rule.at("help").at("text").get<std::string>().empty());
  }
  ASSERT_EQ(run.at("results").size(), results);
  for (const Json& result : run["results"]) {
    EXPECT_TRUE(std::ranges::any_of(
        driver["rules"], [&](const Json& rule) { return rule["id"] == result.at("ruleId"); }));
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    ASSERT_EQ(result.at("locations").size(), 1u);
    EXPECT_FALSE(result["locations"][0]
                     .at("physicalLocation")
                     .at("artifactLocation")
                     .at("uri")
                     .get<std::string>()
                     .empty());
  }
}

TEST(Sarif, IsALogWithoutResultsAtFirst) {
  expect_sarif(Json::parse(document(ReportFormat::sarif, {})), 0);
}

TEST(Sarif, HasAResultForEachReport) {
  const Json log = Json::parse(document(ReportFormat::sarif, {&in_kernel, &placeless, &in_kernel}));
  expect_sarif(log, 3);
  const Json& first = log["runs"][0]["results"][0];
  const Json& place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/a%20b%2Cc.cu");
  EXPECT_EQ(place["region"]["startLine"], 130);
  EXPECT_EQ(first["locations"][0]["logicalLocations"][0]["name"], "k<int, float>");
  EXPECT_EQ(first["relatedLocations"][0]["message"]["text"], "earlier source");
  EXPECT_EQ(first["properties"]["facts"]["address"], "0x1000");
  EXPECT_EQ(first["partialFingerprints"]["cuvetteReport/v1"], fingerprint_of(in_kernel));
  // Without a place it is in the program.
  const Json& second = log["runs"][0]["results"][1]["locations"][0]["physicalLocation"];
  EXPECT_EQ(second["artifactLocation"]["uri"],
            uri(project_path(fs::read_symlink("/proc/self/exe").string())));
  EXPECT_FALSE(second.contains("region"));
}

// --- JUnit ---

// Reads just what JUnit files consist of; fails the test where the text is no XML.
struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::vector<Element> children;
};

class XmlReader {
 public:
  explicit XmlReader(const std::string& text) : text_(text) {}
  Element read() {
    EXPECT_TRUE(take("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
    skip();
    Element root = element();
    skip();
    EXPECT_EQ(at_, text_.size()) << "text behind the root";
    return root;
  }

 private:
  bool take(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  std::string name() {
    const size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    EXPECT_GT(at_, begin);
    return text_.substr(begin, at_ - begin);
  }
  std::string until(char end) {
    std::string value;
    while (at_ < text_.size() && text_[at_] != end) {
      if (take("&amp;"))
        value += '&';
      else if (take("&lt;"))
        value += '<';
      else if (take("&gt;"))
        value += '>';
      else if (take("&quot;"))
        value += '"';
      else if (take("&#10;"))
        value += '\n';
      else {
        EXPECT_NE(text_[at_], '&') << "an unknown entity";
        EXPECT_NE(text_[at_], '<');
        EXPECT_TRUE(static_cast<unsigned char>(text_[at_]) >= ' ' || text_[at_] == '\n');
        value += text_[at_++];
      }
    }
    return value;
  }
  Element element() {
    Element element;
    if (!take("<")) {
      ADD_FAILURE() << "no element at " << text_.substr(at_, 40);
      at_ = text_.size();
      return element;
    }
    element.name = name();
    for (skip(); at_ < text_.size() && text_[at_] != '>'; skip()) {
      const std::string key = name();
      EXPECT_TRUE(take("=\""));
      EXPECT_TRUE(element.attributes.emplace(key, until('"')).second) << key << " twice";
      EXPECT_TRUE(take("\""));
    }
    EXPECT_TRUE(take(">"));
    while (at_ < text_.size() && text_.compare(at_, 2, "</") != 0) {
      if (text_[at_] == '<')
        element.children.push_back(this->element());
      else
        element.text += until('<');
    }
    EXPECT_TRUE(take("</" + element.name + ">"));
    return element;
  }
  const std::string& text_;
  size_t at_ = 0;
};

Element suite_of(const std::string& text) {
  Element root = XmlReader(text).read();
  EXPECT_EQ(root.name, "testsuites");
  if (root.children.size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  EXPECT_EQ(root.children[0].name, "testsuite");
  return root.children[0];
}

TEST(Junit, HasACaseThatPassesWithoutReports) {
  const Element suite = suite_of(document(ReportFormat::junit, {}));
  EXPECT_EQ(suite.attributes.at("tests"), "1");
  EXPECT_EQ(suite.attributes.at("failures"), "0");
  ASSERT_EQ(suite.children.size(), 1u);
  EXPECT_EQ(suite.children[0].name, "testcase");
  EXPECT_TRUE(suite.children[0].children.empty());
}

TEST(Junit, HasACaseThatFailsForEachReport) {
  const Element suite = suite_of(document(ReportFormat::junit, {&in_kernel, &placeless}));
  EXPECT_EQ(suite.attributes.at("tests"), "2");
  EXPECT_EQ(suite.attributes.at("failures"), "2");
  ASSERT_EQ(suite.children.size(), 2u);
  const Element& first = suite.children[0];
  EXPECT_EQ(first.attributes.at("classname"), test_of(in_kernel));
  EXPECT_EQ(first.attributes.at("name"), "thread-race at src/a b,c.cu:130 and src/d.cu:12");
  EXPECT_EQ(first.attributes.at("file"), "src/a b,c.cu");
  EXPECT_EQ(first.attributes.at("line"), "130");
  ASSERT_EQ(first.children.size(), 1u);
  EXPECT_EQ(first.children[0].name, "failure");
  EXPECT_EQ(first.children[0].attributes.at("type"), "thread-race");
  EXPECT_EQ(first.children[0].attributes.at("message"), in_kernel.sentence);
  EXPECT_EQ(first.children[0].text, in_kernel.text());
  const Element& second = suite.children[1];
  EXPECT_EQ(second.attributes.at("name"), "host-access");
  EXPECT_EQ(second.children[0].attributes.at("message"),
            "A \"host\" thread <reads> & writes,\nat 0x1000.\xef\xbf\xbd\xef\xbf\xbd");
}

// A runner of tests takes cases of one name for one case.
TEST(Junit, HasEachNameOnce) {
  const std::string text =
      document(ReportFormat::junit, {&in_kernel, &placeless, &in_kernel, &placeless});
  const Element suite = suite_of(text);
  EXPECT_EQ(suite.attributes.at("failures"), "2");
  EXPECT_EQ(suite.children.size(), 2u);
}

TEST(Junit, NamesTheTestThatAStackNames) {
  const Report report{ReportId::unordered_access,
                      "s",
                      {{"submitted at",
                        "copy (a.cpp:3), called from (anonymous namespace)::Copies_InOrder_Test::"
                        "TestBody() (a.cpp:9)"}}};
  EXPECT_TRUE(test_of(report).ends_with(".Copies_InOrder")) << test_of(report);
  Report of_other = report;
  of_other.facts.clear();
  of_other.program = "/home/me/its_tests";
  EXPECT_EQ(test_of(of_other), "its_tests");
}

// --- GitLab ---

TEST(GitLab, HasWhatItsCodeQualityNeeds) {
  EXPECT_EQ(document(ReportFormat::gitlab, {}), "[\n]\n");
  const Json issues =
      Json::parse(document(ReportFormat::gitlab, {&in_kernel, &placeless, &in_kernel}));
  ASSERT_EQ(issues.size(), 2u) << "one issue for each fingerprint";
  const Json& first = issues[0];
  EXPECT_EQ(first["description"], std::string("thread-race: ") + in_kernel.sentence);
  EXPECT_EQ(first["check_name"], "thread-race");
  EXPECT_EQ(first["fingerprint"], fingerprint_of(in_kernel));
  EXPECT_EQ(first["severity"], "major");
  EXPECT_EQ(first["location"]["path"], "src/a b,c.cu");
  EXPECT_EQ(first["location"]["lines"]["begin"], 130);
  EXPECT_EQ(issues[1]["severity"], "critical");
  EXPECT_EQ(issues[1]["location"]["path"], test_of(placeless));
  EXPECT_EQ(issues[1]["location"]["lines"]["begin"], 1);
}

// --- GitHub ---

TEST(Github, EscapesWhatItsCommandsDoNotTake) {
  const std::string command = github_command(summary_of(in_kernel));
  EXPECT_EQ(command.find('\n'), command.size() - 1);
  EXPECT_EQ(command.find("::error file=src/a b%2Cc.cu,line=130,title=cuvette%3A thread-race::"), 0u)
      << command;
  EXPECT_NE(command.find("50%25 of the time.%0A  address: 0x1000%0A"), std::string::npos)
      << command;
  EXPECT_EQ(github_command(summary_of(placeless)).find("::error title=cuvette%3A host-access::"),
            0u);
}

// --- Files ---

TEST_F(ReportFiles, AreWholeAfterEachReport) {
  const fs::path file = folder_ / "reports.sarif";
  Reporter reporter({"", file.string(), ReportFormat::sarif});
  reporter.begin_document();
  expect_sarif(Json::parse(contents(file)), 0);
  const char places[3]{};
  for (size_t i = 0; i < 3; ++i) {
    make(reporter, in_kernel, &places[i]);
    expect_sarif(Json::parse(contents(file)), i + 1);
  }
}

TEST_F(ReportFiles, OfOthersAreLeftAsTheyAre) {
  const fs::path file = folder_ / "notes";
  std::ofstream(file) << "mine\n";
  Reporter reporter({"", file.string(), ReportFormat::sarif});
  const int place = 0;
  const std::string said = make(reporter, in_kernel, &place);
  EXPECT_NE(said.find("is not a document that reports can be added to"), std::string::npos) << said;
  EXPECT_EQ(contents(file), "mine\n");
}

TEST_F(ReportFiles, HaveTextOrCommandsIfThatIsAskedFor) {
  const int place = 0;
  const fs::path text = folder_ / "text", commands = folder_ / "commands";
  Reporter as_text({"", text.string(), ReportFormat::text});
  EXPECT_EQ(make(as_text, in_kernel, &place), in_kernel.text());
  EXPECT_EQ(contents(text), in_kernel.text());
  Reporter for_github({"", commands.string(), ReportFormat::github});
  EXPECT_EQ(make(for_github, in_kernel, &place), github_command(summary_of(in_kernel)));
  EXPECT_EQ(contents(commands), github_command(summary_of(in_kernel)));
}

}  // namespace
}  // namespace cuvette::check
