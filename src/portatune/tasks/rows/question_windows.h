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

/// The first answer of a row; nothing if it has none. All of them are checked.
/// errors  DataError that names the row: not {"text": [...], "answer_start": [...]} of equal lengths, an answer that
///         is not what stands in the context at its place
std::optional<AnswerSpan> first_answer(const data::Example& row);

/// A window: the tokens around the context, and tokens [begin, end) of the pair's encoding, which belong to the
/// context.
struct QuestionWindow {
  text::Encoding encoding;
  size_t context_begin, context_end;  ///< where the context's tokens are in it
};

/// Cuts the encoding of (question, context), made with offsets and without truncation, as `tokenizers` does with
/// truncation only_second, stride and overflowing tokens.
/// max_length  tokens of a window
/// stride      tokens of the context that two windows share; 0: 128, or half of a window's share of the context
/// errors      DataError if the question leaves no room, or no more than the stride, and for more than 10,000 windows
std::vector<QuestionWindow> windows_of(const text::Encoding& pair, int64_t max_length, int64_t stride);

/// The tokens of the window that cover the answer, as run_qa.py finds them; nothing if the window does not have all of
/// it.
struct TokenSpan {
  int32_t first, last;
};
std::optional<TokenSpan> tokens_of(const AnswerSpan& answer, const QuestionWindow& window);

}  // namespace portatune::tasks
