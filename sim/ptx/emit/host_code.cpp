// SPDX-License-Identifier: Apache-2.0
// The implementation for sim/callsite/host_code.hpp: it is here because LLVM is.
//
// Threads: any; one lock around all of it.
#include "sim/callsite/host_code.hpp"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "sim/ptx/emit/target.hpp"

namespace cuvette::ptx {
namespace {

std::mutex mutex;

// --- Debug information ---------------------------------------------------------------------------

struct DebugFile {
  llvm::object::OwningBinary<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> information;  // null: there is none
};

llvm::DWARFContext* information_of(const char* file) {
  static auto* const files = new std::map<std::string, DebugFile>;
  const auto [found, fresh] = files->try_emplace(file);
  DebugFile& entry = found->second;
  if (!fresh) return entry.information.get();
  auto object = llvm::object::ObjectFile::createObjectFile(file);
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  entry.object = std::move(*object);
  // Damaged information is as good as none.
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  entry.information = llvm::DWARFContext::create(
      *entry.object.getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
      ignore, ignore);
  return entry.information.get();
}

llvm::object::SectionedAddress sectioned(uint64_t address) {
  return {address, llvm::object::SectionedAddress::UndefSection};
}

void source_frames(const callsite::FileAddress& at, std::vector<callsite::SourceFrame>& frames) {
  llvm::DWARFContext* const information = information_of(at.file);
  if (!information) return;
  using Kind = llvm::DILineInfoSpecifier;
  const auto lines = information->getInliningInfoForAddress(
      sectioned(at.address),
      {Kind::FileLineInfoKind::AbsoluteFilePath, Kind::FunctionNameKind::ShortName});
  for (uint32_t i = 0; i < lines.getNumberOfFrames(); ++i) {
    const llvm::DILineInfo& line = lines.getFrame(i);
    if (line.Line == 0 || line.FileName == llvm::DILineInfo::BadString) return frames.clear();
    // -gline-tables-only names no function, unless another is inlined into it.
    const bool is_named = line.FunctionName != llvm::DILineInfo::BadString;
    frames.push_back({is_named ? line.FunctionName : "", line.FileName, line.Line});
  }
}

// Whether the function at an address is known to return nothing.
bool returns_nothing(const callsite::FileAddress& at) {
  llvm::DWARFContext* const information = information_of(at.file);
  if (!information) return false;
  const auto dies = information->getDIEsForAddress(at.address);
  // A constructor or another function that is described elsewhere has its type there, too.
  return dies.FunctionDIE && dies.FunctionDIE.isSubprogramDIE() &&
         !dies.FunctionDIE.findRecursively({llvm::dwarf::DW_AT_type});
}

// --- Machine code --------------------------------------------------------------------------------

// LLVM's parts that know x86-64; null members: it was built without.
struct Decoder {
  std::unique_ptr<const llvm::MCRegisterInfo> registers;
  std::unique_ptr<const llvm::MCAsmInfo> syntax;
  std::unique_ptr<const llvm::MCInstrInfo> instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<const llvm::MCDisassembler> disassembler;
  std::unique_ptr<const llvm::MCInstrAnalysis> analysis;
  unsigned result = 0;       // the register that holds results: RAX
  unsigned result_half = 0;  // EAX, which a write to clears the rest of RAX

  Decoder() {
    set_up_target();
    const llvm::Triple triple("x86_64-unknown-linux-gnu");
    std::string failure;
    const llvm::Target* const target =
        llvm::TargetRegistry::lookupTarget(triple.getTriple(), failure);
    if (!target) return;
    const llvm::MCTargetOptions options;
    registers.reset(target->createMCRegInfo(triple.getTriple()));
    syntax.reset(target->createMCAsmInfo(*registers, triple.getTriple(), options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple.getTriple(), "", ""));
    context =
        std::make_unique<llvm::MCContext>(triple, syntax.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    analysis.reset(target->createMCInstrAnalysis(instructions.get()));
    for (unsigned number = 1; number < registers->getNumRegs(); ++number) {
      const llvm::StringRef name = registers->getName(number);
      if (name == "RAX") result = number;
      if (name == "EAX") result_half = number;
    }
  }
};

// Follows the code after a call on all paths until the result is read, or can no longer be.
class ResultReader {
 public:
  ResultReader(const Decoder& decoder, const callsite::CallResult& call)
      : decoder_(decoder), call_(call) {}

  // Whether no way reads it. In doubt it is read.
  bool never_reads() {
    ways_.push_back(call_.at);
    while (!ways_.empty()) {
      const uint64_t at = ways_.back();
      ways_.pop_back();
      if (may_read_from(at)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t most_instructions = 256;

  bool is_result(unsigned number) const {
    return number != 0 && decoder_.registers->regsOverlap(number, decoder_.result);
  }

  bool reads(const llvm::MCInst& one, const llvm::MCInstrDesc& facts) const {
    for (unsigned i = facts.getNumDefs(); i < one.getNumOperands(); ++i)
      if (one.getOperand(i).isReg() && is_result(one.getOperand(i).getReg())) return true;
    for (const auto number : facts.implicit_uses())
      if (is_result(number)) return true;
    return false;
  }

  // A register combined with itself is a way to write 0.
  bool clears(const llvm::MCInst& one) const {
    const llvm::StringRef name = decoder_.instructions->getName(one.getOpcode());
    return (name == "XOR32rr" || name == "XOR64rr" || name == "SUB32rr") &&
           one.getNumOperands() == 3 && one.getOperand(0).getReg() == one.getOperand(1).getReg() &&
           one.getOperand(1).getReg() == one.getOperand(2).getReg() &&
           is_result(one.getOperand(0).getReg());
  }

  bool overwrites(const llvm::MCInst& one, const llvm::MCInstrDesc& facts) const {
    const auto whole = [&](unsigned number) {
      return number == decoder_.result || number == decoder_.result_half;
    };
    for (unsigned i = 0; i < facts.getNumDefs() && i < one.getNumOperands(); ++i)
      if (one.getOperand(i).isReg() && whole(one.getOperand(i).getReg())) return true;
    for (const auto number : facts.implicit_defs())
      if (whole(number)) return true;
    return false;
  }

  // Follows one way; adds others where it branches.
  bool may_read_from(uint64_t at) {
    while (seen_.insert(at).second) {
      if (seen_.size() > most_instructions || at >= call_.code.size()) return true;
      llvm::MCInst one;
      uint64_t size = 0;
      const auto status = decoder_.disassembler->getInstruction(
          one, size, llvm::ArrayRef(call_.code.data() + at, call_.code.size() - at), at,
          llvm::nulls());
      if (status != llvm::MCDisassembler::Success) return true;
      const llvm::MCInstrDesc& facts = decoder_.instructions->get(one.getOpcode());
      if (clears(one)) return false;
      if (reads(one, facts)) return true;
      // The called function may return anything there, and takes no argument there.
      if (facts.isCall()) return false;
      if (facts.isReturn())
        return !returns_nothing({call_.place.file, call_.place.address + at - call_.at});
      if (overwrites(one, facts)) return false;
      uint64_t target = 0;
      if (facts.isBranch()) {
        if (!decoder_.analysis->evaluateBranch(one, at, size, target)) return true;
        if (facts.isUnconditionalBranch()) {
          at = target;
          continue;
        }
        ways_.push_back(target);
      } else if (facts.isTerminator()) {
        return true;
      }
      at += size;
    }
    return false;
  }

  const Decoder& decoder_;
  const callsite::CallResult& call_;
  std::vector<uint64_t> ways_;
  std::set<uint64_t> seen_;
};

bool throws_result_away(const callsite::CallResult& call) {
  static const auto* const decoder = new Decoder;
  if (!decoder->disassembler || !decoder->analysis || !decoder->result) return false;
  return ResultReader(*decoder, call).never_reads();
}

}  // namespace
}  // namespace cuvette::ptx

extern "C" __attribute__((visibility("default"))) void cuvette_jit_source_frames(
    const cuvette::callsite::FileAddress& at, std::vector<cuvette::callsite::SourceFrame>& frames) {
  const std::lock_guard lock(cuvette::ptx::mutex);
  cuvette::ptx::source_frames(at, frames);
}

extern "C" __attribute__((visibility("default"))) bool cuvette_jit_throws_result_away(
    const cuvette::callsite::CallResult& call) {
  const std::lock_guard lock(cuvette::ptx::mutex);
  return cuvette::ptx::throws_result_away(call);
}
