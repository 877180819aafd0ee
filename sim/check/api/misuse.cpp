// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/misuse.hpp"

#include <string>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/report_text.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::check {
namespace {

using namespace device::misuse;
using device::Misuse;

constexpr const char must_not[] = "Graphics must not access a resource while CUDA has it mapped.";

// Returns " as vertex attribute 0 and vertex attribute 1" and the like; empty if nothing is known.
std::string as_in_words(const std::vector<std::string>& as) {
  std::string text;
  for (size_t i = 0; i < as.size(); ++i) {
    text += i == 0 ? " as " : i + 1 == as.size() ? " and " : ", ";
    text += as[i];
  }
  return text;
}

// Returns the end of a sentence about the first of these objects.
std::string and_the_others(const std::vector<Touched>& objects) {
  std::string text;
  for (size_t i = 1; i < objects.size(); ++i)
    text += ", and so is " + objects[i].lender->describe() + as_in_words(objects[i].as);
  return text + ". ";
}

// Returns what a registration is for.
std::string about_registrations(const std::string& object) {
  return "A registration is for the storage that the " + object + " had then: unregister the " +
         object + " before its storage is replaced or it is deleted, and register it again.";
}

// Returns what is done with the object instead.
const char* consequence(TextureHandle::State state) {
  switch (state) {
    case TextureHandle::State::null:
    case TextureHandle::State::unbound:
      return "zeros are read, and nothing is written";
    case TextureHandle::State::destroyed_after:
      return "it is kept until the kernel has completed";
    case TextureHandle::State::destroyed_before:
      return "it is still used as long as no other object has taken its place";
    case TextureHandle::State::of_unmapped_image:
      return "the content of its array is used";
    case TextureHandle::State::without_array:
      break;
  }
  return "the memory that is there now is used";
}

// Returns "" where the advice of the table fits.
const char* advice_of(TextureHandle::State state) {
  switch (state) {
    case TextureHandle::State::null:
      return "Look where the handle comes from: create the object with cuTexObjectCreate or "
             "cuSurfObjectCreate, check the result, and pass what it returned to the kernel.";
    case TextureHandle::State::unbound:
      return "Bind the reference to an array or to memory before the launch: cuTexRefSetArray, "
             "cuTexRefSetAddress or cuSurfRefSetArray.";
    case TextureHandle::State::of_unmapped_image:
      return "Launch the kernel between cuGraphicsMapResources and cuGraphicsUnmapResources, and "
             "make the object anew from the array that each mapping gives.";
    case TextureHandle::State::without_array:
      return "Destroy the array (cuArrayDestroy, cuMemFree) after the last kernel that uses an "
             "object made of it has completed, and the object before the array.";
    case TextureHandle::State::destroyed_after:
    case TextureHandle::State::destroyed_before:
      break;
  }
  return "";
}

// Returns the beginning of a format with its lines as they are written in C.
std::string on_a_line(const std::string& format) {
  constexpr size_t most = 120;
  std::string line;
  for (const char each : format.substr(0, most)) {
    if (each == '\n')
      line += "\\n";
    else if (each == '\t')
      line += "\\t";
    else
      line += static_cast<unsigned char>(each) < ' ' ? '?' : each;
  }
  return format.size() > most ? line + "..." : line;
}

// Makes the report of each kind of misuse. `resource`: the description of what was lent.
class Words {
 public:
  explicit Words(const Misuse& misuse)
      : place_(misuse.place), resource_(misuse.lender ? misuse.lender->describe() : "") {}

  Report operator()(const UsedWhileMapped& use) const {
    return {ReportId::graphics_used_while_mapped,
            resource_ + " is used by " + use.function + as_in_words(use.objects.front().as) +
                " while CUDA has it mapped" + and_the_others(use.objects) + must_not,
            {}};
  }

  Report operator()(const ReplacedByCall& call) const {
    const bool mapped = call.objects.front().mapped;
    return {ReportId::graphics_storage_changed,
            resource_ + (call.deleted ? " is deleted by " : " is given other storage by ") +
                call.function + (mapped ? " while CUDA has it mapped" : " while it is registered") +
                and_the_others(call.objects) + about_registrations("object"),
            {}};
  }

  Report operator()(const MappedTwice&) const {
    return {ReportId::graphics_used_while_mapped,
            resource_ +
                " is mapped by glMapBuffer while it is mapped for CUDA. Graphics must not access a "
                "resource while CUDA has it mapped; only a persistent mapping may stay.",
            {},
            "Call glMapBuffer before cuGraphicsMapResources and glUnmapBuffer before it, too, or "
            "after cuGraphicsUnmapResources; or map the buffer with GL_MAP_PERSISTENT_BIT."};
  }

  Report operator()(const UnmappedUnderneath&) const {
    return {ReportId::graphics_used_while_mapped,
            resource_ +
                " was unmapped by glUnmapBuffer, or was given new storage, while CUDA had it "
                "mapped. " +
                must_not,
            {},
            "Call cuGraphicsUnmapResources before glUnmapBuffer, glBufferData and the like."};
  }

  Report operator()(const StorageChanged& changed) const {
    return {ReportId::graphics_storage_changed,
            resource_ + " " + changed.how + " " + about_registrations(changed.object),
            {}};
  }

  Report operator()(const UsedAfterUnmap& use) const {
    return {ReportId::graphics_used_after_unmap,
            resource_ + " is used by " + (use.by_array ? "an array" : "a pointer") +
                " that was valid until it was unmapped. Once unmapped, a resource may not be "
                "accessed by CUDA until it is mapped again.",
            {}};
  }

  Report operator()(const WrittenReadOnly&) const {
    return {ReportId::graphics_written,
            resource_ +
                " is written to, and it is mapped with CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY: "
                "CUDA will not write to it.",
            {}};
  }

  Report operator()(const UnmappedInUse&) const {
    return {ReportId::graphics_unordered,
            resource_ +
                " is unmapped while work of another stream still uses it. Unmapping only waits for "
                "work of the stream that it is given; order the work of other streams before it, "
                "for example with an event.",
            {}};
  }

  Report operator()(const FrameKept&) const {
    return {
        ReportId::graphics_frame_kept,
        resource_ +
            " cannot be copied back: call what waits for CUDA's work while its OpenGL context is "
            "current.",
        {}};
  }

  Report operator()(const LeftOver& left) const {
    if (left.mapped)
      return {ReportId::graphics_not_unmapped,
              resource_ + " is never unmapped: graphics can no longer use it.",
              {}};
    return {ReportId::graphics_not_unregistered,
            resource_ +
                " is never unregistered: the resources that CUDA keeps for it are leaked until the "
                "process ends.",
            {}};
  }

  Report operator()(const TextureHandle& object) const {
    Report report{ReportId::texture_handle,
                  "The kernel " + object.kernel +
                      (object.is_surface ? " uses the surface " : " reads the texture ") +
                      hexadecimal(object.handle) + ", " + words_of(object.state) + ": " +
                      consequence(object.state) + ".",
                  {},
                  advice_of(object.state)};
    report.facts.push_back({"kernel", object.kernel});
    report.facts.push_back({"number", object.number});
    report.facts.push_back({"stream", stream_as_fact(*object.stream)});
    report.facts.push_back({"launched at", callsite::describe_call(place_)});
    return report;
  }

  Report operator()(const PrintFormat& print) const {
    Report report{ReportId::printf_format,
                  "The kernel " + print.kernel +
                      " calls printf in a way that a GPU may print differently: " + print.why + ".",
                  {}};
    report.facts.push_back({"format", on_a_line(print.format)});
    report.facts.push_back({"kernel", print.kernel});
    report.facts.push_back({"number", print.number});
    report.facts.push_back({"stream", stream_as_fact(*print.stream)});
    report.facts.push_back({"launched at", callsite::describe_call(place_)});
    return report;
  }

  Report operator()(const GraphMemoryNotThere& use) const {
    Report report{ReportId::illegal_address,
                  "A copy, a fill or an operation on a value is given memory of a graph at " +
                      hexadecimal(use.address) + ", " + why_absent(use.was_there) +
                      ". The call is refused.",
                  {},
                  advice_about_absent()};
    report.facts.push_back({"address", hexadecimal(use.address)});
    report.facts.push_back({"called at", callsite::describe_call(place_)});
    check::add_facts(report.facts, *use.memory, use.address);
    add_free(report.facts, use.freed_at);
    return report;
  }
  Report operator()(const PrintOverflow& print) const {
    Report report{ReportId::printf_overflow,
                  "The kernel " + print.kernel +
                      " prints more than the buffer of printf holds: the text of " +
                      std::to_string(print.calls) + (print.calls == 1 ? " call" : " calls") +
                      ", the oldest, is lost (" + std::to_string(print.bytes) + " bytes).",
                  {}};
    report.facts.push_back({"lost calls", print.calls});
    report.facts.push_back({"lost bytes", print.bytes});
    report.facts.push_back({"limit", print.limit});
    report.facts.push_back({"kernel", print.kernel});
    report.facts.push_back({"number", print.number});
    report.facts.push_back({"stream", "stream " + std::to_string(print.stream)});
    report.facts.push_back({"launched at", callsite::describe_call(place_)});
    return report;
  }

  Report operator()(const HostThreadEnded&) const {
    Report report{ReportId::host_thread_ended,
                  "A host function ended the thread that called it, by pthread_exit or a "
                  "cancellation, instead of returning; it counts as done, and a new thread calls "
                  "the others.",
                  {}};
    report.facts.push_back({"asked for at", callsite::describe_call(place_)});
    return report;
  }

 private:
  const void* const place_;
  const std::string resource_;
};

void add_facts(std::vector<Fact>& facts, const memory::Lender& lender, const void* place) {
  facts.push_back({"resource", lender.describe()});
  facts.push_back({"registered at", callsite::describe_call(lender.registered_at)});
  if (const void* mapped_at = lender.mapped_at.load(std::memory_order_relaxed))
    facts.push_back({"mapped at", callsite::describe_call(mapped_at)});
  // At the end of the process no call has found it.
  if (place != lender.registered_at) facts.push_back({"found at", callsite::describe_call(place)});
}

}  // namespace

void MisuseObserver::misused(const Misuse& misuse) {
  Report report = std::visit(Words(misuse), misuse.what);
  if (misuse.lender) add_facts(report.facts, *misuse.lender, misuse.place);
  if (reporter().admit(report.id, misuse.place)) reporter().write(report);
}

void report_leftovers() {
  for (const auto& resource : interop::GraphicsResource::registered(0))
    resource->notify_left(resource->lender().registered_at);
}

}  // namespace cuvette::check
