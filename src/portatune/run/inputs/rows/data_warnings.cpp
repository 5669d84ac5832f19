#include "portatune/run/inputs/rows/data_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/utf8.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/run.h"
#include "portatune/run/inputs/rows/training_files.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNames = 6;

bool is_space(char c) { return c == ' ' || c == '\t'; }

// The label in lower case (ASCII), with single blanks and none at its ends.
std::string folded(std::string_view label) {
  std::string text;
  for (const char c : lower_case(label)) {
    if (is_space(c) && (text.empty() || text.back() == ' ')) continue;
    text += is_space(c) ? ' ' : c;
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

bool is_missing_value(const std::string& label) {
  constexpr std::array<std::string_view, 8> kMissing = {"", "nan", "none", "null", "nil", "na", "n/a", "<na>"};
  return std::ranges::find(kMissing, folded(label)) != kMissing.end();
}

std::string quoted_list(const std::vector<std::string>& labels) {
  std::vector<std::string> quoted;
  for (const std::string& label : labels) quoted.push_back("\"" + shortened(label, 40) + "\"");
  return list_of(quoted, kMaxNames);
}

void add_similar_classes(const DataSurvey& data, std::vector<std::string>& warnings) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [label, count] : data.classes) groups[folded(label)].push_back(label);
  for (const auto& [text, labels] : groups) {
    if (labels.size() < 2) continue;
    warnings.push_back(fmt::format("the classes {} differ only by case or blanks", quoted_list(labels)));
  }
}

void add_equal_numbers(const DataSurvey& data, std::vector<std::string>& warnings) {
  std::map<double, std::vector<std::string>> groups;
  for (const auto& [label, count] : data.classes) {
    const std::optional<double> number = number_in<double>(label);
    if (number && std::isfinite(*number)) groups[*number].push_back(label);
  }
  for (const auto& [number, labels] : groups) {
    if (labels.size() < 2) continue;
    warnings.push_back(fmt::format("the classes {} are the same number", quoted_list(labels)));
  }
}

void add_missing_values(const DataSurvey& data, std::vector<std::string>& warnings) {
  for (const auto& [label, count] : data.classes) {
    if (!is_missing_value(label)) continue;
    warnings.push_back(fmt::format("\"{}\" is a class, though it looks like a missing value ({} {})", label,
                                   grouped(count), count == 1 ? "label" : "labels"));
  }
}

bool are_same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (io::is_remote(a) || io::is_remote(b)) return false;
  if (fs::equivalent(a, b)) return true;
  const bool are_files = fs::is_regular_file(a) && fs::is_regular_file(b);
  return are_files && fs::file_size(a) == fs::file_size(b) && io::content_hash({a}) == io::content_hash({b});
}

}  // namespace

std::vector<std::string> warnings_of_rows(const DataSurvey& data) {
  std::vector<std::string> warnings;
  add_similar_classes(data, warnings);
  add_equal_numbers(data, warnings);
  add_missing_values(data, warnings);
  const auto classes = std::ssize(data.classes);
  if (classes > 2 && classes == data.examples) {
    warnings.push_back(
        fmt::format("there are as many classes as rows, {}: is this the column of the label?", grouped(classes)));
  }
  if (data.weights && data.weights->second == 0) warnings.emplace_back("all weights are 0: no row is learned");
  if (data.empty_rows > 0) {
    warnings.push_back(fmt::format("{} of {} rows {} no text", grouped(data.empty_rows), grouped(data.rows),
                                   data.empty_rows == 1 ? "has" : "have"));
  }
  return warnings;
}

std::vector<std::string> warnings_of_files(const RunOptions& a) {
  std::vector<std::string> warnings;
  const std::vector<std::string> train = training_files(a.train);
  for (const std::string& file : validation_files(a.validation)) {
    const auto same = std::ranges::find_if(train, [&](const std::string& other) { return are_same(file, other); });
    if (same == train.end()) continue;
    const std::string name = *same == file ? "a training file, too" : "the same file as " + *same;
    warnings.push_back(fmt::format("the validation file {} is {}: its scores say nothing about new rows", file, name));
  }
  return warnings;
}

}  // namespace portatune::run
