// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/order.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

namespace cuvette::tools {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) found.push_back(field);
  return found;
}

bool parse_name(const std::string& text, Order::Name& name) {
  const auto one = exec::Decisions::parse(text);
  if (!one || one->held.size() != 1) return false;
  name = {one->held[0].lane, one->held[0].first, one->held[0].step};
  return true;
}

uint32_t number(const std::string& text) {
  return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

}  // namespace

Order Order::parse(const std::string& text) {
  Order order;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> field = fields(line);
    Name name;
    if (field.size() == 5 && field[0] == "queued" && parse_name(field[1], name)) {
      order.queued.push_back({name, field[2], field[3], field[4]});
    } else if (field.size() == 7 && field[0] == "queued" && parse_name(field[1], name)) {
      order.queued.push_back(
          {name, field[2], field[3], field[4], number(field[5]), number(field[6])});
    } else if (field.size() == 2 && field[0] == "began" && parse_name(field[1], name)) {
      order.began.push_back(name);
    } else if (field.size() == 2 && (field[0] == "held" || field[0] == "yes")) {
      const auto decision = exec::Decisions::parse((field[0] == "yes" ? "?" : "") + field[1]);
      if (!decision) continue;
      auto& all = order.decisions;
      all.held.insert(all.held.end(), decision->held.begin(), decision->held.end());
      all.yes.insert(all.yes.end(), decision->yes.begin(), decision->yes.end());
    }
  }
  return order;
}

const Order::Queued* Order::find(const Name& name) const {
  const auto found = std::find_if(queued.begin(), queued.end(),
                                  [&](const Queued& one) { return one.name == name; });
  return found == queued.end() ? nullptr : &*found;
}

std::map<uint32_t, uint64_t> Order::lanes() const {
  std::map<uint32_t, uint64_t> lanes;
  for (const Queued& one : queued)
    lanes[one.name.lane] = std::max(lanes[one.name.lane], one.name.number);
  return lanes;
}

std::map<std::pair<uint32_t, uint32_t>, uint64_t> Order::branches() const {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> branches;
  for (const Queued& one : queued) {
    if (one.branch == 0) continue;
    uint64_t& most = branches[{one.name.lane, one.branch}];
    most = std::max<uint64_t>(most, one.place);
  }
  return branches;
}

std::string Order::table(const exec::Decisions& held, size_t most) const {
  std::vector<Name> rows = began;
  std::set<Name> seen(began.begin(), began.end());
  for (const Queued& one : queued)
    if (seen.insert(one.name).second) rows.push_back(one.name);
  const auto is_held = [&](const Name& name) {
    return std::any_of(held.held.begin(), held.held.end(), [&](const exec::Decision& one) {
      return one.lane == name.lane && one.first <= name.number && name.number <= one.last &&
             one.step <= name.step && name.step <= one.last_step;
    });
  };
  // Work that is held back should have run earlier, so the table shows all lines up to there.
  size_t last = rows.size();
  while (last > 0 && !is_held(rows[last - 1])) --last;
  const size_t end = std::min(rows.size(), last + most / 4);
  const size_t begin = end > most ? end - most : 0;
  std::string text;
  char line[400];
  snprintf(line, sizeof line, "  %4s  %-9s  %-22s  %-14s  %s\n", "", "command", "what", "stream",
           "called at");
  text += line;
  if (begin > 0) text += "   ...\n";
  for (size_t i = begin; i < end; ++i) {
    const Queued* const one = find(rows[i]);
    std::string name = std::to_string(rows[i].lane) + "." + std::to_string(rows[i].number);
    if (rows[i].step != 0) name += "." + std::to_string(rows[i].step);
    const std::string place = i < began.size() ? std::to_string(i + 1) : "never";
    snprintf(line, sizeof line, "  %4s %c%-9s  %-22s  %-14s  %s\n", place.c_str(),
             is_held(rows[i]) ? '>' : ' ', name.c_str(), one ? one->kind.c_str() : "?",
             one ? one->stream.c_str() : "?", one ? one->call_site.c_str() : "?");
    text += line;
  }
  if (end < rows.size()) text += "   ...\n";
  return text;
}

}  // namespace cuvette::tools
