// SPDX-License-Identifier: Apache-2.0
// LLVM's optimiser and code generator, and a linker for one object: what a kernel refers to is its
// own code and constants, so that the result runs wherever it lies.
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>

#include <cstring>
#include <map>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/ptx/emit/compile.hpp"
#include "sim/ptx/emit/mask_casts.hpp"
#include "sim/ptx/emit/target.hpp"

namespace cuvette::ptx {
namespace {

struct Processor {
  const char* name;
  const char* features;
};

// Models of processors with suitable timings; what they must have beyond that is left out. haswell
// is never among them: its model makes thirty branches of each gather.
Processor processor_of(Vectors vectors) {
  switch (vectors) {
    case Vectors::avx512:
      return {"skylake-avx512", "-prefer-256-bit,+prefer-mask-registers,-clwb,-pku"};
    case Vectors::avx2:
      return {"skylake", "+fast-gather"};
    default:
      return {"x86-64", "+cx16"};
  }
}

// Runs two cheap passes alone when compiling quickly.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, bool quickly) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  // No loop or call may become a call to a library function.
  functions.registerPass([&] {
    llvm::TargetLibraryInfoImpl none(machine.getTargetTriple());
    none.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(none);
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  // Blocks first: what makes values of slots takes time for each slot and block. GVN, which asks of
  // every load which stores it might see, finds nothing more here, nor does a second round.
  const char* const pipeline =
      quickly ? "function(early-cse,instcombine<no-verify-fixpoint>)"
              : "function(simplifycfg,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
                "simplifycfg,"
                "loop-mssa(licm),adce)";
  llvm::cantFail(builder.parsePassPipeline(passes, pipeline));
  passes.run(module, modules);
}

// Lays the sections out in sequence and fills in their references to each other.
class Linker {
 public:
  std::string run(llvm::MemoryBufferRef object, std::vector<uint8_t>& code,
                  std::map<std::string, uint32_t>& entries) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(object);
    if (!file) return "the object file cannot be read: " + llvm::toString(file.takeError());
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
      const llvm::object::ELFSectionRef elf(section);
      if (!(elf.getFlags() & llvm::ELF::SHF_ALLOC) || section.getSize() == 0) continue;
      auto name = section.getName();
      if (name && *name == ".eh_frame") continue;
      if (elf.getFlags() & llvm::ELF::SHF_WRITE) return "the object file has variables";
      const uint64_t alignment = std::max<uint64_t>(1, section.getAlignment().value());
      const size_t at = round_up(code.size(), alignment);
      code.resize(at + section.getSize());
      places_[section.getIndex()] = at;
      auto contents = section.getContents();
      if (!contents) return llvm::toString(contents.takeError());
      if (!section.isBSS()) std::memcpy(code.data() + at, contents->data(), contents->size());
    }
    for (const llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
      auto name = symbol.getName();
      uint64_t place;
      if (name && name->substr(0, 5) == "entry" && find(symbol, place))
        entries[name->str()] = static_cast<uint32_t>(place);
    }
    for (const llvm::object::SectionRef& section : (*file)->sections()) {
      auto target = section.getRelocatedSection();
      if (!target || *target == (*file)->section_end()) continue;
      const auto into = places_.find((*target)->getIndex());
      if (into == places_.end()) continue;
      for (const llvm::object::RelocationRef& relocation : section.relocations()) {
        const std::string sentence = relocate(relocation, into->second, code);
        if (!sentence.empty()) return sentence;
      }
    }
    return {};
  }

 private:
  bool find(const llvm::object::ELFSymbolRef& symbol, uint64_t& place) {
    auto section = symbol.getSection();
    auto value = symbol.getValue();
    if (!section || !value || *section == symbol.getObject()->section_end()) return false;
    const auto found = places_.find((*section)->getIndex());
    if (found == places_.end()) return false;
    place = found->second + *value;
    return true;
  }

  std::string relocate(const llvm::object::RelocationRef& relocation, uint64_t section,
                       std::vector<uint8_t>& code) {
    const llvm::object::ELFSymbolRef symbol(*relocation.getSymbol());
    uint64_t target;
    if (!find(symbol, target)) {
      auto name = symbol.getName();
      return "the code calls '" + (name ? name->str() : std::string("something")) + "'";
    }
    auto addend = llvm::object::ELFRelocationRef(relocation).getAddend();
    const uint64_t place = section + relocation.getOffset();
    const uint64_t type = relocation.getType();
    const int64_t value =
        static_cast<int64_t>(target) + (addend ? *addend : 0) - static_cast<int64_t>(place);
    if (type == llvm::ELF::R_X86_64_PC32 || type == llvm::ELF::R_X86_64_PLT32) {
      const auto narrow = static_cast<int32_t>(value);
      std::memcpy(code.data() + place, &narrow, sizeof narrow);
      return {};
    }
    if (type == llvm::ELF::R_X86_64_PC64) {
      std::memcpy(code.data() + place, &value, sizeof value);
      return {};
    }
    return "the object file has a relocation of kind " + std::to_string(type);
  }

  std::map<uint64_t, size_t> places_;
};

// One of LLVM's, if this version has it.
void set_option(llvm::StringRef name, llvm::StringRef value) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto option = options.find(name);
  if (option != options.end()) option->second->addOccurrence(0, name, value);
}

std::unique_ptr<llvm::TargetMachine> make_machine(Vectors vectors) {
  static const bool ready = [] {
    set_up_target();
    // How far the register allocator looks for a better place of a split. In kernels with thousands
    // of blocks it takes most of the time and more code comes out.
    set_option("grow-region-complexity-budget", "100");
    // From how many blocks on the preparation of code does not begin anew with each change.
    set_option("cgpp-huge-func", "200");
    // From how many copies on of a value that is computed anew its range is looked at once for all.
    set_option("late-remat-update-threshold", "4");
    // Moves what is computed of masks to mask registers, where it finds that cheaper. Its repeated
    // scans take minutes for some kernels with thousands of blocks.
    set_option("disable-x86-domain-reassignment", "true");
    return true;
  }();
  (void)ready;
  const char* const triple = "x86_64-unknown-linux-gnu";
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) return nullptr;
  const Processor processor = processor_of(vectors);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, processor.name, processor.features, options,
                                  llvm::Reloc::PIC_, llvm::CodeModel::Small));
}

#if LLVM_VERSION_MAJOR < 18
constexpr auto object_file = llvm::CGFT_ObjectFile;
using Level = llvm::CodeGenOpt::Level;
#else
constexpr auto object_file = llvm::CodeGenFileType::ObjectFile;
using Level = llvm::CodeGenOptLevel;
#endif

// LLVM's passes of code generation, except the ones that cost more than they bring here.
class CodePasses final : public llvm::legacy::PassManager {
 public:
  explicit CodePasses(const llvm::Module& module) : large_(module.getInstructionCount() > large) {}

  void add(llvm::Pass* pass) override {
    if (is_left_out(pass->getPassID()))
      delete pass;
    else
      PassManager::add(pass);
  }

 private:
  // Instructions of LLVM. Code to move out of loops is found by looking at all uses of a register
  // and all ends of a loop each time: half of the time that such a kernel takes. A value that comes
  // from one place alone is found by looking at all uses of that place: a third of it.
  static constexpr unsigned large = 20'000;

  bool is_left_out(llvm::AnalysisID pass) const {
    // Moves computations into the branch that needs them. Those branches are ways out, taken
    // seldom: code comes out no faster, and looking for them takes a quarter of the time.
    if (pass == &llvm::MachineSinkingID) return true;
    // Common subexpressions have been eliminated before instruction selection.
    if (pass == &llvm::MachineCSEID) return true;
    return large_ && (pass == &llvm::EarlyMachineLICMID || pass == &llvm::MachineLICMID ||
                      pass == &llvm::OptimizePHIsID);
  }

  const bool large_;
};

struct IdleMachines {
  Mutex mutex;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines[3] GUARDED_BY(mutex);
};

// Never destroyed: a thread may still compile while the process exits.
IdleMachines& idle() {
  static auto* const all = new IdleMachines;
  return *all;
}

}  // namespace

TargetMachineLease::TargetMachineLease(Vectors vectors) : vectors_(vectors) {
  MutexLock lock(idle().mutex);
  auto& machines = idle().machines[static_cast<int>(vectors)];
  if (machines.empty()) {
    machine_ = make_machine(vectors);
    return;
  }
  machine_ = std::move(machines.back());
  machines.pop_back();
}

TargetMachineLease::~TargetMachineLease() {
  if (!machine_) return;
  MutexLock lock(idle().mutex);
  idle().machines[static_cast<int>(vectors_)].push_back(std::move(machine_));
}

std::string machine_code(llvm::Module& module, llvm::TargetMachine& machine, bool quickly,
                         std::vector<uint8_t>& code, std::map<std::string, uint32_t>& entries) {
  std::string complaint;
  llvm::raw_string_ostream complaints(complaint);
  if (llvm::verifyModule(module, &complaints)) return "the compiler made wrong code: " + complaint;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
    // A function that saves all registers must not clear the upper halves of vectors when it
    // returns.
    if (function.hasFnAttribute("no_caller_saved_registers"))
      function.addFnAttr("target-features",
                         machine.getTargetFeatureString().str() + ",-vzeroupper");
  }
  optimise(module, machine, quickly);
  machine.setOptLevel(quickly ? Level::Less : Level::Default);
  if (LLVM_VERSION_MAJOR < 20 && machine.getTargetCPU() == processor_of(Vectors::avx512).name)
    keep_mask_casts_apart(module);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  CodePasses passes(module);
  if (machine.addPassesToEmitFile(passes, stream, nullptr, object_file))
    return "the compiler cannot write an object file";
  passes.run(module);
  return Linker().run(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "kernel"), code,
      entries);
}

}  // namespace cuvette::ptx
