#include "portatune/cli/terminal/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "portatune/base/text/number.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/reporting.h"

namespace portatune::cli {
namespace {

constexpr double kLossMemory = 0.95;  // share of the old mean in the new one: about the last 20 steps
constexpr size_t kSamples = 64;
constexpr int kNarrowestBar = 10, kWidestBar = 40;
constexpr int kBarFrame = 3;  // a blank and the brackets
constexpr std::string_view kPartGap = "  ";
constexpr int kCountRank = 0;  // the count of steps is never left out
constexpr int kBarIndent = 2;  // indent of the continuation of a wrapped line

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

constexpr int kBarWidth = 20;

Terminal terminal_of(const Reporting& reporting) {
  Terminal terminal = stderr_terminal(reporting.disable_progress);
  if (reporting.quiet) terminal.write = [](std::string_view) {};
  return terminal;
}

}  // namespace

std::string clock_of(double seconds) {
  const int64_t s = std::llround(seconds);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string bar(int width, double share) {
  const int done = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  return fmt::format("[{:#<{}}{:.<{}}]", "", done, "", width - done);
}

int terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Terminal stderr_terminal(bool plain) {
  return {.rewrites = !plain && isatty(STDERR_FILENO) == 1 && !is_dumb(),
          .columns = [] { return terminal_columns(STDERR_FILENO); },
          .now_s =
              [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); },
          .write = print_message};
}

ProgressBar::ProgressBar(Terminal terminal, int64_t steps_per_epoch)
    : terminal_(std::move(terminal)),
      steps_per_epoch_(steps_per_epoch),
      begun_s_(terminal_.now_s()),
      drawn_s_(begun_s_) {}

void ProgressBar::update(const Step& step) {
  last_ = step;
  if (std::isfinite(step.loss)) {  // the loss of a skipped step does not count
    loss_sum_ = kLossMemory * loss_sum_ + (1 - kLossMemory) * step.loss;
    loss_weight_ = kLossMemory * loss_weight_ + (1 - kLossMemory);
  }
  tokens_.real += step.tokens.real;
  tokens_.positions += step.tokens.positions;
  tokens_.unit = step.tokens.unit;
  const double now = terminal_.now_s();
  samples_.push_back({now, step.step, tokens_.real});
  if (samples_.size() > kSamples) samples_.pop_front();
  stale_ = true;
  if (now - drawn_s_ >= (terminal_.rewrites ? kRedraw_s : kPlainLine_s)) draw();
}

void ProgressBar::print(std::string_view line) {
  const size_t width = static_cast<size_t>(std::max(terminal_.columns() - kBarIndent, kNarrowestBar));
  const std::string shown = printable(line);
  terminal_.write(
      fmt::format("{}{}\n", open_ ? "\r\x1b[K" : "", terminal_.rewrites ? wrapped(shown, width, kBarIndent) : shown));
  if (open_) draw();
}

void ProgressBar::close() {
  if (!terminal_.rewrites || last_.step == 0) return;
  if (stale_) draw();
  if (open_) terminal_.write("\n");
  open_ = false;
}

void ProgressBar::draw() {
  drawn_s_ = terminal_.now_s();
  stale_ = false;
  if (terminal_.rewrites) {
    // Some terminals wrap as soon as the last column is written, hence one less.
    terminal_.write("\r" + line(terminal_.columns() - 1) + "\x1b[K");
    open_ = true;
  } else {
    terminal_.write(line(terminal_.columns()) + "\n");
  }
}

// A piece of the line. Where the line is too long, the part with the highest rank is left out first.
struct ProgressBar::Part {
  std::string text;
  int rank;
};

std::vector<ProgressBar::Part> ProgressBar::parts() const {
  const std::string count = fmt::format("{:>{}}/{}", last_.step, std::to_string(last_.total).size(), last_.total);
  const std::string waiting = last_.waited > 0 ? fmt::format("{:.0f}% waiting for input", 100 * last_.waited) : "";
  std::vector<Part> parts = {{epoch(), 5},
                             {count, kCountRank},
                             {fmt::format("loss {:.4f}", loss_sum_ / loss_weight_), 1},
                             {fmt::format("lr {:.1e}", last_.learning_rate), 4},
                             {rate(), 3},
                             {times(), 2},
                             {padding(), 6},
                             {waiting, 7}};
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
  return parts;
}

std::string ProgressBar::line(int columns) const {
  std::vector<Part> kept = parts();
  const auto width = [&] {
    size_t sum = kPartGap.size() * (kept.size() - 1);
    for (const Part& part : kept) sum += part.text.size();
    return static_cast<int>(sum);
  };
  while (kept.size() > 1 && width() > columns) kept.erase(std::ranges::max_element(kept, {}, &Part::rank));

  const int room = columns - width() - kBarFrame;
  if (room >= kNarrowestBar) {
    std::string& count = std::ranges::find(kept, kCountRank, &Part::rank)->text;
    count += " " + bar(std::min(room, kWidestBar),
                       static_cast<double>(last_.step) / static_cast<double>(std::max<int64_t>(last_.total, 1)));
  }
  std::string text;
  for (const Part& part : kept) text += fmt::format("{}{}", text.empty() ? "" : kPartGap, part.text);
  return text.substr(0, static_cast<size_t>(std::max(columns, 0)));
}

std::string ProgressBar::epoch() const {
  if (steps_per_epoch_ == 0 || last_.total <= steps_per_epoch_) return {};
  const auto epoch_of = [this](int64_t step) { return (step - 1) / steps_per_epoch_ + 1; };
  return fmt::format("epoch {}/{}", epoch_of(last_.step + last_.omitted), epoch_of(last_.total));
}

std::string ProgressBar::rate() const {
  const double seconds = samples_.back().time_s - samples_.front().time_s;
  if (seconds <= 0) return {};
  const double per_second = static_cast<double>(samples_.back().tokens - samples_.front().tokens) / seconds;
  return fmt::format("{} {}/s", grouped(std::llround(per_second)), tokens_.unit);
}

std::string ProgressBar::padding() const {
  const double share =
      1 - static_cast<double>(tokens_.real) / static_cast<double>(std::max<int64_t>(tokens_.positions, 1));
  return share > 0 ? fmt::format("{:.0f}% padding", 100 * share) : "";
}

// The time since the start, and the time that is left by the speed of the last steps.
std::string ProgressBar::times() const {
  const std::string elapsed = clock_of(terminal_.now_s() - begun_s_);
  const int64_t steps = samples_.back().step - samples_.front().step;
  if (steps <= 0) return elapsed;
  const double step_s = (samples_.back().time_s - samples_.front().time_s) / static_cast<double>(steps);
  return fmt::format("{}, {} left", elapsed, clock_of(step_s * static_cast<double>(last_.total - last_.step)));
}

RowBar::RowBar(const Reporting& reporting, std::string activity, std::string unit)
    : RowBar(terminal_of(reporting), std::move(activity), std::move(unit)) {}

RowBar::RowBar(Terminal terminal, std::string activity, std::string unit)
    : terminal_(std::move(terminal)), activity_(std::move(activity)), unit_(std::move(unit)) {}

void RowBar::on_rows(int64_t rows) {
  const double now = terminal_.now_s();
  if (done_ == 0) begun_s_ = drawn_s_ = now;
  done_ += rows;
  if (now - drawn_s_ >= (terminal_.rewrites ? kRedraw_s : kPlainLine_s)) draw();
}

void RowBar::hide() {
  if (open_) terminal_.write("\r\x1b[K");
  open_ = false;
}

void RowBar::finish() {
  hide();
  if (done_ > 0) total_ = std::exchange(done_, 0);
}

std::string RowBar::line() const {
  const double seconds = terminal_.now_s() - begun_s_;
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  const std::string rates = fmt::format("{}/s", grouped(std::llround(rate)));
  if (total_ < done_ || rate == 0) return fmt::format("{}: {} {}  {}", activity_, grouped(done_), unit_, rates);
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  return fmt::format("{}: {} of {} {} {}  {}  {} left", activity_, grouped(done_), grouped(total_), unit_,
                     bar(kBarWidth, share), rates, clock_of(static_cast<double>(total_ - done_) / rate));
}

void RowBar::draw() {
  drawn_s_ = terminal_.now_s();
  const std::string text = line().substr(0, static_cast<size_t>(std::max(terminal_.columns() - 1, 0)));
  open_ = terminal_.rewrites;
  terminal_.write(open_ ? "\r" + text + "\x1b[K" : text + "\n");
}

}  // namespace portatune::cli
