#include "portatune/cli/terminal/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "portatune/analysis/report/page.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/score_names.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

constexpr int kReportIndent = 2;  // indent of the continuation of a wrapped line

// Width of the column of names, before the column of figures.
size_t width_of(const Scores& scores, size_t least) {
  size_t width = least;
  for (const auto& [name, value] : scores) width = std::max(width, display_name(name).size() + 1);
  return width;
}

std::string cell(const Scores& scores, const std::string& wanted) {
  for (const auto& [name, value] : scores) {
    if (name == wanted) return fmt::format("{:.4f}", value);
  }
  return "-";
}

// The line, wrapped if stderr is a terminal; a line of a log stays one line.
std::string for_terminal(const std::string& line) {
  if (isatty(STDERR_FILENO) == 0) return line;
  return wrapped(line, static_cast<size_t>(std::max(terminal_columns(STDERR_FILENO) - kReportIndent, 20)),
                 kReportIndent);
}

bool write_to_stdout(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace

// Warnings and remarks may contain names of files and lines of logs, hence URLs with secrets.
void print_message(std::string_view text) noexcept {
  try {
    const std::string shown = without_secrets(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
  } catch (const std::bad_alloc&) {  // no output is better than a secret in the output
  }
}

void print_message_line(std::string_view line) { print_message(printable(line) + "\n"); }

void print_remark(const Reporting& reporting, const std::string& line) {
  if (!reporting.quiet) print_message_line(for_terminal(line));
}

void print_result(std::string_view text) {
  if (write_to_stdout(text)) return;
  const int error_number = errno;
  const Report report{.where = "write the result to stdout", .given = std::strerror(error_number)};
  if (error_number == EPIPE) throw ReaderLeft(report, error_number);
  throw IoError(report, error_number);
}

void print_summary(std::string_view text) noexcept { write_to_stdout(text); }

std::string describe(const Scores& scores) {
  std::string text;
  for (const auto& [name, value] : scores) {
    text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ", display_name(name), value);
  }
  return text;
}

namespace {

std::string table_of(const run::Evaluation& evaluation) {
  std::string text;
  const Scores& scores = evaluation.scores;
  const size_t width = width_of(scores, 10);
  for (const auto& [name, value] : scores) text += fmt::format("{:<{}}{:>10.4f}\n", display_name(name), width, value);
  if (evaluation.skipped_rows) text += fmt::format("{:<{}}{:>10}\n", "bad rows", width, *evaluation.skipped_rows);
  return text + fmt::format("{:<{}}{:>10} in {:.1f} s, {:.1f} per second\n", "examples", width, evaluation.examples,
                            evaluation.seconds, evaluation.examples_per_second());
}

// A line of names, and one for each evaluation. Adapters of other heads may have other scores.
std::string lines_of(const std::vector<run::NamedEvaluation>& evaluations) {
  std::vector<std::string> scores;
  size_t width = std::string_view("adapter ").size();
  for (const auto& [name, evaluation] : evaluations) {
    width = std::max(width, name.size() + 1);
    for (const auto& [score, value] : evaluation.scores) {
      if (std::ranges::find(scores, score) == scores.end()) scores.push_back(score);
    }
  }
  const auto column = [](const std::string& score) { return std::max<size_t>(10, display_name(score).size() + 2); };
  std::string text = fmt::format("{:<{}}", "adapter", width);
  for (const std::string& score : scores) text += fmt::format("{:>{}}", display_name(score), column(score));
  for (const auto& [name, evaluation] : evaluations) {
    text += fmt::format("\n{:<{}}", name, width);
    for (const std::string& score : scores) {
      text += fmt::format("{:>{}}", cell(evaluation.scores, score), column(score));
    }
  }
  return text + "\n";
}

}  // namespace

std::string table_of(const std::vector<run::NamedEvaluation>& evaluations) {
  return evaluations.size() == 1 ? table_of(evaluations.front().evaluation) : lines_of(evaluations);
}

std::string table_of(const run::Outcome& outcome) {
  std::string text;
  if (outcome.after) {
    const Scores before = outcome.before.value_or(Scores{});
    const std::string held_out = "held-out ";
    const size_t width = held_out.size() + width_of(*outcome.after, 20 - held_out.size());
    size_t column = 10;
    for (const auto& [name, value] : *outcome.after) {
      column = std::max({column, cell(before, name).size() + 2, cell(*outcome.after, name).size() + 2});
    }
    text += fmt::format("{:<{}}{:>{}}{:>{}}\n", "", width, "before", column, "after", column);
    for (const auto& [name, value] : *outcome.after) {
      text += fmt::format("{:<{}}{:>{}}{:>{}}\n", held_out + display_name(name), width, cell(before, name), column,
                          cell(*outcome.after, name), column);
    }
  }
  if (outcome.best_step > 0) {
    text += fmt::format("{:<20}{} of {}; the best is {}\n", "step of the model", outcome.model_step, outcome.steps,
                        outcome.best_step);
  }
  if (outcome.skipped_rows) text += fmt::format("{:<20}{} skipped\n", "bad rows", *outcome.skipped_rows);
  if (outcome.skipped_steps > 0) {
    text += fmt::format("{:<20}{} of {} skipped or undone\n", "steps", outcome.skipped_steps, outcome.steps);
  }
  if (outcome.rewinds > 0) text += fmt::format("{:<20}{}\n", "rewinds", outcome.rewinds);
  for (const std::string& deviation : outcome.deviations) text += fmt::format("{:<20}{}\n", "deviation", deviation);
  text += fmt::format("{:<20}{}\n", "model", outcome.output.string());
  const std::filesystem::path page = outcome.output / report::kPageFile;
  if (std::filesystem::exists(page)) text += fmt::format("{:<20}{}\n", "report", page.string());
  return text;
}

std::string table_of(const run::FoldOutcome& outcome) {
  std::string text;
  for (size_t fold = 0; fold < outcome.folds.size(); ++fold) {
    text += fmt::format("fold {:<15}{}\n", fold + 1, describe(outcome.folds[fold]));
  }
  text += fmt::format("{:<20}{}\n", "out of fold", describe(outcome.out_of_fold));
  text += fmt::format("{:<20}{}\n", "models", (outcome.output / "fold-*").string());
  for (const auto& file : outcome.predictions) {
    text += fmt::format("{:<20}{}\n", &file == &outcome.predictions.front() ? "predictions" : "", file.string());
  }
  return text;
}

}  // namespace portatune::cli
