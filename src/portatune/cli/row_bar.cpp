#include "portatune/cli/row_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "portatune/base/units.h"
#include "portatune/cli/commands.h"

namespace portatune::cli {
namespace {

constexpr int kBarWidth = 20;

Terminal terminal_of(const Talk& talk) {
  Terminal terminal = stderr_terminal(talk.disable_progress);
  if (talk.quiet) terminal.write = [](std::string_view) {};
  return terminal;
}

}  // namespace

RowBar::RowBar(const Talk& talk, std::string activity) : RowBar(terminal_of(talk), std::move(activity)) {}

RowBar::RowBar(Terminal terminal, std::string activity)
    : terminal_(std::move(terminal)), activity_(std::move(activity)) {}

void RowBar::on_rows(int64_t rows) {
  const double now = terminal_.now_s();
  if (done_ == 0) begun_s_ = drawn_s_ = now;
  done_ += rows;
  if (now - drawn_s_ >= (terminal_.rewrites ? kRedraw_s : kPlainLine_s)) draw();
}

void RowBar::finish_line() {
  if (open_) terminal_.write("\r\x1b[K");
  open_ = false;
  if (done_ > 0) total_ = std::exchange(done_, 0);
}

std::string RowBar::line() const {
  const double seconds = terminal_.now_s() - begun_s_;
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const std::string rates = fmt::format("{}/s", grouped(std::llround(rate)));
  if (total_ < done_ || rate == 0) return fmt::format("{}: {} rows  {}", activity_, grouped(done_), rates);
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  return fmt::format("{}: {} of {} rows {}  {}  {} left", activity_, grouped(done_), grouped(total_),
                     bar(kBarWidth, share), rates, clock_of(static_cast<double>(total_ - done_) / rate));
}

void RowBar::draw() {
  drawn_s_ = terminal_.now_s();
  const std::string text = line().substr(0, static_cast<size_t>(std::max(terminal_.columns() - 1, 0)));
  open_ = terminal_.rewrites;
  terminal_.write(open_ ? "\r" + text + "\x1b[K" : text + "\n");
}

}  // namespace portatune::cli
