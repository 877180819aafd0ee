// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/missing_edge.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/cuvette/course/lanes_picture.hpp"
#include "tools/cuvette/explore_model.hpp"

namespace cuvette::tools {
namespace {

std::string print(const Order::Name& name) {
  return std::to_string(name.lane) + "." + std::to_string(name.number);
}

std::string stream_of(const std::string& name) {
  return "stream " + name.substr(0, name.find('.'));
}

// "main (/src/app.cu:7)" -> "app.cu:7"; without a line it stays as it is.
std::string short_place(const std::string& place) {
  const size_t open = place.rfind('('), colon = place.rfind(':');
  if (open == std::string::npos || colon == std::string::npos || colon < open ||
      place.back() != ')')
    return place;
  const std::string file = place.substr(open + 1, place.size() - open - 2);
  return file.substr(file.rfind('/') + 1);
}

// "1.1 (fill, app.cu:7)"
std::string described(const Order::Row& row) {
  std::string text = row.name + " (" + short_kind(row.kind);
  if (!row.call_site.empty() && row.call_site != "?") text += ", " + short_place(row.call_site);
  return text + ")";
}

}  // namespace

std::optional<MissingEdge> missing_edge(const Order& eager,
                                        const std::vector<Order::Row>& failing) {
  std::map<std::string, const Order::Row*> rows;
  std::vector<Order::Name> began;
  for (const Order::Row& row : failing) {
    rows[row.name] = &row;
    Order::Name name;
    if (row.began &&
        sscanf(row.name.c_str(), "%u.%lu.%u", &name.lane, &name.number, &name.step) >= 2)
      began.push_back(name);
  }
  const Model model(eager);
  const auto pairs = model.pairs();
  const Model::Answers answers = model.answers(began);
  const MissingEdge* best = nullptr;
  MissingEdge found;
  // The pair whose first is held back is the one that makes the program fail.
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto first = rows.find(print(pairs[i].first)), second = rows.find(print(pairs[i].second));
    if (answers[i] != '2' || first == rows.end() || second == rows.end()) continue;
    if (best && (best->first.held || !first->second->held)) continue;
    found = {*first->second, *second->second, false};
    best = &found;
  }
  if (best) return found;
  for (const Order::Row& row : failing)
    if (row.held && std::count(row.name.begin(), row.name.end(), '.') == 1)
      return MissingEdge{row, {}, true};
  return std::nullopt;
}

std::string sentence_of(const MissingEdge& edge) {
  const std::string stream = stream_of(edge.first.name);
  if (edge.by_host)
    return "The missing edge: the program does not wait for " + described(edge.first) +
           " before it goes on.\nTo add it: cudaStreamSynchronize of " + stream +
           ", or an event after " + edge.first.name +
           " and cudaEventSynchronize, before the host uses what it leaves.";
  return "The missing edge: " + described(edge.second) + " does not wait for " +
         described(edge.first) + ".\nTo add it: cudaEventRecord in " + stream + " after " +
         edge.first.name + " and cudaStreamWaitEvent in " + stream_of(edge.second.name) +
         " before " + edge.second.name + "; or put both into one stream.";
}

}  // namespace cuvette::tools
