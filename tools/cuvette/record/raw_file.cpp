// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/record/raw_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cuvette::tools {

namespace format = record_format;
using format::Kind;
using format::record_bytes;

namespace {

template <typename One>
One read(std::string_view bytes, size_t at) {
  One one;
  std::memcpy(&one, bytes.data() + at, sizeof one);
  return one;
}

// Who wrote the record at `at`, and where it is in the file.
struct Origin {
  std::string_view block;
  size_t at;
  uint32_t place, writer;
};

template <typename One>
void add(std::vector<Raw<One>>& all, const Origin& origin) {
  all.push_back({read<One>(origin.block, origin.at), origin.place, origin.writer});
}

}  // namespace

RawFile::RawFile(std::string_view bytes) {
  is_empty =
      std::ranges::all_of(bytes.substr(0, sizeof header.magic), [](char one) { return one == 0; });
  if (bytes.size() < sizeof header) return;
  header = read<format::Header>(bytes, 0);
  is_record = std::ranges::equal(header.magic, format::magic) &&
              header.version == format::version && header.record_bytes == record_bytes &&
              header.block_bytes == format::block_bytes;
  if (!is_record) return;
  for (size_t begin = format::block_bytes; begin < bytes.size(); begin += format::block_bytes)
    read_block(bytes.substr(begin, format::block_bytes), begin);
}

void RawFile::read_block(std::string_view block, size_t begin) {
  uint32_t writer = 0;
  for (size_t at = 0; at + record_bytes <= block.size(); at += record_bytes) {
    const Origin origin{block, at, static_cast<uint32_t>((begin + at) / record_bytes), writer};
    switch (read<Kind>(block, at)) {
      case Kind::none:
        return;
      case Kind::owner:
        writer = read<format::Owner>(block, at).thread;
        continue;
      case Kind::text: {
        const auto text = read<format::Text>(block, at);
        constexpr size_t in_first = sizeof text.begin;
        const size_t from = at + offsetof(format::Text, begin);
        if (text.bytes > format::most_text || text.bytes > block.size() - from) {
          ++unreadable;
          return;
        }
        texts.emplace(text.number, block.substr(from, text.bytes));
        if (text.bytes > in_first)
          at += (text.bytes - in_first + record_bytes - 1) / record_bytes * record_bytes;
        continue;
      }
      case Kind::clock:
        add(clocks, origin);
        continue;
      case Kind::process:
        add(processes, origin);
        continue;
      case Kind::end:
        add(ends, origin);
        continue;
      case Kind::thread:
        add(threads, origin);
        continue;
      case Kind::device:
        add(devices, origin);
        continue;
      case Kind::stream:
        add(streams, origin);
        continue;
      case Kind::call:
        add(calls, origin);
        continue;
      case Kind::command:
        add(commands, origin);
        continue;
      case Kind::step:
        add(steps, origin);
        continue;
      case Kind::edge:
        add(edges, origin);
        continue;
      case Kind::wait:
        add(waits, origin);
        continue;
      case Kind::wait_all:
        add(waits_for_all, origin);
        continue;
      case Kind::segment:
        add(segments, origin);
        continue;
      case Kind::memory:
        add(memories, origin);
        continue;
      case Kind::touch:
        add(touches, origin);
        continue;
      case Kind::resource:
        add(resources, origin);
        continue;
      case Kind::mapped:
        add(mapped, origin);
        continue;
      case Kind::report:
        add(reports, origin);
        continue;
      case Kind::fact:
        add(facts, origin);
        continue;
      case Kind::about:
        add(about, origin);
        continue;
    }
    ++unreadable;
  }
}

}  // namespace cuvette::tools
