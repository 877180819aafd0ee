// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/terminal_keys.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tools/cuvette/step/commands.hpp"
#include "tools/cuvette/step/screen.hpp"
#include "tools/cuvette/terminal_page.hpp"

namespace cuvette::tools {
namespace {

enum class Key { none, up, down, left, right, enter, backspace, escape, end, letter };
struct Pressed {
  Key key = Key::none;
  char letter = 0;
};

// What is shown on a page of the terminal, and the keys that are pressed there.
class Keyboard {
 public:
  Keyboard() {
    // It ends the wait for a key, and the screen is drawn anew.
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGWINCH, &action, nullptr);
  }

  static void show(const std::vector<std::string>& lines) {
    std::string text = "\033[H";
    for (size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\r\n" : "") + lines[i] + "\033[K";
    fputs((text + "\033[J").c_str(), stdout);
    fflush(stdout);
  }

  // Waits for a key; `none` if there is another reason to draw.
  static Pressed wait() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, -1) < 0) return {};
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1) return {Key::end};
    switch (c) {
      case 4:  // Ctrl-D
        return {Key::end};
      case '\r':
      case '\n':
        return {Key::enter};
      case 8:
      case 0x7f:
        return {Key::backspace};
      case 0x1b:
        return after_escape();
      default:
        return {Key::letter, c};
    }
  }

 private:
  // An arrow comes as three letters at once, or as three that follow each other closely.
  static Pressed after_escape() {
    char text[2] = {};
    for (char& c : text) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (poll(&input, 1, 50) <= 0 || read(STDIN_FILENO, &c, 1) != 1) return {Key::escape};
    }
    if (text[0] != '[' && text[0] != 'O') return {Key::none};
    switch (text[1]) {
      case 'A':
        return {Key::up};
      case 'B':
        return {Key::down};
      case 'C':
        return {Key::right};
      case 'D':
        return {Key::left};
      default:
        return {Key::none};
    }
  }

  const TerminalPage page_{TerminalPage::Suspend::is_ignored};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

constexpr const char* keys_text = R"(n, space   the next command takes place
b          go back one command
arrows     select a command
Enter      the selected one takes place next: the program runs again, with other decisions
t          go to where the selected one has taken place
r          the selected one takes place as soon as it is submitted, before the program goes on
u          take the last choice back
e          explain the selected one
w          watch memory: [NAME=]ALLOCATION[+OFFSET][:TYPE[COUNT]], as in sum=2:float[4]
s          the line that runs the program in this order
q          leave
)";

class StepScreen {
 public:
  StepScreen(StepSession& session, bool ascii) : session_(session) {
    view_.ascii = ascii;
    view_.program = std::filesystem::path(session.program().program.front()).filename().string();
    renew();
  }

  void run() {
    while (TerminalPage::stopped_by() == 0 && session_.stopped_by() == 0) {
      const winsize size = TerminalPage::size();
      Keyboard::show(drawn(state_, view_, size.ws_col, size.ws_row));
      const Pressed pressed = Keyboard::wait();
      if (pressed.key == Key::end) return;
      if (pressed.key == Key::none) continue;
      if (view_.is_page) {
        turn(pressed);
      } else if (asks_) {
        write(pressed);
      } else if (!act(pressed)) {
        return;
      }
    }
  }

 private:
  // After the state has changed: what is next is selected.
  void renew() {
    state_ = session_.state();
    view_.selected = state_.next;
    if (!view_.selected || !state_.find(*view_.selected))
      for (const StepState::Row& row : state_.rows)
        if (!row.items.empty()) view_.selected = row.items.back().name;
  }

  void do_line(const std::string& line) {
    Keyboard::show(drawn(state_, with_message("runs ..."), TerminalPage::size().ws_col,
                         TerminalPage::size().ws_row));
    const Done done = obey(session_, line);
    view_.message.clear();
    if (done.changed) return renew();
    if (done.answer.refused && done.answer.text.size() < 60) {
      view_.message = done.answer.text;
      return;
    }
    open_page(done.answer.text);
  }

  ScreenView with_message(const std::string& message) const {
    ScreenView view = view_;
    view.message = message;
    return view;
  }

  void open_page(const std::string& text) {
    view_.page = lines_of(text);
    view_.page_top = 0;
    view_.is_page = true;
  }

  void turn(const Pressed& pressed) {
    if (pressed.key == Key::down)
      ++view_.page_top;
    else if (pressed.key == Key::up)
      view_.page_top -= view_.page_top > 0 ? 1 : 0;
    else
      view_.is_page = false;
  }

  void write(const Pressed& pressed) {
    if (pressed.key == Key::letter) typed_ += pressed.letter;
    if (pressed.key == Key::backspace && !typed_.empty()) typed_.pop_back();
    if (pressed.key == Key::escape || pressed.key == Key::enter) {
      asks_ = false;
      view_.message.clear();
      if (pressed.key == Key::enter && !typed_.empty()) do_line("watch " + typed_);
      return;
    }
    view_.message = "watch: " + typed_ + "_";
  }

  void about_selected(const std::string& word) {
    if (view_.selected) do_line(word + " " + text_of(*view_.selected));
  }

  // Moves the selection by rows and by commands of a row.
  void select(int rows, int items) {
    for (size_t i = 0; i < state_.rows.size(); ++i)
      for (size_t j = 0; j < state_.rows[i].items.size(); ++j) {
        if (view_.selected != state_.rows[i].items[j].name) continue;
        const auto row = static_cast<size_t>(std::clamp<long>(
            static_cast<long>(i) + rows, 0, static_cast<long>(state_.rows.size()) - 1));
        const auto& all = state_.rows[row].items;
        size_t place = j;
        if (row != i) {
          place = 0;
          while (place + 1 < all.size() && all[place].state == WorkState::done) ++place;
        }
        const auto item = static_cast<size_t>(std::clamp<long>(static_cast<long>(place) + items, 0,
                                                               static_cast<long>(all.size()) - 1));
        view_.selected = all[item].name;
        return;
      }
  }

  // False if the user wants to leave.
  bool act(const Pressed& pressed) {
    view_.message.clear();
    switch (pressed.key) {
      case Key::up:
        select(-1, 0);
        return true;
      case Key::down:
        select(1, 0);
        return true;
      case Key::left:
        select(0, -1);
        return true;
      case Key::right:
        select(0, 1);
        return true;
      case Key::enter:
        about_selected("choose");
        return true;
      case Key::letter:
        return act_on_letter(pressed.letter);
      case Key::none:
      case Key::backspace:
      case Key::escape:
      case Key::end:
        return true;
    }
    return true;
  }

  bool act_on_letter(char letter) {
    switch (letter) {
      case 'n':
      case ' ':
        do_line("next");
        return true;
      case 'b':
        do_line("back");
        return true;
      case 'c':
        about_selected("choose");
        return true;
      case 't':
        about_selected("to");
        return true;
      case 'e':
        about_selected("explain");
        return true;
      case 'r':
        about_selected("rush");
        return true;
      case 'u':
        do_line("undo");
        return true;
      case 's':
        do_line("save");
        return true;
      case 'w':
        asks_ = true;
        typed_.clear();
        view_.message = "watch: _";
        return true;
      case '?':
      case 'h':
        open_page(keys_text);
        return true;
      case 'q':
      case 'Q':
        return false;
      default:
        view_.message = "? lists the keys";
        return true;
    }
  }

  StepSession& session_;
  StepState state_;
  ScreenView view_;
  bool asks_ = false;  // for a range to watch
  std::string typed_;
};

}  // namespace

int step_on_terminal(StepSession& session, bool ascii) {
  const Keyboard keyboard;
  StepScreen(session, ascii).run();
  return TerminalPage::stopped_by();
}

}  // namespace cuvette::tools
