// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/order.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

namespace cuvette::tools {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
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

uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

std::string print(const Order::Name& name) {
  std::string text = std::to_string(name.lane) + "." + std::to_string(name.number);
  if (name.step != 0) text += "." + std::to_string(name.step);
  return text;
}

// The column of the table that says what commands are.
constexpr size_t least_width = 22, most_width = 48;

// Names of kernels may be long.
std::string shortened(const std::string& kind) {
  return kind.size() <= most_width ? kind : kind.substr(0, most_width - 3) + "...";
}
std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// Reads one line after the other.
class OrderReader {
 public:
  explicit OrderReader(Order& order) : order_(order) {}

  void read(const std::vector<std::string>& field) {
    if (field.size() < 2) return;
    const std::string& what = field[0];
    Order::Name name;
    if (what == "held" || what == "yes" || what == "no" || what == "grid") return decide(field);
    if (what == "waited" && field[1] == "*" && field.size() == 4) {
      order_.events.push_back(
          {Order::Event::Kind::waited_for_context, {}, number(field[2]), number(field[3])});
    } else if (what == "shared" && field.size() == 5) {
      order_.digests["wait " + field[1]] = {field[2], field[3], field[4]};
    } else if (!parse_name(field[1], name)) {
      return;
    } else if (what == "queued" && field.size() >= 5) {
      queue(name, field);
    } else if (what == "began" && field.size() == 2) {
      order_.began.push_back(name);
    } else if (what == "copied" && field.size() == 4) {
      const auto queued = places_.find({name.lane, name.number, 0});
      order_.digests[field[1]] = {
          field[2], field[3],
          queued == places_.end() ? "?" : order_.queued[queued->second].call_site};
    } else if (what == "waited" && field.size() == 3) {
      order_.events.push_back({Order::Event::Kind::waited, name, 0, number(field[2])});
    } else {
      learn(name, field);
    }
  }

 private:
  void queue(const Order::Name& name, const std::vector<std::string>& field) {
    Order::Queued queued{name, field[2], field[3], field[4]};
    const bool more = field.size() == 7;
    if (name.step != 0) {
      if (!more) return;
      queued.branch = static_cast<uint32_t>(number(field[5]));
      queued.place = static_cast<uint32_t>(number(field[6]));
    } else {
      if (more) {
        queued.context = number(field[5]);
        queued.thread = number(field[6]);
      }
      if (!places_.emplace(name, order_.queued.size()).second) order_.mixed = true;
      order_.events.push_back({Order::Event::Kind::queued, name, queued.context, queued.thread});
    }
    order_.queued.push_back(std::move(queued));
  }

  void decide(const std::vector<std::string>& field) {
    std::string word = field[1];
    if (field[0] == "grid") {
      Order::Name name;
      if (parse_name(word, name)) order_.about[name].is_grid = true;
      if (field.size() != 5) return;
      word = field[4];
    }
    if (field[0] == "yes" || field[0] == "no") {
      order_.events.push_back({Order::Event::Kind::question, {}, 0, 0});
      if (field[0] == "no") return;
      word = "?" + word;
    }
    const auto decision = exec::Decisions::parse(word);
    if (!decision) return;
    auto& all = order_.decisions;
    all.held.insert(all.held.end(), decision->held.begin(), decision->held.end());
    all.yes.insert(all.yes.end(), decision->yes.begin(), decision->yes.end());
    all.kernels.insert(all.kernels.end(), decision->kernels.begin(), decision->kernels.end());
  }

  void learn(const Order::Name& name, const std::vector<std::string>& field) {
    Order::About& about = order_.about[name];
    if (field[0] == "after") {
      for (size_t i = 2; i < field.size(); ++i)
        if (Order::Name other; parse_name(field[i], other)) about.after.push_back(other);
    } else if (field[0] == "touches" && field.size() == 6) {
      about.touches.push_back({field[3], number(field[4]), number(field[5]), field[2] == "write"});
    } else if (field[0] == "opaque") {
      about.opaque = true;
      about.kernels = field.size() == 3;
    } else if (field[0] == "watched" && about.kernels) {
      about.opaque = false;
    } else if (field[0] == "seen") {
      about.seen = true;
    } else if (field[0] == "steps") {
      about.steps_matter = true;
    }
  }

  Order& order_;
  std::map<Order::Name, size_t> places_;  // in order_.queued
};

}  // namespace

Order Order::parse(const std::string& text) {
  Order order;
  OrderReader reader(order);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) reader.read(fields_of(line));
  return order;
}

namespace {

std::string subject(const std::string& name, const Order::Digest& digest) {
  if (name.starts_with("wait "))
    return "memory that the host shares with devices (allocated at " + digest.call_site +
           "), after wait " + name.substr(5, name.find('.') - 5) + " for all work,";
  return "copy " + name + " to the host (called at " + digest.call_site + ")";
}

}  // namespace

std::string Order::with_other_bytes(const std::string& name, const Digest& digest) {
  std::string sentence = subject(name, digest) + " has other bytes.";
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::vector<std::string> Order::differences(const Order& other,
                                            const std::set<std::string>& ignored) const {
  std::vector<std::string> sentences;
  for (const auto& [name, digest] : digests) {
    if (ignored.contains(name)) continue;
    const auto found = other.digests.find(name);
    if (found == other.digests.end()) {
      sentences.push_back("There is no " + subject(name, digest) + ".");
    } else if (found->second != digest) {
      sentences.push_back(with_other_bytes(name, digest));
    }
  }
  for (const auto& [name, digest] : other.digests)
    if (!digests.contains(name) && !ignored.contains(name))
      sentences.push_back("There is another " + subject(name, digest) + ".");
  return sentences;
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

std::vector<Order::Row> Order::rows(const exec::Decisions& held) const {
  std::vector<Name> names = began;
  std::map<Name, size_t> places;  // in `queued`
  std::set<Name> seen(began.begin(), began.end());
  for (size_t i = 0; i < queued.size(); ++i) {
    places.emplace(queued[i].name, i);
    if (seen.insert(queued[i].name).second) names.push_back(queued[i].name);
  }
  const auto is_held = [&](const Name& name) {
    return std::any_of(held.held.begin(), held.held.end(), [&](const exec::Decision& one) {
      return one.lane == name.lane && one.first <= name.number && name.number <= one.last &&
             one.step <= name.step && name.step <= one.last_step;
    });
  };
  const auto is_turned = [&](const Name& name) {
    return std::any_of(
        held.kernels.begin(), held.kernels.end(), [&](const exec::KernelDecision& one) {
          return one.lane == name.lane && one.first <= name.number && name.number <= one.last;
        });
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto place = places.find(names[i]);
    Row row{print(names[i]), "?", "?", "?"};
    if (place != places.end()) {
      const Queued& one = queued[place->second];
      row = {row.name, one.kind, one.stream, one.call_site};
    }
    row.began = i < began.size();
    row.held = is_held(names[i]);
    row.turned = is_turned(names[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Order::table(const exec::Decisions& held, size_t most) const {
  const std::vector<Row> all = rows(held);
  // Work that is held back should have run earlier, so the table shows all lines up to there.
  size_t last = all.size();
  while (last > 0 && !all[last - 1].held && !all[last - 1].turned) --last;
  const size_t end = std::min(all.size(), last + most / 4);
  const size_t begin = end > most ? end - most : 0;
  size_t wide = least_width;
  for (size_t i = begin; i < end; ++i)
    wide = std::max(wide, std::min(all[i].kind.size(), most_width));
  std::string text;
  const auto add = [&](const std::string& place, const std::string& name, const std::string& kind,
                       const std::string& stream, const std::string& call_site) {
    const std::string before(place.size() < 4 ? 4 - place.size() : 0, ' ');
    text += "  " + before + place + " " + padded(name, 10) + "  " + padded(kind, wide) + "  " +
            padded(stream, 14) + "  " + call_site + "\n";
  };
  add("", " command", "what", "stream", "called at");
  if (begin > 0) text += "   ...\n";
  for (size_t i = begin; i < end; ++i) {
    const Row& row = all[i];
    const char mark = row.held ? '>' : row.turned ? '^' : ' ';
    add(row.began ? std::to_string(i + 1) : "never", mark + row.name, shortened(row.kind),
        row.stream, row.call_site);
  }
  if (end < all.size()) text += "   ...\n";
  return text;
}

}  // namespace cuvette::tools
