// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/process_model.hpp"

#include <algorithm>

namespace cuvette::tools {

void ProcessModel::add_words(PricedCall& call) {
  if (graphics_) call.words.insert("graphics");
  add_memory_words(call);
  add_stream_words(call);
  add_graph_words(call);
  add_resource_words(call);
}

std::string first_as(const std::string& function) {
  return function == "cuMemAllocFromPoolAsync" ? "cuMemAllocAsync" : function;
}

void ProcessModel::add_memory_words(PricedCall& call) {
  const std::string& name = call.function;
  const bool is_of_block = name == "cuMemAlloc"       ? blocks_.allocate(call.bytes)
                           : name == "cuMemAllocHost" ? host_blocks_.allocate(call.bytes)
                           : name == "cuMemFree" && !call.words.contains("imported")
                               ? blocks_.free(call.bytes)
                           : name == "cuMemFreeHost" ? host_blocks_.free(call.bytes)
                                                     : false;
  if (is_of_block) call.words.insert("from-block");
  if ((name == "cuMemAllocAsync" || name == "cuMemAllocFromPoolAsync") &&
      !pool.allocate(call.bytes))
    call.words.insert("first");
  if (name == "cuMemFreeAsync") pool.free(call.bytes);
  if (name == "cuMemPoolSetAttribute") pool.keep();
}

// A stream that is one more than there were at any time before: for some of these the driver
// fetches a channel.
void ProcessModel::add_stream_words(PricedCall& call) {
  if (call.function == "cuStreamDestroy") streams_ -= std::min(streams_, 1u);
  if (call.function != "cuStreamCreate" || ++streams_ <= most_streams_) return;
  most_streams_ = streams_;
  if (streams_ == 1) return;
  call.words.insert("new");
  call.count = streams_;
}

// A graph that was not uploaded is uploaded by its first launch. Which graph is launched is told by
// the number of its nodes.
void ProcessModel::add_graph_words(PricedCall& call) {
  if (call.function == "cuGraphInstantiate") unused_.insert(call.count);
  if (call.function != "cuGraphUpload" && call.function != "cuGraphLaunch") return;
  const auto found = unused_.find(call.count);
  if (found == unused_.end()) return;
  unused_.erase(found);
  if (call.function == "cuGraphLaunch") call.words.insert("not-uploaded");
}

void ProcessModel::add_resource_words(PricedCall& call) {
  const std::string& name = call.function;
  if (name == "cuGraphicsGLRegisterBuffer" && registered_++ > 0) call.words.insert("beside");
  if (name == "cuGraphicsGLRegisterImage") ++registered_;
  if (name == "cuGraphicsUnregisterResource" && --registered_ > 0) call.words.insert("beside");
}

}  // namespace cuvette::tools
