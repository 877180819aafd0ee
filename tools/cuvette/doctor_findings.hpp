// SPDX-License-Identifier: Apache-2.0
// The findings of `cuvette doctor`. Each doctor_*.cpp looks at one thing.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

struct Finding {
  // `limited`: something does less than it could. `wrong`: programs cannot run, or not on Cuvette.
  enum class Level { good, limited, wrong };
  Level level = Level::good;
  std::string topic;     // a word or two
  std::string sentence;  // without a full stop
  std::string mend;      // a line to type, or advice; empty if nothing is wrong
};

class Findings {
 public:
  void good(std::string topic, std::string sentence) {
    all_.push_back({Finding::Level::good, std::move(topic), std::move(sentence), ""});
  }
  void limited(std::string topic, std::string sentence, std::string mend) {
    all_.push_back(
        {Finding::Level::limited, std::move(topic), std::move(sentence), std::move(mend)});
  }
  void wrong(std::string topic, std::string sentence, std::string mend) {
    all_.push_back({Finding::Level::wrong, std::move(topic), std::move(sentence), std::move(mend)});
  }
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

// Our own files: complete, loadable, and of one build.
void look_at_files(Findings& findings);
// Knobs, LD_PRELOAD, and which libcuda.so.1 the loader would find.
void look_at_environment(Findings& findings);
// How the program is linked, and what its files hold.
void look_at_program(const std::string& program, Findings& findings);
// The packages of a Python interpreter that reach the driver; finds nothing for other programs.
void look_at_python(const std::string& program, Findings& findings);
// The processor, the system, and what else is installed.
void look_at_machine(Findings& findings);
// Compiles and runs a kernel, as a program would.
void test_kernel(Findings& findings);

}  // namespace cuvette::tools
