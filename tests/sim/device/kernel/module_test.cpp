// SPDX-License-Identifier: Apache-2.0
// Programs, modules and machine code, with a fake compiler (fake_jit.cpp).
#include "sim/device/kernel/module.hpp"
#include "sim/device/stream/context.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "sim/device/kernel/library.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/primary_context.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/ptx/program/code_cache.hpp"

namespace cuvette::device {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::temp_directory_path() / ("cuvette-code-" + std::to_string(getpid()));
const std::string log_file = (folder / "compiled").string();

// Set before anything reads the environment.
const bool environment_is_set = [] {
  fs::create_directories(folder);
  setenv("CUVETTE_CACHE", (folder / "cache").c_str(), 1);
  setenv("CUVETTE_MEMORY", "64M", 1);
  setenv("FAKE_JIT_LOG", log_file.c_str(), 1);
  std::atexit([] { fs::remove_all(folder); });
  return true;
}();

const std::string head = ".version 7.8\n.target sm_80\n.address_size 64\n";
const std::string text = head + R"(
.visible .global .align 4 .u32 number = 42;
.visible .global .align 8 .u64 pointer = generic(number)+4;
.visible .const .align 4 .b32 constants[4] = {1, 2, 3};
.visible .global .align 8 .u64 table[2] = {helper, 0};
.visible .global .align 1024 .b8 aligned[3] = {1, 0xff00(number), 3};
.visible .global .attribute(.managed) .align 4 .u32 managed = 9;
.func helper() { ret; }
.visible .entry k(.param .u64 a, .param .u8 b) {
  .shared .align 4 .b8 tile[100];
  .local .align 8 .b8 mine[24];
  call helper;
  ret;
}
.visible .entry refused() { ret; }
)";

size_t compilations() {
  std::ifstream file(log_file);
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
}

Ref<ptx::Program> program(const std::string& source) {
  ptx::Diagnostic diagnostic;
  auto program = ptx::Program::load(source, 90, diagnostic);
  EXPECT_TRUE(program.ok()) << diagnostic.sentence();
  return program.ok() ? std::move(program).value() : Ref<ptx::Program>();
}

Error failure(const std::string& source, std::string* sentence = nullptr) {
  ptx::Diagnostic diagnostic;
  const auto program = ptx::Program::load(source, 90, diagnostic);
  EXPECT_FALSE(program.ok()) << source;
  if (sentence) *sentence = diagnostic.sentence();
  return program.ok() ? Error{} : program.error();
}

struct Scene {
  Scene() {
    EXPECT_TRUE(Machine::start().ok());
    context = PrimaryContext::of(*Machine::get().devices()[0]).retain().value();
  }
  ~Scene() { EXPECT_TRUE(PrimaryContext::of(*Machine::get().devices()[0]).release().ok()); }
  Ref<Context> context;
};

template <typename T>
T read(uint64_t address) {
  T value;
  const os::DeviceAccess access;
  os::copy_bytes(&value, memory::host_pointer(address), sizeof value);
  return value;
}

uint32_t run(const ptx::MachineCode& code) { return code.entry(nullptr, 0, 0); }

TEST(Program, FindsMistakes) {
  std::string sentence;
  EXPECT_EQ(failure(head + ".visible .entry k() {\n addd; }\n", &sentence), Error::invalid_ptx);
  EXPECT_NE(sentence.find("line 5, at 'addd'"), std::string::npos) << sentence;
  EXPECT_EQ(failure(head + ".global .u32 g;\n.global .u32 g;\n"), Error::invalid_ptx);
  EXPECT_EQ(failure(head + ".global .u32 g[2] = {1, 2, 3};\n"), Error::invalid_ptx);
  EXPECT_EQ(failure(head + ".global .u64 p = nowhere;\n"), Error::invalid_ptx);
  EXPECT_EQ(failure(head + ".const .b8 c[65537];\n"), Error::invalid_ptx);
  EXPECT_EQ(failure(head + ".extern .func f();\n.entry k() { call f; ret; }\n"),
            Error::invalid_ptx);
  EXPECT_EQ(failure(head + ".entry k(.param .b8 p[4353]) { ret; }\n"), Error::invalid_ptx);
  EXPECT_TRUE(
      program(".version 8.1\n.target sm_80\n.address_size 64\n"
              ".entry k(.param .b8 p[4353]) { ret; }\n"));
  EXPECT_EQ(failure(".version 99.9\n.target sm_80\n"), Error::unsupported_ptx_version);
}

TEST(Program, OfALargeTextReadsNoBodies) {
  std::string large = head + ".visible .entry k() { ret; }\n";
  while (large.size() < (300 << 10)) large += "// one line of many more that say nothing at all\n";
  // The register is not declared, which only reading the body reveals.
  large += ".visible .entry wrong() { add.u32 %r, %r, %r; ret; }\n";
  const Ref<ptx::Program> loaded = program(large);
  EXPECT_FALSE(loaded->kernel("k")->read());
  EXPECT_TRUE(loaded->kernel("k")->memory().ok());
  EXPECT_TRUE(loaded->kernel("k")->read());
  EXPECT_EQ(loaded->kernel("wrong")->memory().error(), Error::invalid_ptx);
  EXPECT_EQ(failure(large + ".visible .entry worse() { addd; }\n"), Error::invalid_ptx);
}

TEST(Program, KnowsParametersAndMemory) {
  const Ref<ptx::Program> loaded = program(text);
  ptx::Program::Kernel& kernel = *loaded->kernel("k");
  ASSERT_EQ(kernel.parameters().parameters.size(), 2u);
  EXPECT_EQ(kernel.parameters().parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters().bytes, 9u);
  EXPECT_EQ(kernel.memory().value().shared, 100u);
  EXPECT_EQ(kernel.memory().value().local, 24u);
  EXPECT_EQ(loaded->constant_bytes(), 16u);
  EXPECT_EQ(loaded->kernel("helper"), nullptr);
  EXPECT_NE(loaded->function_address("helper"), 0u);
  EXPECT_NE(loaded->function_address("helper"), loaded->function_address("k"));
  EXPECT_EQ(loaded->function_address("nothing"), 0u);
}

TEST(Program, CompilesOnceForEachClass) {
  const Ref<ptx::Program> loaded = program(text + "// returns 1\n");
  ptx::Program::Kernel& kernel = *loaded->kernel("k");
  const size_t before = compilations();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(kernel.code(ptx::BlockClass::of(64, 1, 1)).ok()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compilations(), before + 1);
  const ptx::MachineCode& code = *kernel.code(ptx::BlockClass::of(128, 1, 1)).value();
  EXPECT_EQ(run(code), 103u);  // the number for rows, one-dimensional, full warps
  EXPECT_EQ(run(*kernel.code(ptx::BlockClass::of(5, 2, 1)).value()), 108u);
  EXPECT_EQ(compilations(), before + 2);
}

TEST(Program, SaysWhyAKernelCannotBeCompiled) {
  const Ref<ptx::Program> loaded = program(text);
  testing::internal::CaptureStderr();
  EXPECT_EQ(loaded->kernel("refused")->code({}).error(), Error::invalid_ptx);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("'refused'"), std::string::npos) << said;
  EXPECT_NE(said.find("line 12"), std::string::npos) << said;
}

TEST(Program, TakesCodeFromTheCache) {
  const std::string source = text + "// returns 2\n";
  EXPECT_EQ(run(*program(source)->kernel("k")->code({}).value()), 208u);
  const size_t before = compilations();
  const Ref<ptx::Program> again = program(source);
  const ptx::MachineCode& code = *again->kernel("k")->code({}).value();
  EXPECT_EQ(compilations(), before);
  EXPECT_EQ(run(code), 208u);
  EXPECT_EQ(code.facts.frame_bytes, 64u);
  EXPECT_EQ(code.facts.local_bytes, 8u);
  EXPECT_EQ(code.facts.shared_bytes, 16u);
  EXPECT_TRUE(code.facts.uses_barriers);
  EXPECT_EQ(code.facts.symbols, (std::vector<std::string>{"number", "pointer", "helper"}));
  // A different text is a different kernel.
  EXPECT_EQ(run(*program(text + "// returns 3\n")->kernel("k")->code({}).value()), 308u);
  EXPECT_EQ(compilations(), before + 1);
}

// First from the compiler, then from the cache, as in another process.
TEST(Program, HandsOutWhatWasCompiledTogether) {
  const std::string source =
      head + ".visible .entry one() { ret; }\n.visible .entry two() { ret; }\n// with two\n";
  const size_t before = compilations();
  for (int time = 0; time < 2; ++time) {
    const Ref<ptx::Program> both = program(source);
    const ptx::MachineCode& one = *both->kernel("one")->code({}).value();
    const ptx::MachineCode& two = *both->kernel("two")->code({}).value();
    EXPECT_EQ(compilations(), before + 1);
    EXPECT_EQ(run(two), run(one) + 1);
    EXPECT_EQ(one.memory, two.memory);
    EXPECT_EQ(two.facts.frame_bytes, one.facts.frame_bytes);
    // For another class of blocks, each is compiled by itself.
    if (time == 0) continue;
    const auto other = ptx::BlockClass::of(64, 1, 1);
    const uint32_t by_itself = run(*both->kernel("two")->code(other).value());
    EXPECT_EQ(run(*both->kernel("one")->code(other).value()), by_itself);
    EXPECT_EQ(compilations(), before + 3);
  }
}

TEST(Module, PlacesVariablesWithTheirValues) {
  const Scene scene;
  const Ref<Module> module = Module::load(*scene.context, program(text), nullptr, nullptr).value();
  const auto number = module->variable("number");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->size, 4u);
  EXPECT_EQ(read<uint32_t>(number->address), 42u);
  EXPECT_EQ(read<uint64_t>(module->variable("pointer")->address), number->address + 4);
  EXPECT_EQ(read<uint32_t>(module->variable("constants")->address + 8), 3u);
  EXPECT_EQ(read<uint32_t>(module->variable("constants")->address + 12), 0u);
  EXPECT_EQ(read<uint64_t>(module->variable("table")->address),
            module->program().function_address("helper"));
  const auto aligned = module->variable("aligned");
  EXPECT_EQ(aligned->address % 1024, 0u);
  EXPECT_EQ(read<uint8_t>(aligned->address + 1), number->address >> 8 & 0xff);
  EXPECT_TRUE(module->variable("managed")->managed);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(module->variable("managed")->address), 9u);
  EXPECT_FALSE(module->variable("k"));
  EXPECT_EQ(module->symbol_address("nothing").error(), Error::not_found);
  module->unload();
  EXPECT_FALSE(Machine::get().memory().find(number->address));
}

TEST(Module, GivesItsMemoryBack) {
  const Scene scene;
  const auto free = [] { return Machine::get().memory().usage(0).free; };
  const auto load = [&] {
    Module::load(*scene.context, program(text), nullptr, nullptr).value()->unload();
  };
  load();
  const size_t before = free();
  for (int i = 0; i < 50; ++i) load();
  EXPECT_EQ(free(), before);
  // A module that does not fit leaves nothing behind.
  const auto large = Module::load(*scene.context, program(text + ".global .b8 large[100000000];\n"),
                                  nullptr, nullptr);
  EXPECT_EQ(large.error(), Error::out_of_memory);
  EXPECT_EQ(free(), before);
}

TEST(Function, HandsItsCodeItsSymbols) {
  const Scene scene;
  const Ref<Module> module = Module::load(*scene.context, program(text), nullptr, nullptr).value();
  const Ref<Function> function = module->function("k").value();
  EXPECT_EQ(module->function("k").value(), function);
  const CompiledCode& code = *function->compiled(ptx::BlockClass::of(32, 1, 1)).value();
  EXPECT_EQ(code.symbols[0], module->variable("number")->address);
  EXPECT_EQ(code.symbols[2], module->program().function_address("helper"));
  EXPECT_EQ(code.frame_bytes, 64u);
  EXPECT_EQ(function->compiled(ptx::BlockClass::of(32, 1, 1)).value(), &code);
  module->unload();
  EXPECT_EQ(code.entry(nullptr, 0, 0), 3u);  // the code lives as long as the function
  EXPECT_EQ(module->function("k").error(), Error::invalid_handle);
}

// Runtimes query the attributes of every kernel when they load a module.
TEST(Function, CompilesNothingForAttributes) {
  const Scene scene;
  const Ref<Module> module =
      Module::load(*scene.context, program(text + "// returns 8\n"), nullptr, nullptr).value();
  const Ref<Function> function = module->function("k").value();
  const size_t before = compilations();
  std::vector<int> attributes;
  for (int number = 0; number < 16; ++number)
    attributes.push_back(function->attribute(FunctionAttribute{number}).value());
  EXPECT_EQ(compilations(), before);
  EXPECT_TRUE(function->load().ok());
  EXPECT_EQ(compilations(), before + 1);
  EXPECT_TRUE(function->load().ok());
  EXPECT_TRUE(function->compiled(ptx::BlockClass::of(256, 1, 1)).ok());
  EXPECT_EQ(compilations(), before + 1);
  for (int number = 0; number < 16; ++number)
    EXPECT_EQ(function->attribute(FunctionAttribute{number}).value(),
              attributes[static_cast<size_t>(number)]);
  EXPECT_EQ(module->function("refused").value()->load().error(), Error::invalid_ptx);
  module->unload();
}

TEST(Library, LoadsIntoEachContextOnce) {
  const Scene scene;
  const auto library = make_ref<Library>(program(text), std::nullopt);
  const Ref<Module> module = library->module(*scene.context, nullptr).value();
  EXPECT_EQ(library->module(*scene.context, nullptr).value(), module);
  const auto other = make_ref<Context>(*Machine::get().devices()[0], 0, false);
  const Ref<Module> second = library->module(*other, nullptr).value();
  EXPECT_NE(second, module);
  EXPECT_NE(second->variable("number")->address, module->variable("number")->address);
  EXPECT_EQ(second->variable("managed")->address, module->variable("managed")->address);
  EXPECT_EQ(library->managed("managed", nullptr).value().address,
            module->variable("managed")->address);
  EXPECT_EQ(library->managed("number", nullptr).error(), Error::not_found);
  const uint64_t managed = module->variable("managed")->address;
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(managed), 9u);
  other->tear_down();
  EXPECT_TRUE(Machine::get().memory().find(managed));
  library->unload();
  EXPECT_FALSE(Machine::get().memory().find(managed));
  EXPECT_EQ(library->module(*scene.context, nullptr).error(), Error::invalid_handle);
}

ptx::CompiledKernel some_kernel(size_t bytes) {
  ptx::CompiledKernel kernel;
  kernel.code.assign(bytes, 0x90);
  kernel.symbols = {"a", "b"};
  return kernel;
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  if (fs::exists(directory))
    for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

TEST(CodeCache, ANameIsMadeOfEverything) {
  using Key = ptx::CodeCache::Key;
  EXPECT_EQ(Key().add("a").add("b").name(), Key().add("a").add("b").name());
  EXPECT_NE(Key().add("a").add("b").name(), Key().add("ab").name());
  EXPECT_NE(Key().add("a").add("b").name(), Key().add("b").add("a").name());
  EXPECT_NE(Key().add("a").add(uint64_t{1}).name(), Key().add("a").add(uint64_t{2}).name());
  EXPECT_EQ(Key().add("a").name().size(), 32u);
}

TEST(CodeCache, AFileThatIsDamagedIsNone) {
  const fs::path directory = folder / "damaged";
  ptx::CodeCache cache(directory, 1 << 20);
  const auto key = ptx::CodeCache::Key().add("k");
  for (int i = 0; i < 200; ++i) {
    cache.keep(key, some_kernel(100));
    ASSERT_TRUE(cache.find(key));
    const auto files = files_in(directory);
    ASSERT_EQ(files.size(), 1u);
    const auto size = fs::file_size(files[0]);
    if (i % 2) {
      fs::resize_file(files[0], static_cast<uintmax_t>(i) * size / 200);
    } else {
      std::fstream file(files[0], std::ios::in | std::ios::out | std::ios::binary);
      const auto at = static_cast<std::streamoff>(static_cast<uintmax_t>(i) * size / 200);
      file.seekg(at);
      const char byte = static_cast<char>(file.get() ^ 1);
      file.seekp(at);
      file.put(byte);
    }
    EXPECT_FALSE(cache.find(key)) << i;
    EXPECT_TRUE(files_in(directory).empty());
  }
}

TEST(CodeCache, ForgetsWhatWasUnusedForLongest) {
  const fs::path directory = folder / "bounded";
  ptx::CodeCache cache(directory, 64 << 10);
  const auto key = [](int i) { return ptx::CodeCache::Key().add(static_cast<uint64_t>(i)); };
  for (int i = 0; i < 40; ++i) {
    cache.keep(key(i), some_kernel(4 << 10));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(cache.find(key(0))) << "used all the time";
    uintmax_t bytes = 0;
    for (const fs::path& file : files_in(directory)) bytes += fs::file_size(file);
    EXPECT_LE(bytes, 64u << 10);
  }
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_TRUE(cache.find(key(39)));
}

TEST(CodeCache, IsSharedByProcesses) {
  const fs::path directory = folder / "shared";
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      ptx::CodeCache cache(directory, 1 << 20);
      bool good = true;
      for (int i = 0; i < 100; ++i) {
        const auto key = ptx::CodeCache::Key().add(static_cast<uint64_t>(i % 10));
        cache.keep(key, some_kernel(static_cast<size_t>(1000 + i % 10)));
        const auto kernel = cache.find(key);
        good = good && kernel && kernel->code.size() == static_cast<size_t>(1000 + i % 10);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files_in(directory).size(), 10u);
}

TEST(CodeCache, IsOffWhereItIsNotPrivate) {
  const fs::path directory = folder / "open";
  fs::create_directories(directory);
  fs::permissions(directory, fs::perms::all);
  ptx::CodeCache cache(directory, 1 << 20);
  testing::internal::CaptureStderr();
  cache.keep(ptx::CodeCache::Key().add("k"), some_kernel(10));
  EXPECT_FALSE(cache.find(ptx::CodeCache::Key().add("k")));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("not kept"), std::string::npos);
  EXPECT_TRUE(files_in(directory).empty());
  ptx::CodeCache nowhere("", 1 << 20);
  nowhere.keep(ptx::CodeCache::Key().add("k"), some_kernel(10));
  EXPECT_FALSE(nowhere.find(ptx::CodeCache::Key().add("k")));
}

}  // namespace
}  // namespace cuvette::device
