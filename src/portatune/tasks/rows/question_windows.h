// A question and its context as windows of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "portatune/data.h"
#include "portatune/text.h"

namespace portatune::tasks {

/// Code points [begin, end) of a context.
struct AnswerSpan {
  int64_t begin, end;
};

/// The first answer of a row; nothing if it has none. Checks all answers.
/// errors  DataError that names the row: not {"text": [...], "answer_start": [...]} of equal lengths, or an answer that
///         differs from the context at its offset
std::optional<AnswerSpan> first_answer(const data::Example& row);

/// A window: the tokens around the context, and tokens [begin, end) of the pair's encoding, which belong to the
/// context.
struct QuestionWindow {
  text::Encoding encoding;
  size_t context_begin, context_end;  ///< range of the context's tokens
};

/// Cuts the encoding of (question, context), made with offsets and without truncation, as `tokenizers` does with
/// truncation only_second, stride and overflowing tokens.
/// max_length  tokens of a window
/// stride      context tokens that two windows share; 0: 128, or half of a window's context tokens
/// errors      DataError if the question leaves no more room than the stride, and for more than 10,000 windows
std::vector<QuestionWindow> windows_of(const text::Encoding& pair, int64_t max_length, int64_t stride);

/// The tokens of the window that cover the answer, as in run_qa.py; nothing if the window does not have all of the
/// answer.
struct TokenSpan {
  int32_t first, last;
};
std::optional<TokenSpan> tokens_of(const AnswerSpan& answer, const QuestionWindow& window);

}  // namespace portatune::tasks
