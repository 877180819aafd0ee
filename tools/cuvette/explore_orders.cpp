// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_orders.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cuvette::tools {
namespace {

// More orders than that are not run one by one; a sample is.
constexpr size_t most_orders = 128;

}  // namespace

Orders choose_orders(const Model& model, const Order& eager, const PlanLimits& limits) {
  Orders orders;
  orders.schedules = {"lazy"};
  if (model.has_grids()) orders.schedules.insert(orders.schedules.end(), {"turned", "shuffled:1"});
  // The host may look at two places while one of two commands has written and the other has not.
  for (const uint32_t lane : model.seen_lanes())
    orders.schedules.push_back("starve:" + std::to_string(lane));
  const std::vector<std::string> planned = plan(eager.lanes(), eager.branches(), limits);
  const auto is_new = [&](const std::string& schedule) {
    return std::ranges::find(orders.schedules, schedule) == orders.schedules.end();
  };
  orders.complete = model.has_one_order();
  if (orders.complete) {
    std::ranges::copy_if(planned, std::back_inserter(orders.same), is_new);
    return orders;
  }
  if (!model.can_predict()) {
    std::ranges::copy_if(planned, std::back_inserter(orders.schedules), is_new);
    return orders;
  }

  std::set<Model::Answers> seen = {model.answers(eager.began)};
  const auto predict = [&](const std::string& schedule) {
    Model::Answers answers = model.predict(*exec::Schedule::parse(schedule));
    const bool is_first = seen.insert(answers).second;
    orders.predicted[schedule] = std::move(answers);
    return is_first;
  };
  const auto add = [&](const std::string& schedule) {
    if (is_new(schedule)) (predict(schedule) ? orders.schedules : orders.same).push_back(schedule);
  };
  for (const std::string& schedule : orders.schedules) predict(schedule);
  const auto all = model.all_orders(most_orders);
  orders.complete = all.has_value();
  // Families come first, which find most mistakes; chance is for what cannot be counted.
  for (const std::string& schedule : planned) {
    if (!all || (!schedule.starts_with("random:") && !schedule.starts_with("pct:")))
      add(schedule);
    else
      orders.same.push_back(schedule);
  }
  if (all)
    for (const std::string& schedule : *all) add(schedule);
  return orders;
}

}  // namespace cuvette::tools
