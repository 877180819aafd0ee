// SPDX-License-Identifier: Apache-2.0
// EdgeList: writes lists of nodes and edges to the program's arrays, up to their capacity.
#pragma once

#include <vector>

#include "api/driver/graph/graph_handles.hpp"

namespace cuvette::driver {

class EdgeList {
 public:
  void add(device::GraphNode& from, device::GraphNode& to, const device::EdgeKind& kind) {
    edges_.push_back({&from, &to, kind});
  }

  // Without `from`, writes the number of entries to `*count`. Otherwise fills `*count` places,
  // surplus ones with null, and sets it to the number of real entries. `to` and `data` may be
  // null. Errors: invalid_value if there is no room; lossy_query if there are special edges
  // and no `data`.
  Result<> tell(CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count)
      REQUIRES(device::graph_mutex);

 private:
  struct Edge {
    device::GraphNode *from, *to;
    device::EdgeKind kind;
  };
  std::vector<Edge> edges_;
};

}  // namespace cuvette::driver
