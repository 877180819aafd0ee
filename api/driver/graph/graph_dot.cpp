// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph/graph_dot.hpp"

#include <cstdio>

#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/graph/graph_work.hpp"

namespace cuvette::driver {
namespace {

template <typename... Values>
std::string text(const char* format, Values... values) {
  char buffer[256];
  snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

class Dot {
 public:
  explicit Dot(unsigned flags) : flags_(flags) {}

  // A graph inside another is a separate cluster.
  void add(const device::Graph& graph) REQUIRES(device::graph_mutex) {
    const auto id = static_cast<unsigned long long>(graph.id());
    out_ +=
        text("subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", id, id);
    for (const Ref<device::GraphNode>& node : graph.nodes()) {
      out_ +=
          text("\"node_%llu\" [shape=\"%s\" label=\"", static_cast<unsigned long long>(node->id()),
               node->type() == device::NodeType::empty ? "ellipse" : "rectangle") +
          label(*node) + "\"];\n";
      if (node->type() == device::NodeType::child) {
        add(*node->work<device::ChildWork>().graph);
      } else if (node->type() == device::NodeType::conditional) {
        for (const Ref<device::Graph>& body : node->work<device::ConditionalWork>().bodies)
          add(*body);
      }
    }
    for (const Ref<device::GraphNode>& node : graph.nodes())
      for (const device::NodeEdge& edge : node->after())
        out_ +=
            text("\"node_%llu\" -> \"node_%llu\"%s;\n", static_cast<unsigned long long>(node->id()),
                 static_cast<unsigned long long>(edge.node->id()),
                 edge.kind.ordinary() ? ""
                                      : text(" [label=\"port %u to %u, type %u\"]",
                                             edge.kind.from_port, edge.kind.to_port, edge.kind.type)
                                            .c_str());
    out_ += "}\n";
  }

  std::string whole() const { return "digraph dot {\n" + out_ + "}\n"; }

 private:
  bool tells(unsigned flag) const { return flags_ & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE); }

  static std::string semaphores(const device::SemaphoreWork& work) {
    std::string all;
    for (const device::SemaphoreOperation& operation : work.operations)
      all += text("\\nsemaphore 0x%llx, value %llu",
                  static_cast<unsigned long long>(operation.api_name),
                  static_cast<unsigned long long>(operation.value));
    return all;
  }

  std::string label(const device::GraphNode& node) const {
    std::string label =
        text("%llu\\n%s", static_cast<unsigned long long>(node.id()), device::name(node.type()));
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
      label += text("\\nhandle 0x%llx", static_cast<unsigned long long>(node.api_name()));
    switch (node.type()) {
      case device::NodeType::copy:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS)) {
          const auto& work = node.work<device::CopyWork>();
          label += text("\\n%zu x %zu x %zu bytes\\n0x%llx to 0x%llx", work.to.region.width,
                        work.to.region.height, work.to.region.depth,
                        static_cast<unsigned long long>(work.from.region.address),
                        static_cast<unsigned long long>(work.to.region.address));
        }
        break;
      case device::NodeType::fill:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) {
          const auto& work = node.work<device::FillWork>();
          label += text("\\n%zu x %zu elements of %u bytes\\nvalue %u at 0x%llx, pitch %zu",
                        work.width, work.height, work.element, work.value,
                        static_cast<unsigned long long>(work.address), work.pitch);
        }
        break;
      case device::NodeType::host:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS)) {
          const auto& work = node.work<device::HostWork>();
          label += text("\\n%p(%p)", reinterpret_cast<void*>(work.function), work.data);
        }
        break;
      case device::NodeType::event_record:
      case device::NodeType::event_wait:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
          label += text("\\nevent 0x%llx", static_cast<unsigned long long>(
                                               node.work<device::EventWork>().event->api_name()));
        break;
      case device::NodeType::allocate:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
          const auto& memory = *node.work<device::AllocateWork>().memory;
          label += text("\\n%zu bytes at 0x%llx", memory.size(),
                        static_cast<unsigned long long>(memory.address()));
        }
        break;
      case device::NodeType::free:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
          label += text("\\n0x%llx",
                        static_cast<unsigned long long>(node.work<device::FreeWork>().address));
        break;
      case device::NodeType::external_signal:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS))
          label += semaphores(node.work<device::SemaphoreWork>());
        break;
      case device::NodeType::external_wait:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS))
          label += semaphores(node.work<device::SemaphoreWork>());
        break;
      case device::NodeType::conditional:
        if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
          label += text("\\ncondition 0x%llx, %zu bodies",
                        static_cast<unsigned long long>(
                            node.work<device::ConditionalWork>().condition->handle),
                        node.work<device::ConditionalWork>().bodies.size());
        break;
      default:
        break;
    }
    return label;
  }

  const unsigned flags_;
  std::string out_;
};

}  // namespace

Result<std::string> dot_of(const device::Graph& graph, unsigned flags) {
  if (flags > 0xffff)
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CUgraphDebugDot_flags.",
                  flags);
  Dot dot(flags);
  dot.add(graph);
  return dot.whole();
}

}  // namespace cuvette::driver
