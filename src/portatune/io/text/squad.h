// Questions of SQuAD's JSON files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

/// Reads a file of SQuAD 1 or 2, or of its flattened form: see data::read_squad. The file is parsed as a whole, when it
/// is asked for a question first.
class SquadReader {
 public:
  struct Answer {
    std::string_view text;
    int64_t start;  ///< in code points of the context
  };
  struct Question {
    std::string_view id, text, context;
    std::vector<Answer> answers;
  };

  /// errors  NotFoundError
  SquadReader(std::string path, bool with_answers);
  ~SquadReader();

  /// Goes to the next question; false at the end.
  /// errors  DataError for what is not JSON of this form; BadRecordError for a question that is not, with its number
  bool next();
  /// Passes over the next `count` questions, or as many as there are, and returns how many these were. They are not
  /// looked at, so a bad one is no error.
  int64_t skip(int64_t count);
  /// Valid until next().
  const Question& question() const { return question_; }
  /// Its number, from 1.
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
