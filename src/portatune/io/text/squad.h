// Questions of SQuAD JSON files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

/// Reads a file of SQuAD 1 or 2, or of its flattened form: see data::read_squad. The first call that needs a question
/// parses the whole file.
class SquadReader {
 public:
  struct Answer {
    std::string_view text;
    int64_t start;  ///< offset in code points of the context
  };
  struct Question {
    std::string_view id, text, context;
    std::vector<Answer> answers;
  };

  /// errors  NotFoundError
  SquadReader(std::string path, bool with_answers);
  ~SquadReader();

  /// Moves to the next question; returns false at the end.
  /// errors  DataError for a file that is not JSON of this form; BadRecordError with its number for an invalid question
  bool next();
  /// Skips the next `count` questions, or as many as there are, and returns their number. Skipped questions are not
  /// checked.
  int64_t skip(int64_t count);
  /// The question, valid until next().
  const Question& question() const { return question_; }
  /// The number of the question, from 1.
  int64_t number() const { return number_; }

 private:
  struct Document;  // keeps simdjson out of this header
  const Document& document();

  std::string path_;
  bool with_answers_;
  std::unique_ptr<Document> document_;
  int64_t number_ = 0;
  Question question_;
};

}  // namespace portatune::io
