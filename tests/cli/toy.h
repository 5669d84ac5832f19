// A task that a tiny model learns in a second: a sentence is 1 if it has a word of praise, 0 if it has one of blame.
#pragma once

#include <filesystem>
#include <string>

#include "cli/program.h"

namespace portatune::cli {

/// "text,label" and `count` rows, labels 0 and 1 in turn.
std::string toy_csv(int count);

/// The words with another value of --batch-size.
Words with_batch_size(Words words, const std::string& size);

/// A folder with train.csv and validation.csv, and command lines that use them.
class Toy {
 public:
  Toy();

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string file(const std::string& name) const { return (path() / name).string(); }
  std::string output() const { return file("tuned"); }
  /// The entries of the folder other than the data.
  std::vector<std::string> left_behind() const;
  /// A copy of the model, to be damaged.
  std::filesystem::path copy_of_model() const;

  /// The output of these words, of a fit(), with --json on a model without dropout; the output folder is removed, or
  /// moved to another place if there is one.
  std::string result_without_dropout(Words words, const std::string& kept = {}) const;

  /// portatune fit on three epochs of 16 rows, four on a device, of which one has a score whose square is no number.
  Words fit_of_an_overflow(const Words& more) const;

  /// portatune fit with both files and `more`.
  Words fit(const Words& more = {}) const;

 private:
  TemporaryFolder folder_;
};

/// The folder of the tiny model: an encoder without a head.
std::string tiny_bert();

/// The words of `a` and then those of `b`.
Words operator+(Words a, const Words& b);

}  // namespace portatune::cli
