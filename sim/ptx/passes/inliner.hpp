// SPDX-License-Identifier: Apache-2.0
// The work of inline_calls(): one body out of a kernel's, or a separate function's, and the bodies
// of everything that it calls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/passes/call_targets.hpp"
#include "sim/ptx/passes/once.hpp"
#include "sim/ptx/passes/recursion.hpp"
#include "sim/ptx/syntax/body_builder.hpp"
#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

using Formals = std::map<std::string_view, uint32_t>;  // to a variable of the body

// The facts that a kernel's bodies share.
struct CallProgram {
  CallProgram(const Module& module, Diagnostic& diagnostic)
      : module(module), targets(module), diagnostic(diagnostic) {}

  bool fail(const Instruction& at, std::string sentence);
  const Body* body_of(const Function& function);
  // Adds what the body calls, once for each call.
  bool find_callees(const Body& source, std::vector<const Function*>& callees);
  // Adds what the function calls, and what that calls.
  bool find_calls(const Function& function, const Body& source, CallGraph& graph);

  const Module& module;
  CallTargets targets;
  Diagnostic& diagnostic;
  std::map<const Function*, Body> bodies;  // as they are read
  std::map<const Function*, uint32_t> components;
  uint32_t frame_alignment = Activation::least_alignment;  // of the components' frames
  std::set<const Function*> separate;
  std::vector<const Function*> called;         // of these, in the order of their first calls
  std::map<const Function*, Formals> formals;  // of these
  // The functions that are in each body once (once.hpp), and whether components are.
  PlacedOnce once;
  bool components_once = false;
  // No two calls of a function run at the same time: they share what they keep in memory.
  std::map<std::pair<const Function*, uint32_t>, uint32_t> shared;
};

class Inliner : BodyBuilder {
 public:
  Inliner(CallProgram& program, Body& body) : BodyBuilder(body), program_(program) {}

  // The body of a kernel, or of several that are compiled together (together.hpp).
  bool run(const std::vector<const Function*>& kernels);
  // The body of a separate function.
  bool run(const Function& separate);

 private:
  // The copies of a function's parts in the body.
  struct InlinedParts {
    uint32_t registers, labels;
    std::vector<uint32_t> variables;
    const Formals* formals;
    std::vector<std::shared_ptr<const std::string>> tables;
  };
  // A function of the component that is being put in place.
  struct Member {
    uint32_t number, entry;  // of its component; the label where it begins
    const Function* function;
    const Body* body;
    Activation activation;
  };
  struct Component {
    uint32_t number;
    std::map<const Function*, std::unique_ptr<Member>> members;
    std::vector<Member*> pending;
    std::vector<uint32_t> returns;  // labels; an activation's frame holds the number of one
    std::shared_ptr<const std::string> table;
    // Where it is in the kernel once: the label of the one place where its functions return,
    // and of those where calls by address choose one, by what may be meant. The address is in a
    // register then.
    uint32_t leave = 0;
    std::map<std::vector<const Function*>, uint32_t> choices;
    std::optional<uint32_t> chosen;
  };
  // A function's only place.
  struct Once {
    Formals formals;
    uint32_t entry, return_to;      // its label; the register with the number of a return
    std::vector<uint32_t> returns;  // labels
    std::shared_ptr<const std::string> table;
  };
  // Where a call is in the body of a member of a component; no member: in another function.
  struct Site {
    const Member* member;
    uint32_t instruction, registers;
  };

  bool fail(const Instruction& at, std::string sentence) {
    return program_.fail(at, std::move(sentence));
  }
  std::shared_ptr<const std::string> make_name(std::string name);

  // Puts the function on top of active_, unless too many are there already.
  bool nest(const Instruction& at, const Function& function);
  // Appends the function on top of active_. `behind`: the label that its `ret`s lead to; nothing
  // for the kernel itself and for a member of a component, which returns by its frame.
  bool append(const Body& source, const Formals& formals, std::optional<uint32_t> behind,
              const Member* member = nullptr);
  InlinedParts make_place(const Body& source, const Formals& formals, const Member* member);
  void move(Operand& operand, const Body& source, const InlinedParts& place);

  bool emit_call(const Instruction& instruction, const Body& source, const Site& site);
  bool call_by_address(const Instruction& at, const Call& call, const Body& source,
                       const Site& site);
  // In the way that the function asks for; the label follows it.
  bool reach(const Instruction& at, const Function& callee, const Call& call, uint32_t behind,
             const Site& site);
  // Between a variable of the body or a register and a place in the thread's memory, which
  // instructions name in `space`: .local, or .param for what may become a register.
  bool copy(const Instruction& at, const Variable& formal, const Operand& actual,
            const Operand& place, bool to_place, Modifier space);
  // All of what a call passes, or gives back. Returns false if the call names something else.
  bool pass(const Instruction& at, const std::vector<Variable>& formals,
            const std::vector<Operand>& actuals,
            const std::function<Operand(const Variable&)>& place_of, bool to_place,
            Modifier space = dot::local);
  bool call_separate(const Instruction& at, const Function& callee, const Call& call,
                     uint32_t behind);
  // Its variables, which it has from its first call on.
  const Formals& formals_of(const Function& separate);
  // Kernels in sequence, and a jump to the one that is meant.
  bool put_together(const std::vector<const Function*>& kernels);
  // The function, and the label after it.
  bool put_in_place(const Instruction& at, const Function& function, const Call& call,
                    uint32_t behind);
  // By a jump, to the function's only place in this body, which the first call makes.
  bool call_placed_once(const Instruction& at, const Function& function, const Call& call,
                        uint32_t behind);
  // After everything else: the tables that returns of such functions and of components jump by, and
  // the code that a component has once.
  void finish_returns();

  // --- Functions that come back to themselves (recursion.hpp): inline_recursion.cpp ---

  // Marks registers of the body among the registers of a function, which are still to be moved.
  static constexpr uint32_t in_frame = 1u << 30;

  Operand stack_place(uint32_t offset) const { return memory_operand(*stack_, offset); }
  void move_stack(const Instruction& at, uint32_t by);
  // Formals and variables that lie in the frame become addresses there.
  bool reach_frame(Instruction& instruction, const Member& member);
  Member* member_of(const Function& function);
  // Fills a frame at `base` bytes above the stack's pointer, or fetches what it gives back.
  bool pass_by_frame(const Instruction& at, const Member& member, const Call& call, uint32_t base,
                     bool results);
  // Saves a register to its place on the stack, or fetches it from there.
  void keep(const Instruction& at, uint32_t index, const Operand& place, bool save);
  // A call from member to member: values that are needed after it are kept during it.
  bool jump(const Instruction& at, const Function& callee, const Call& call, uint32_t behind,
            const Site& site);
  // The same, with a frame as `target` has it, to `entry`. `chosen`: the address that decides
  // there.
  bool jump(const Instruction& at, const Member& target, uint32_t entry, const Operand* chosen,
            const Call& call, uint32_t behind, const Site& site);
  // Of the functions that a call by address may mean, the first ones of a component that stands
  // there once, as many as take and give the same in the same places; they are taken out.
  std::vector<const Function*> take_alike(std::vector<const Function*>& may_be) const;
  // To one of several members, at the label where `chosen` decides.
  uint32_t choice_of(const std::vector<const Function*>& callees);
  bool reach_one_of(const Instruction& at, const std::vector<const Function*>& callees,
                    const Call& call, uint32_t behind, const Site& site);
  void return_by_frame(const Instruction& at);
  // To the label with the number that is in the frame.
  void jump_by_frame(const Instruction& at, const Component& component);
  // The code that a component which is there once has once.
  void finish_component(const Instruction& at, const Component& component);
  // Whether the function is in this body once for such a call.
  bool stands_once(const Function& callee) const;
  // A call from outside: all functions of the component that it comes to. It calls one of
  // `callees`, by address if they are several.
  bool put_component(const Instruction& at, const std::vector<const Function*>& callees,
                     uint32_t number_of, const Call& call, uint32_t behind);

  CallProgram& program_;
  std::vector<const Function*> active_;
  std::map<const Function*, Once> once_;
  std::map<uint32_t, Component> components_;  // by number, where each stands once

  Component* open_ = nullptr;      // the component that is being put in place
  const Member* frame_ = nullptr;  // it has the stack's last frame
  std::optional<uint32_t> stack_;  // the register that points to the last frame
  uint32_t stack_variable_ = 0;    // 1 + its number
};

}  // namespace cuvette::ptx
