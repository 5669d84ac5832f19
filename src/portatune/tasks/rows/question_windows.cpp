#include "portatune/tasks/rows/question_windows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/tasks/rows/code_points.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

using Json = nlohmann::json;

constexpr int32_t kContext = 1;  // the second text

AnswerSpan checked_span(const data::Example& row, const std::string& answer, const Json& start) {
  const std::string& context = row.text("context");
  const int64_t size = static_cast<int64_t>(text::count_code_points(context));
  const int64_t begin = start.is_number_integer() ? start.get<int64_t>() : -1;
  const std::string given = "answer \"" + answer + "\" at " + start.dump() + " of question \"" + row.text("id") + "\"";
  if (begin < 0 || begin > size) {
    throw DataError({.where = to_string(row.origin()),
                     .given = given,
                     .expected = "an offset in the context, which has " + std::to_string(size) + " characters"});
  }
  const AnswerSpan span{begin, begin + static_cast<int64_t>(text::count_code_points(answer))};
  if (const std::string_view there = substring(context, span.begin, span.end); there != answer) {
    throw DataError({.where = to_string(row.origin()),
                     .given = given,
                     .expected = "the context at this offset: \"" + std::string(there) + "\"",
                     .fix = "answer_start counts Unicode characters from 0"});
  }
  return span;
}

// Appends tokens [begin, end), special tokens included.
void append(const text::Encoding& from, size_t begin, size_t end, text::Encoding& to) {
  const auto copy = [&](const auto& source, auto& target) {
    target.insert(target.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                  source.begin() + static_cast<std::ptrdiff_t>(end));
  };
  copy(from.ids, to.ids);
  copy(from.type_ids, to.type_ids);
  copy(from.sequence_ids, to.sequence_ids);
  copy(from.offsets, to.offsets);
}

int64_t checked_stride(int64_t stride, int64_t room) {
  constexpr int64_t kDefaultStride = 128;
  if (room < 1 || stride >= room) {
    throw DataError({.where = "question",
                     .given = "a question that leaves " + std::to_string(std::max<int64_t>(room, 0)) +
                              " tokens of a window to the context, and a doc_stride of " + std::to_string(stride),
                     .expected = "more than doc_stride",
                     .fix = "raise max_length, or lower doc_stride"});
  }
  return stride > 0 ? stride : std::min(kDefaultStride, room / 2);
}

// Limits the windows of a row, which are all in memory together.
void require_few_windows(size_t length, size_t share, size_t step) {
  constexpr size_t kMaxWindows = 10'000;
  const size_t windows = 1 + (length - share + step - 1) / step;
  if (windows <= kMaxWindows) return;
  throw DataError({.where = "question",
                   .given = "a context of " + std::to_string(length) + " tokens, which takes " +
                            std::to_string(windows) + " windows of " + std::to_string(share),
                   .expected = "at most " + std::to_string(kMaxWindows) + " windows",
                   .fix = "divide the context or shorten the question, lower doc_stride or raise max_length"});
}

}  // namespace

std::optional<AnswerSpan> first_answer(const data::Example& row) {
  const Json answers = json_in(row, "answers");
  const auto is_list = [&](const char* key) {
    return answers.is_object() && answers.contains(key) && answers[key].is_array();
  };
  const bool lists = is_list("text") && is_list("answer_start");
  if (!lists || answers["text"].size() != answers["answer_start"].size() ||
      !std::ranges::all_of(answers["text"], [](const Json& text) { return text.is_string(); })) {
    throw bad_column(row, "answers", "{\"text\": [...], \"answer_start\": [...]} with lists of one length");
  }
  std::optional<AnswerSpan> first;
  for (size_t i = 0; i < answers["text"].size(); ++i) {
    const AnswerSpan span = checked_span(row, answers["text"][i].get<std::string>(), answers["answer_start"][i]);
    if (i == 0) first = span;
  }
  return first;
}

std::vector<QuestionWindow> windows_of(const text::Encoding& pair, int64_t max_length, int64_t stride) {
  const auto is_context = [](int32_t id) { return id == kContext; };
  const size_t total = pair.ids.size();
  const size_t begin =
      static_cast<size_t>(std::ranges::find_if(pair.sequence_ids, is_context) - pair.sequence_ids.begin());
  const size_t length = static_cast<size_t>(std::ranges::count_if(pair.sequence_ids, is_context));
  const int64_t room = max_length - static_cast<int64_t>(total - length);
  const bool fits = static_cast<int64_t>(length) <= room;
  const size_t share = fits ? length : static_cast<size_t>(room);
  const size_t step = fits ? 1 : static_cast<size_t>(room - checked_stride(stride, room));
  require_few_windows(length, share, step);
  std::vector<QuestionWindow> windows;
  for (size_t from = 0;; from += step) {
    const size_t to = std::min(from + share, length);
    QuestionWindow& window = windows.emplace_back(text::Encoding{}, begin, begin + (to - from));
    append(pair, 0, begin, window.encoding);
    append(pair, begin + from, begin + to, window.encoding);
    append(pair, begin + length, total, window.encoding);
    if (to == length) return windows;
  }
}

std::optional<TokenSpan> tokens_of(const AnswerSpan& answer, const QuestionWindow& window) {
  const std::vector<text::Offsets>& offsets = window.encoding.offsets;
  size_t first = window.context_begin, last = window.context_end;  // one past the end
  if (first == last || offsets[first].begin > answer.begin || offsets[last - 1].end < answer.end) return std::nullopt;
  // Unlike this loop, that of run_qa.py continues into padding if the answer begins with the last token.
  while (first < window.context_end && offsets[first].begin <= answer.begin) ++first;
  while (last > window.context_begin && offsets[last - 1].end >= answer.end) --last;
  return TokenSpan{static_cast<int32_t>(first) - 1, static_cast<int32_t>(last)};
}

}  // namespace portatune::tasks
