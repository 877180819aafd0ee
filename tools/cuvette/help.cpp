// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/help.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tools/cuvette/compile_options.hpp"
#include "tools/cuvette/completion.hpp"
#include "tools/cuvette/manual.hpp"
#include "tools/cuvette/ptxas.hpp"
#include "tools/cuvette/run.hpp"
#include "tools/cuvette/smi.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// The page of cuvette itself, and then one for each command.
std::vector<HelpPage> all_pages(const CLI::App& app) {
  std::vector<HelpPage> pages = {help_page(app)};
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string name = command->get_name(), about = command->get_description();
    const std::string own = name == "c++"     ? compile_help
                            : name == "smi"   ? smi_help("cuvette smi")
                            : name == "ptxas" ? ptxas_help()
                                              : "";
    pages.push_back(own.empty() ? help_page(*command) : help_page(name, about, own));
    pages.back().runs_program =
        name == "run" || name == "explore" || name == "trace" || name == "doctor";
    if (name == "run" || name == "explore" || name == "trace")
      pages.back().usage = "cuvette " + name + " [OPTIONS] [--] PROGRAM [ARGUMENTS...]";
    if (name == "doctor") pages.back().usage = "cuvette doctor [OPTIONS] [[--] PROGRAM]";
  }
  return pages;
}

bool write_file(const fs::path& file, const std::string& text) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  std::ofstream out(file, std::ios::trunc);
  out << text;
  if (out.flush()) return true;
  fprintf(stderr, "cuvette help: '%s' cannot be written\n", file.c_str());
  return false;
}

int write_all(const std::vector<HelpPage>& pages, const fs::path& folder) {
  bool all = write_file(folder / "bash-completion/completions/cuvette", bash_completion(pages)) &&
             write_file(folder / "zsh/site-functions/_cuvette", zsh_completion(pages)) &&
             write_file(folder / "fish/vendor_completions.d/cuvette.fish", fish_completion(pages));
  for (const HelpPage& page : pages)
    all = all && write_file(folder / "man/man1" / manual_name(page), manual(page, pages));
  return all ? 0 : status_own_failure;
}

}  // namespace

std::optional<int> make_help(const CLI::App& app, const std::vector<std::string>& words) {
  constexpr std::string_view man = "--man=", completion = "--completion=", folder = "--write=";
  if (words.size() != 1 || !words.front().starts_with("--")) return std::nullopt;
  const std::string& word = words.front();
  const std::vector<HelpPage> pages = all_pages(app);
  if (word.starts_with(folder)) return write_all(pages, word.substr(folder.size()));
  std::string text;
  if (word.starts_with(man)) {
    for (const HelpPage& page : pages)
      if (word.substr(man.size()) == (page.name.empty() ? "cuvette" : page.name))
        text = manual(page, pages);
  } else if (word.starts_with(completion)) {
    const std::string shell = word.substr(completion.size());
    if (shell == "bash") text = bash_completion(pages);
    if (shell == "zsh") text = zsh_completion(pages);
    if (shell == "fish") text = fish_completion(pages);
  } else {
    return std::nullopt;
  }
  if (text.empty()) {
    fprintf(stderr, "cuvette help: '%s': there are --man=COMMAND and --completion=bash|zsh|fish\n",
            word.c_str());
    return status_own_failure;
  }
  fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace cuvette::tools
