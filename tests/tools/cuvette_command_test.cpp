// SPDX-License-Identifier: Apache-2.0
// The `cuvette` command, from outside: its output and exit status.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/shell.hpp"

namespace {

using Json = nlohmann::json;

TEST(CuvetteCommand, SaysItsVersionAndHowItIsUsed) {
  EXPECT_EQ(shell("$C --version").output, "cuvette " CUVETTE_VERSION "\n");
  for (const char* line : {"$C --help", "$C run --help", "$C info --help", "$C support --help"})
    EXPECT_EQ(shell(line).status, 0) << line;
  EXPECT_TRUE(has(shell("$C --help"), "cuvette run"));
  const Outcome help = shell("$C run --help");
  for (const char* text :
       {"--host-access", "CUVETTE_HOST_ACCESS", "--error-exitcode", "Exit status"})
    EXPECT_TRUE(has(help, text)) << text;
}

TEST(CuvetteCommand, RefusesWhatItDoesNotKnow) {
  for (const char* line :
       {"$C", "$C nonsense", "$C run", "$C run --", "$C run --nonsense -- true",
        "$C run --devices=0 -- true", "$C run --devices=17 -- true", "$C run --memory=1X -- true",
        "$C run --workers=none -- true", "$C run --device=gtx -- true", "$C run --env=X -- true",
        "$C run --error-exitcode=256 -- true", "$C support --only=some", "$C info --nonsense"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, 125) << line;
    EXPECT_FALSE(outcome.output.empty()) << line;
  }
}

// If mistakes were ignored, a check would seem to have found nothing.
TEST(CuvetteCommand, ProposesWhatWasMeant) {
  const struct {
    const char *line, *proposal;
  } mistakes[] = {
      {"$C run --check=race -- true", "did you mean 'races'?"},
      {"$C run --contract=strikt -- true", "did you mean 'strict'?"},
      {"$C run --device=h20 -- true", "did you mean 'h200'?"},
      {"$C run --suppress=host-acess -- true", "did you mean 'host-access'?"},
      {"$C run --suppress='leak.*' -- true", "not the name of a report"},
      {"$C run --suppress=/nowhere/file -- true", "does not exist"},
      {"$C run --chek=races -- true", "did you mean '--check'?"},
      {"$C run --schedule=lasy -- true", "lazy"},
      {"$C run --cache-size=many -- true", "not a number of bytes"},
      {"$C explore --check=race -- true", "did you mean 'races'?"},
      {"CUVETTE_CHEKC=races $C run -- true", "did you mean CUVETTE_CHECK?"},
      {"CUVETTE_CHECK=race $C run -- true", "did you mean 'races'?"},
      {"CUVETTE_DEVICE=h20 $C run -- true", "did you mean 'h200'?"},
      {"CUVETTE_CHECK=race $C explore -- true", "did you mean 'races'?"},
      {"$C run --env CUVETTE_CHECK=race -- true", "did you mean 'races'?"},
  };
  for (const auto& mistake : mistakes) {
    const Outcome outcome = shell(mistake.line);
    EXPECT_EQ(outcome.status, 125) << mistake.line;
    EXPECT_TRUE(has(outcome, mistake.proposal)) << mistake.line << "\n" << outcome.output;
  }
}

// The help's examples and sentences name only reports that exist.
TEST(CuvetteCommand, NamesNoReportThatDoesNotExist) {
  EXPECT_FALSE(has(shell("$C run --help; $C --help; $C explore --help"), "leak"));
  EXPECT_EQ(shell("$C run --suppress='host-access,graphics-*' --error-exitcode=99 -- true").status,
            0);
}

TEST(CuvetteCommand, SaysWhatToDoNextWhenItIsCalledAlone) {
  const Outcome alone = shell("$C");
  for (const char* text : {"cuvette doctor", "cuvette run ./program", "cuvette help"})
    EXPECT_TRUE(has(alone, text)) << alone.output;
  EXPECT_FALSE(has(alone, "\033")) << "colours are for terminals";
  if (shell("command -v script").status != 0) return;
  const std::string terminal = "TERM=xterm script -qec \"$C\" /dev/null";
  EXPECT_TRUE(has(shell("unset NO_COLOR; " + terminal), "\033[1m"));
  EXPECT_FALSE(has(shell("NO_COLOR=1 " + terminal), "\033"));
}

TEST(CuvetteCommand, ProposesCommandsAndHelps) {
  EXPECT_TRUE(has(shell("$C help smi"), "--query-gpu"));
  EXPECT_TRUE(has(shell("$C help c++"), "-gencode"));
  EXPECT_TRUE(has(shell("$C rn"), "did you mean 'run'?"));
  EXPECT_TRUE(has(shell("$C ./program"), "cuvette run -- PROGRAM"));
  EXPECT_EQ(shell("$C help").output, shell("$C --help").output);
  EXPECT_EQ(shell("$C help run").output, shell("$C run --help").output);
  EXPECT_EQ(shell("$C help rn").status, 125);
}

TEST(CuvetteRun, TakesTheLastOfAnOptionThatIsGivenTwice) {
  EXPECT_EQ(
      shell("$C run --devices=2 --devices=3 -- sh -c 'echo $CUVETTE_DEVICES' 2>/dev/null").output,
      "3\n");
}

TEST(CuvetteRun, NeedsNoSeparator) {
  const std::string sh = " sh -c 'echo $CUVETTE_DEVICES:$A:$1' sh";
  for (const char* options : {"", " --devices=2", " --devices 2", " --no-watch-gl --devices 2"})
    EXPECT_EQ(
        shell("A= CUVETTE_DEVICES=2 $C run --quiet" + std::string(options) + sh + " --devices=4")
            .output,
        "2::--devices=4\n")
        << options;
  EXPECT_EQ(shell("$C run --quiet --env A=b --devices=3" + sh + " --").output, "3:b:--\n");
  EXPECT_EQ(shell("$C run --quiet --devices=3 --" + sh + " --").output, "3::--\n");
}

TEST(CuvetteRun, EndsAsTheProgramDoes) {
  EXPECT_EQ(shell("$C run -- /bin/true").status, 0);
  EXPECT_EQ(shell("$C run -- /bin/false").status, 1);
  EXPECT_EQ(shell("$C run -- sh -c 'exit 77'").status, 77);
  EXPECT_EQ(shell("$C run -- sh -c 'kill -9 $$'; exit $?").status, 128 + 9);
  EXPECT_EQ(shell("$C run --error-exitcode=5 -- sh -c 'exit 77'").status, 77);
  EXPECT_EQ(shell("$C run --error-exitcode=5 -- sh -c 'kill -9 $$'").status, 128 + 9);
}

TEST(CuvetteRun, SaysWhyAProgramCannotStart) {
  const Outcome missing = shell("$C run -- /nowhere/program");
  EXPECT_EQ(missing.status, 127);
  EXPECT_TRUE(has(missing, "/nowhere/program"));
  EXPECT_EQ(shell("$C run -- /etc/passwd").status, 126);
  EXPECT_EQ(shell("$C run --error-exitcode=5 -- /nowhere/program").status, 127);
}

TEST(CuvetteRun, PassesArgumentsOnUntouched) {
  EXPECT_EQ(shell("$C run --quiet -- printf '%s|' --devices=0 -- 'a b' '' --help").output,
            "--devices=0|--|a b||--help|");
}

TEST(CuvetteRun, PutsTheLibraryFirst) {
  EXPECT_EQ(shell("unset LD_LIBRARY_PATH; $C run --quiet -- sh -c 'echo $LD_LIBRARY_PATH'").output,
            CUVETTE_LIBRARY "\n");
  EXPECT_EQ(shell("LD_LIBRARY_PATH=/a:/b $C run --quiet -- sh -c 'echo $LD_LIBRARY_PATH'").output,
            CUVETTE_LIBRARY ":/a:/b\n");
}

// The loader's two lists of folders, and what it puts over the driver.
TEST(CuvetteRun, PutsTheLayerOverVulkansDrivers) {
  if (!std::filesystem::exists(CUVETTE_LIBRARY "/vulkan")) GTEST_SKIP() << "there is no layer";
  const std::string print =
      " -- sh -c 'echo $VK_ADD_LAYER_PATH+$VK_LAYER_PATH+$VK_INSTANCE_LAYERS'";
  const std::string clear = "unset VK_ADD_LAYER_PATH VK_LAYER_PATH VK_INSTANCE_LAYERS; ";
  EXPECT_EQ(shell(clear + "$C run --quiet" + print).output,
            CUVETTE_LIBRARY "/vulkan++VK_LAYER_CUVETTE_interop\n");
  EXPECT_EQ(
      shell(clear + "VK_ADD_LAYER_PATH=/a VK_INSTANCE_LAYERS=b $C run --quiet" + print).output,
      CUVETTE_LIBRARY "/vulkan:/a++b:VK_LAYER_CUVETTE_interop\n");
  EXPECT_EQ(shell(clear + "VK_LAYER_PATH=/a $C run --quiet" + print).output,
            "+" CUVETTE_LIBRARY "/vulkan:/a+VK_LAYER_CUVETTE_interop\n");
  EXPECT_EQ(shell(clear + "$C run --quiet --no-vulkan" + print).output, "++\n");
  EXPECT_EQ(shell(clear + "CUVETTE_VULKAN=0 $C run --quiet" + print).output, "++\n");
}

TEST(CuvetteRun, PreloadsWhereItIsTold) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  EXPECT_EQ(
      shell("unset LD_PRELOAD; $C run --quiet --preload --no-watch-gl -- sh -c 'echo $LD_PRELOAD'")
          .output,
      CUVETTE_LIBRARY "/libcuda.so.1:" CUVETTE_LIBRARY "/libcudart.so.13:" CUVETTE_LIBRARY
                      "/libcudart.so.12:" CUVETTE_LIBRARY
                      "/preload/libnvJitLink.so.13:" CUVETTE_LIBRARY
                      "/preload/libnvJitLink.so.12:" CUVETTE_LIBRARY "/libcuvette_run.so\n");
}

// A package with NVIDIA's linker opens it by its path; the loader returns the library that is
// already loaded under that name.
TEST(CuvetteRun, GivesItsLinkerToWhoeverLooksForOne) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const std::string ask =
      "python3 -c 'import ctypes; n = ctypes.CDLL(\"libnvJitLink.so.@\", mode=4); "
      "v = [ctypes.c_uint(), ctypes.c_uint()]; n.nvJitLinkVersion(*map(ctypes.byref, v)); "
      "print(v[0].value)'";
  for (const std::string version : {"12", "13"}) {
    std::string line = ask;
    line.replace(line.find('@'), 1, version);
    EXPECT_EQ(shell("$C run --quiet -- " + line).output, version + "\n") << "4 is RTLD_NOLOAD";
  }
}

TEST(CuvetteRun, TurnsOptionsIntoTheEnvironment) {
  const Outcome outcome = shell(
      "unset CUVETTE_ERROR_EXITCODE; $C run --device=h200 --devices=2 --memory=4G --fill=none "
      "--host-access=warn --report=/tmp/r --suppress='host-access,graphics-*' --explain "
      "--workers=3 "
      "--visible-devices=1 --contract= --env A=b=c --env=D= -- env");
  for (const char* line :
       {"CUVETTE_DEVICE=h200\n", "CUVETTE_DEVICES=2\n", "CUVETTE_MEMORY=4G\n",
        "CUVETTE_FILL=none\n", "CUVETTE_HOST_ACCESS=warn\n", "CUVETTE_REPORT=/tmp/r\n",
        "CUVETTE_SUPPRESS=host-access,graphics-*\n", "CUVETTE_EXPLAIN=1\n", "CUVETTE_WORKERS=3\n",
        "CUDA_VISIBLE_DEVICES=1\n", "A=b=c\n", "D=\n"})
    EXPECT_TRUE(has(outcome, line)) << line;
  EXPECT_TRUE(has(outcome, "CUVETTE_CONTRACT=\n")) << "an empty value is a value";
  EXPECT_FALSE(has(outcome, "CUVETTE_ERROR_EXITCODE"));
}

TEST(CuvetteRun, AnswersWithTheErrorStatusWhereAReportWasMade) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("cuvette-reports-" + std::to_string(getpid()));
  std::ofstream(file) << "{\"report\":\"of an earlier run\"}\n";
  const std::string run = "$C run --error-exitcode=9 --report='" + file.string() + "' -- sh -c";
  const std::string report = "echo {} >> \"$CUVETTE_REPORT\"";
  EXPECT_EQ(shell(run + " 'exit 0'").status, 0) << "old reports do not count";
  EXPECT_EQ(shell(run + " '" + report + "'").status, 9);
  EXPECT_EQ(shell(run + " '" + report + "; exit 4'").status, 4);
  std::filesystem::remove(file);
}

// A document has bytes before its first report.
TEST(CuvetteRun, CountsTheReportsOfDocuments) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("cuvette-document-" + std::to_string(getpid()));
  const auto run = [&](const std::string& format, const std::string& program) {
    std::filesystem::remove(file);
    return shell("$C run --error-exitcode=9 --report-format=" + format + " --report='" +
                 file.string() + "' -- " + program);
  };
  for (const char* format : {"sarif", "junit", "gitlab"})
    EXPECT_EQ(run(format, "true").status, 0) << format;
  EXPECT_EQ(run("junit", "sh -c 'echo \"<failure a>\" > \"$CUVETTE_REPORT\"'").status, 9);
  const std::string program = "'" EXPLORED_PROGRAM "' says_nothing";
  for (const char* format : {"sarif", "junit", "gitlab", "github", "text", "json"}) {
    // Which copy of the program comes first is chance; the report is not.
    EXPECT_EQ(run(std::string(format) + " --check=races", program).status, 9) << format;
    EXPECT_EQ(run(format, program).status, 0) << format;
  }
  std::filesystem::remove(file);
  for (const char* format : {"sarif", "junit", "gitlab"}) {
    const Outcome outcome = shell(std::string("$C run --report-format=") + format + " -- true");
    EXPECT_EQ(outcome.status, 125);
    EXPECT_TRUE(has(outcome, "CUVETTE_REPORT does not name a file")) << outcome.output;
  }
}

class CuvetteRunFiles : public testing::Test {
 protected:
  CuvetteRunFiles()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("cuvette-run-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CuvetteRunFiles() override { std::filesystem::remove_all(folder_); }

  Outcome shell_in(const std::string& line) {
    return shell("cd '" + folder_.string() + "'; " + line);
  }
  std::string file(const std::string& name) {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path folder_;
  const std::string racing_ = "'" EXPLORED_PROGRAM "' says_nothing";
};

// ctest changes its folder.
TEST_F(CuvetteRunFiles, LieWhereTheCommandWasGiven) {
  const std::string show = "env | grep -E '^CUVETTE_(REPORT|ORDER_LOG|CACHE|SUPPRESS)=' | sort";
  std::ofstream(folder_ / "known") << "host-*\n";
  const std::string here = "=" + folder_.string() + "/";
  EXPECT_EQ(shell_in("CUVETTE_ORDER_LOG=log $C run --quiet --report=r.json --suppress=known "
                     "--cache=kept -- sh -c \"" +
                     show + "\"")
                .output,
            "CUVETTE_CACHE" + here + "kept\nCUVETTE_ORDER_LOG" + here + "log\nCUVETTE_REPORT" +
                here + "r.json\nCUVETTE_SUPPRESS" + here + "known\n");
  EXPECT_EQ(shell_in("$C run --quiet --report=/r --suppress=host-race --cache=off -- sh -c \"" +
                     show + "\"")
                .output,
            "CUVETTE_CACHE=off\nCUVETTE_REPORT=/r\nCUVETTE_SUPPRESS=host-race\n");
}

TEST_F(CuvetteRunFiles, NeedNotBeWritableForTheExitStatus) {
  const Outcome outcome =
      shell_in("$C run --check=races --report=none/a/b.json --error-exitcode=9 -- " + racing_);
  EXPECT_EQ(outcome.status, 9);
  EXPECT_TRUE(has(outcome, "none/a/b.json, which cannot be written")) << outcome.output;
}

// The file that the option names loses a mistake that was mended; a file that a variable names may
// serve several runs. A file without reports is never overwritten.
TEST_F(CuvetteRunFiles, BeginAnewWhereTheOptionNamesThem) {
  for (const std::string format : {"sarif", "junit", "gitlab", "github", "text", "json"}) {
    const std::string knobs = "CUVETTE_REPORT_FORMAT=" + format + " ";
    shell_in(knobs + "$C run --check=races --report=" + format + " -- " + racing_);
    const std::string one = file(format);
    EXPECT_NE(one.find("unordered-access"), std::string::npos) << format;
    shell_in(knobs + "CUVETTE_REPORT=" + format + " $C run -- " + racing_);
    EXPECT_GE(file(format).size(), one.size()) << format;
    shell_in(knobs + "$C run --report=" + format + " -- " + racing_);
    EXPECT_LT(file(format).size(), one.size()) << format;
  }
  std::ofstream(folder_ / "source") << "int main() {}\n";
  EXPECT_EQ(shell_in("$C run --report=source -- true").status, 123);
  EXPECT_EQ(file("source"), "int main() {}\n");
}

// Its calls come from the interpreter's machine code, whichever line makes them.
TEST_F(CuvetteRunFiles, NameLinesOfPython) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  if (shell("python3 -c 'import sys, ctypes; sys.exit(sys.version_info < (3, 9))'").status != 0)
    GTEST_SKIP() << "no Python 3.9";
  std::ofstream(folder_ / "racing.py") << R"(from ctypes import *
cuda = CDLL("libcuda.so.1")
def fill(memory, stream):
    cuda.cuMemsetD8Async(memory, 1, c_size_t(4096), stream)
context, memory, one, other = c_void_p(), c_uint64(), c_void_p(), c_void_p()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(byref(memory), c_size_t(4096))
cuda.cuStreamCreate(byref(one), 1)
cuda.cuStreamCreate(byref(other), 1)
fill(memory, one)
fill(memory, other)
cuda.cuCtxSynchronize()
)";
  const Outcome outcome = shell_in("$C run --check=races -- python3 \"$PWD/racing.py\"");
  EXPECT_EQ(outcome.status, 0);
  const std::string file = (folder_ / "racing.py").string();
  for (const char* const line : {"12", "13"})
    EXPECT_TRUE(has(outcome, "submitted at: fill (" + file + ":4)\n    called from <module> (" +
                                 file + ":" + line + ")\n"))
        << line << "\n"
        << outcome.output;
  EXPECT_FALSE(has(outcome, "python3")) << outcome.output;
}

// A test runner shows nothing of tests that pass.
TEST_F(CuvetteRunFiles, AreNotNeededForGitHubsCommands) {
  const std::string quiet = "--check=races --report-format=github -- sh -c \"" EXPLORED_PROGRAM
                            " says_nothing >/dev/null 2>&1\"";
  const auto commands = [](const Outcome& outcome) {
    size_t count = 0;
    for (size_t at = 0; (at = ("\n" + outcome.output).find("\n::error ", at)) != std::string::npos;
         ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(commands(shell_in("$C run " + quiet)), 1u);
  EXPECT_EQ(commands(shell_in("$C run --error-exitcode=9 -- $C run " + quiet)), 1u) << "nested";
}

TEST(CuvetteRun, SaysWhenNothingRanOnIt) {
  const char* const sentence = ": nothing ran on Cuvette";
  EXPECT_TRUE(has(shell("$C run --error-exitcode=9 -- true"), sentence));
  EXPECT_FALSE(has(shell("$C run --error-exitcode=9 -- /nowhere/program"), sentence));
  const std::string program = "'" EXPLORED_PROGRAM "' says_nothing";
  EXPECT_FALSE(has(shell("$C run --error-exitcode=9 -- " + program), sentence));
  EXPECT_FALSE(
      has(shell("$C run --error-exitcode=9 -- $C run --error-exitcode=9 -- " + program), sentence));
  if (getuid() != 0) return;
  EXPECT_TRUE(has(shell("t=$(mktemp -d) && chmod 755 $t && cp /bin/true $t && chown 1 $t/true && "
                        "chmod u+s $t/true; $C run -- $t/true; rm -r $t"),
                  "is a set-user-ID program"));
}

TEST(CuvetteRun, SaysOnceThatAccessesAreNotCaught) {
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "a sanitizer's runtime must be the first library";
  const std::string sentence = "this machine has no protection keys";
  const auto times = [&](const std::string& options) {
    const Outcome outcome =
        shell("CUVETTE_HOST_ACCESS=fault LD_PRELOAD=" NO_KEYS " $C run " + options +
              " -- sh -c 'for i in 1 2 3; do \"" EXPLORED_PROGRAM "\" ordered; done'");
    size_t count = 0;
    for (size_t at = 0; (at = outcome.output.find(sentence, at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(times("--error-exitcode=9"), 1u);
  EXPECT_EQ(times("--error-exitcode=9 --host-access=allow"), 0u);
}

// The program signals its parent, which is the command, and gets the signal back.
TEST(CuvetteRun, PassesSignalsOn) {
  EXPECT_EQ(shell("$C run --error-exitcode=9 -- "
                  "sh -c 'trap \"exit 3\" TERM; kill -TERM $PPID; while :; do sleep 0.01; done'")
                .status,
            3);
}

TEST(CuvetteInfo, SaysWhatTheDevicesSay) {
  const Outcome text = shell("$C info");
  EXPECT_EQ(text.status, 0) << text.output;
  EXPECT_TRUE(has(text, "NVIDIA H200")) << text.output;
  EXPECT_TRUE(has(text, CUVETTE_LIBRARY));
  EXPECT_TRUE(has(text, "protection keys"));

  const Outcome outcome =
      shell("unset CUDA_VISIBLE_DEVICES; $C info --json --devices=2 2>/dev/null");
  const Json json = Json::parse(outcome.output, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.output;
  EXPECT_EQ(json["driver_version"], 13000);
  EXPECT_TRUE(json["protection_keys"].is_boolean());
  ASSERT_EQ(json["devices"].size(), 2u);
  EXPECT_EQ(json["devices"][0]["name"], "NVIDIA H200");
  EXPECT_EQ(json["devices"][0]["attributes"].size(), 147u);
  EXPECT_EQ(json["devices"][0]["attributes"]["MULTIPROCESSOR_COUNT"], 132);
  EXPECT_NE(json["devices"][0]["uuid"], json["devices"][1]["uuid"]);
  EXPECT_NE(json["devices"][0]["pci"], json["devices"][1]["pci"]);
}

TEST(CuvetteInfo, SaysWhatIsWrong) {
  const Outcome outcome = shell("$C info --visible-devices=");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "CUDA_ERROR_NO_DEVICE")) << outcome.output;
}

// ctest takes the file, and never gives a device to two tests at a time.
TEST(CuvetteInfo, ListsTheDevicesForCtest) {
  const Outcome made = shell("$C info --devices=2 --ctest-resources");
  const Json file = Json::parse(made.output, nullptr, false);
  ASSERT_TRUE(file.is_object()) << made.output;
  EXPECT_EQ(file["local"][0]["gpus"].size(), 2u);
  if (shell("command -v ctest").status != 0) GTEST_SKIP() << "there is no ctest";
  const Outcome tests = shell(
      "d=$(mktemp -d) && cd $d && $C info --devices=2 --ctest-resources > r.json; "
      "for i in 1 2 3 4; do echo \"add_test(t$i printenv CTEST_RESOURCE_GROUP_0_GPUS)\"; "
      "echo \"set_tests_properties(t$i PROPERTIES RESOURCE_GROUPS gpus:1)\"; "
      "done > CTestTestfile.cmake; ctest -j4 --resource-spec-file r.json -V; cd /; rm -r $d");
  for (const char* text : {"id:0,slots:1", "id:1,slots:1", "100% tests passed"})
    EXPECT_TRUE(has(tests, text)) << text << "\n" << tests.output;
}

TEST(CuvetteInfo, ListsTheProfiles) {
  EXPECT_TRUE(has(shell("$C info --profiles"), "h200"));
  const Json json = Json::parse(shell("$C info --profiles --json").output);
  EXPECT_EQ(json[0]["key"], "h200");
  EXPECT_TRUE(has(shell("$C info --profiles"), "Tesla T4"));
}

TEST(CuvetteSupport, ListsTheFunctions) {
  const Outcome text = shell("$C support");
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(has(text, "cuMemAlloc_v2"));
  EXPECT_TRUE(has(text, "cudaMallocPitch"));
  EXPECT_TRUE(has(text, "exported symbols: "));
  EXPECT_TRUE(has(shell("$C support --markdown"), "| `cuMemAlloc_v2` |"));
}

TEST(CuvetteSupport, ListsOnlyWhatIsAskedFor) {
  const Json all = Json::parse(shell("$C support --json").output);
  const Json full = Json::parse(shell("$C support --json --only=full").output);
  EXPECT_GT(all.size(), 600u);
  EXPECT_LT(full.size(), all.size());
  for (const Json& row : full) EXPECT_EQ(row["support"], "full");
  const Json named = Json::parse(shell("$C support --json CUEVENTREC cuStreamQ").output);
  for (const Json& row : named) {
    const std::string name = row["symbol"];
    EXPECT_TRUE(name.starts_with("cuEventRec") || name.starts_with("cuStreamQ")) << name;
  }
  EXPECT_GE(named.size(), 2u);
  EXPECT_EQ(shell("$C support cuNonsense").status, 1);
  // The question in docs/support.md, which is also answered if nothing is missing.
  const Outcome missing = shell("$C support cuGraph --only=none");
  EXPECT_EQ(missing.status, 0) << missing.output;
  EXPECT_FALSE(has(missing, "no such function")) << missing.output;
  const Outcome none = shell("$C support cuInit --only=none");
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.output, "0 of 1 matching functions are 'none'.\n");
  EXPECT_EQ(Json::parse(shell("$C support cuInit --only=none --json").output).size(), 0u);
}

}  // namespace
