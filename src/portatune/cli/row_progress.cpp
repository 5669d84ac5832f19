#include "portatune/cli/row_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

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

RowProgress::RowProgress(const Talk& talk, std::string what) : RowProgress(terminal_of(talk), std::move(what)) {}

RowProgress::RowProgress(Terminal terminal, std::string what)
    : terminal_(std::move(terminal)), what_(std::move(what)) {}

void RowProgress::add(int64_t rows) {
  const double now = terminal_.now_s();
  if (done_ == 0) begun_s_ = drawn_s_ = now;
  done_ += rows;
  all_ += rows;
  if (now - drawn_s_ >= (terminal_.rewrites ? kRedraw_s : kPlainLine_s)) draw();
}

void RowProgress::finish() {
  if (open_) terminal_.write("\r\x1b[K");
  open_ = false;
  if (done_ > 0) total_ = std::exchange(done_, 0);
}

data::Dataset RowProgress::over(const data::Dataset& batches) {
  return batches.filter([this](const data::Example& batch) {
    add(std::max<int64_t>(1, std::ssize(batch.row_origins())));
    return true;
  });
}

std::string RowProgress::line() const {
  const double seconds = terminal_.now_s() - begun_s_;
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const std::string rates = fmt::format("{}/s", grouped(std::llround(rate)));
  if (total_ < done_ || rate == 0) return fmt::format("{}: {} rows  {}", what_, grouped(done_), rates);
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  return fmt::format("{}: {} of {} rows {}  {}  {} left", what_, grouped(done_), grouped(total_), bar(kBarWidth, share),
                     rates, clock_of(static_cast<double>(total_ - done_) / rate));
}

void RowProgress::draw() {
  drawn_s_ = terminal_.now_s();
  const std::string text = line().substr(0, static_cast<size_t>(std::max(terminal_.columns() - 1, 0)));
  open_ = terminal_.rewrites;
  terminal_.write(open_ ? "\r" + text + "\x1b[K" : text + "\n");
}

}  // namespace portatune::cli
