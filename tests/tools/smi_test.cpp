// SPDX-License-Identifier: Apache-2.0
// `cuvette smi`, from outside. The expected output for an H200 is what nvidia-smi printed on one,
// except the UUID; so are the exit statuses.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/api/driver/process_register.hpp"

namespace {

struct Outcome {
  int status;
  std::string output, errors;
};

std::string read_all(FILE* file) {
  std::string text;
  char piece[4096];
  while (size_t count = fread(piece, 1, sizeof piece, file)) text.append(piece, count);
  return text;
}

// Runs a line of sh in which $SMI is `cuvette smi`. Standard error goes through a file.
Outcome shell(const std::string& line) {
  static const ProcessRegister own;  // no other test's processes count
  char errors[] = "/tmp/smi_test.XXXXXX";
  const int file = mkstemp(errors);
  const std::string whole =
      "C='" CUVETTE_COMMAND "'; SMI=\"$C smi\"; { " + line + "\n} 2>" + errors;
  FILE* pipe = popen(whole.c_str(), "r");
  Outcome outcome;
  outcome.output = read_all(pipe);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  FILE* said = fdopen(file, "r");
  outcome.errors = read_all(said);
  fclose(said);
  remove(errors);
  return outcome;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr char uuid[] = "GPU-1e6daab2-d71a-85ba-9670-37285162971f";

TEST(CuvetteSmi, ListsDevices) {
  const std::string expected = std::string("GPU 0: NVIDIA H200 (UUID: ") + uuid + ")\n";
  for (const char* line : {"$SMI -L", "$SMI --list-gpus"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.output, expected) << line;
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.status, 0);
  }
  EXPECT_TRUE(has(shell("CUVETTE_DEVICE=h200,t4 $SMI -L").output, "\nGPU 1: Tesla T4 (UUID: GPU-"));
}

TEST(CuvetteSmi, AnswersFieldsAsCsv) {
  const Outcome outcome = shell(
      "$SMI --query-gpu=name,gpu_uuid,memory.total,memory.used,memory.free,memory.reserved,"
      "driver_version,compute_cap,index,count,pci.bus_id,compute_mode,mig.mode.current,"
      "ecc.mode.current,clocks.max.sm,clocks.max.mem,clocks.max.gr,pci.device_id,"
      "pci.sub_device_id,pci.domain,fan.speed,display_active --format=csv");
  EXPECT_EQ(outcome.output,
            "name, uuid, memory.total [MiB], memory.used [MiB], memory.free [MiB], "
            "memory.reserved [MiB], driver_version, compute_cap, index, count, pci.bus_id, "
            "compute_mode, mig.mode.current, ecc.mode.current, clocks.max.sm [MHz], "
            "clocks.max.memory [MHz], clocks.max.graphics [MHz], pci.device_id, "
            "pci.sub_device_id, pci.domain, fan.speed [%], display_active\n"
            "NVIDIA H200, " +
                std::string(uuid) +
                ", 143771 MiB, 0 MiB, 143156 MiB, 616 MiB, 580.159.04, 9.0, 0, 1, "
                "00000000:00:06.0, Default, Disabled, Enabled, 1980 MHz, 3201 MHz, 1980 MHz, "
                "0x233510DE, 0x18BF10DE, 0x0000, [N/A], Disabled\n");
  EXPECT_EQ(outcome.status, 0);
}

TEST(CuvetteSmi, LeavesOutHeaderAndUnits) {
  for (const char* line : {"$SMI --query-gpu=index,memory.total --format=csv,noheader,nounits",
                           "$SMI --query-gpu index,memory.total --format 'csv, noheader, nounits'"})
    EXPECT_EQ(shell(line).output, "0, 143771\n") << line;
  EXPECT_EQ(shell("$SMI --query-gpu=index,memory.total --format=csv,nounits").output,
            "index, memory.total [MiB]\n0, 143771\n");
  EXPECT_EQ(shell("$SMI --query-gpu=name --format=noheader").output, "NVIDIA H200\n");
}

// Values that software cannot know are never numbers.
TEST(CuvetteSmi, MakesUpNoNumbers) {
  EXPECT_EQ(shell("$SMI --query-gpu=temperature.gpu,power.draw,utilization.gpu,clocks.sm,pstate,"
                  "serial,pcie.link.gen.current --format=csv,noheader")
                .output,
            "[N/A], [N/A], [N/A], [N/A], [N/A], [N/A], [N/A]\n");
}

TEST(CuvetteSmi, AnswersEachFieldThatItLists) {
  const Outcome outcome =
      shell("$SMI --query-gpu=$($SMI --help-query-gpu | paste -sd,) --format=csv,noheader");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(has(outcome.output, "NVIDIA H200"));
}

TEST(CuvetteSmi, SeesNoProcessesWhereThereAreNone) {
  const std::string ask = "$SMI --query-compute-apps=pid,used_memory,name --format=csv";
  EXPECT_EQ(shell(ask).output, "pid, used_gpu_memory [MiB], process_name\n");
  EXPECT_EQ(shell(ask).status, 0);
  EXPECT_EQ(shell(ask + ",noheader").output, "");
  EXPECT_EQ(shell("$SMI --query-compute-apps=nonsense --format=csv").status, 2);
}

// A program in the background; $P is its number.
TEST(CuvetteSmi, SeesTheProcessesThatUseADevice) {
  const std::string begin = "F=$(mktemp -u); mkfifo $F; " USING_DEVICE
                            " <$F >$F.out & P=$!; exec 3>$F; rm $F; "
                            "while ! grep -qs ready $F.out; do sleep 0.01; done; rm $F.out; ";
  const std::string end = "; exec 3>&-; wait $P";
  const Outcome fields =
      shell(begin +
            "echo $P; $SMI --query-compute-apps=gpu_uuid,pid,used_memory,name --format=csv" + end);
  const std::string pid = fields.output.substr(0, fields.output.find('\n'));
  EXPECT_EQ(fields.output, pid + "\ngpu_uuid, pid, used_gpu_memory [MiB], process_name\n" + uuid +
                               ", " + pid + ", 542 MiB, " USING_DEVICE "\n")
      << fields.errors;
  EXPECT_EQ(fields.status, 0);
  EXPECT_EQ(shell(begin +
                  "$SMI --query-compute-apps=used_memory,gpu_name,gpu_serial "
                  "--format=csv,noheader,nounits" +
                  end)
                .output,
            "542, NVIDIA H200, [N/A]\n");
  EXPECT_EQ(shell(begin + "$SMI --query-gpu=memory.used --format=csv,noheader" + end).output,
            "543 MiB\n");  // rounded up
  const Outcome table = shell(begin + "$SMI; $SMI -q" + end);
  for (const char* text : {"543MiB / 143771MiB", "using_device", "Process ID", "542 MiB"})
    EXPECT_TRUE(has(table.output, text)) << table.output;
  EXPECT_FALSE(has(table.output, "No running processes found")) << table.output;
}

TEST(CuvetteSmi, ShowsATable) {
  const Outcome outcome = shell("CUVETTE_DEVICES=2 CUVETTE_MEMORY=8G $SMI");
  EXPECT_EQ(outcome.status, 0);
  for (const char* text : {"Driver Version: 580.159.04", "CUDA Version: 13.0", "NVIDIA H200",
                           "00000000:00:07.0", "0MiB / 8192MiB", "No running processes found"})
    EXPECT_TRUE(has(outcome.output, text)) << outcome.output;
}

TEST(CuvetteSmi, SaysDetails) {
  const Outcome outcome = shell("CUVETTE_DEVICE=rtx4090 $SMI -q");
  EXPECT_EQ(outcome.status, 0);
  for (const char* text :
       {"Attached GPUs                            : 1",
        "Product Name                         : NVIDIA GeForce RTX 4090",
        "Product Architecture                 : Ada Lovelace",
        "Current                          : N/A", "Processes                            : None"})
    EXPECT_TRUE(has(outcome.output, text)) << text << "\n" << outcome.output;
}

TEST(CuvetteSmi, ChoosesDevices) {
  const std::string two = "CUVETTE_DEVICES=3 $SMI --query-gpu=index --format=csv,noheader ";
  EXPECT_EQ(shell(two + "-i 1").output, "1\n");
  EXPECT_EQ(shell(two + "--id=2,0").output, "0\n2\n");
  EXPECT_EQ(shell(two + "-i 0,0").output, "0\n");
  EXPECT_EQ(shell(two + "-i 00000000:00:08.0").output, "2\n");
  EXPECT_EQ(shell(two + "-i " + uuid).output, "0\n");
  for (const char* wrong : {"-i 7", "-i 0,7", "-i GPU-"}) {
    const Outcome outcome = shell(two + wrong);
    EXPECT_EQ(outcome.output, "No devices were found\n") << wrong;
    EXPECT_EQ(outcome.status, 6) << wrong;
  }
}

TEST(CuvetteSmi, RefusesWhatItDoesNotKnow) {
  const struct {
    const char* line;
    int status;
    const char* said;
  } mistakes[] = {
      {"$SMI --nonsense", 255, "no option --nonsense"},
      {"$SMI topo -m", 255, "no option topo"},
      {"$SMI -i", 255, "option -i needs a value"},
      {"$SMI --format=csv", 255, "--format goes with --query-gpu"},
      {"$SMI --query-gpu=nonsense --format=csv", 2, "no field \"nonsense\""},
      {"$SMI --query-gpu='name, index'", 2, "no field \" index\""},
      {"$SMI --query-gpu=name --format=xml", 2, "no format \"xml\""},
      {"$SMI -i 0 -L", 2, "-i does not go with -L"},
      {"$SMI -L -q", 2, "-q does not go with"},
      {"CUVETTE_DEVICE=gtx $SMI", 9, "CUVETTE_DEVICE is 'gtx'"},
  };
  for (const auto& [line, status, said] : mistakes) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, status) << line;
    EXPECT_TRUE(has(outcome.errors, said)) << line << ": " << outcome.errors;
    EXPECT_EQ(outcome.output, "") << line;
  }
}

TEST(CuvetteSmi, SaysHowItIsUsedAndItsVersions) {
  EXPECT_TRUE(has(shell("$SMI --help").output, "--query-gpu=FIELD"));
  EXPECT_TRUE(has(shell("$SMI --version").output, "CUDA Version        : 13.0\n"));
}

TEST(CuvetteSmi, IsNvidiaSmiWhereItIsCalledSo) {
  const Outcome wrong = shell("\"" CUVETTE_LIBRARY "/bin/nvidia-smi\" --nonsense");
  EXPECT_EQ(wrong.status, 255);
  EXPECT_TRUE(has(wrong.errors, "nvidia-smi: there is no option")) << wrong.errors;
  // A program started by `cuvette run` finds it, and sees the same devices.
  EXPECT_EQ(shell("$C run --device=t4 -- nvidia-smi --query-gpu=name --format=csv,noheader").output,
            "Tesla T4\n");
}

}  // namespace
