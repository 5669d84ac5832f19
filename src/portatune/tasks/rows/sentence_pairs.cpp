#include "portatune/tasks/rows/sentence_pairs.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <vector>

#include "portatune/base/random.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

constexpr int64_t kBlank = -1;

class Corpus {
 public:
  Corpus(data::Dataset rows, std::string column) : rows_(std::move(rows)), column_(std::move(column)) {}

  bool has_next(int64_t sentence) {
    std::call_once(loaded_, [this] { load(); });
    const auto i = static_cast<size_t>(sentence);
    return i + 1 < documents_.size() && documents_[i] != kBlank && documents_[i + 1] == documents_[i];
  }

  const std::string& text(int64_t sentence) const { return texts_[static_cast<size_t>(sentence)]; }

  // A sentence of another document, all with equal probability.
  int64_t from_elsewhere(int64_t sentence, uint64_t bits) const {
    for (uint64_t draw = 0;; ++draw) {
      const uint64_t other = split_mix_64(bits, draw) % documents_.size();
      const int64_t document = documents_[other];
      if (document != kBlank && document != documents_[static_cast<size_t>(sentence)])
        return static_cast<int64_t>(other);
    }
  }

 private:
  void load() {
    std::vector<std::string> texts;
    std::vector<int64_t> documents;
    int64_t document = 0;
    bool pairs = false;
    for (const data::Example& row : rows_.iterate()) {
      const std::string& text = row.text(column_);
      const bool blank = std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; });
      const bool begins = documents.empty() || documents.back() == kBlank;
      if (!blank && begins) ++document;
      if (!blank && !begins) pairs = true;
      texts.push_back(blank ? std::string() : text);
      documents.push_back(blank ? kBlank : document);
    }
    if (document <= 1 || !pairs) {
      throw DataError({.where = "next sentence prediction",
                       .given = pairs ? "one document" : "no sentence with a successor",
                       .expected = "documents of several sentences, one per row, with a blank row between documents"});
    }
    texts_ = std::move(texts);
    documents_ = std::move(documents);
  }

  const data::Dataset rows_;
  const std::string column_;
  std::once_flag loaded_;
  std::vector<std::string> texts_;
  std::vector<int64_t> documents_;  // the document of each sentence
};

}  // namespace

data::Dataset sentence_pairs(const data::Dataset& rows, const std::string& column) {
  const auto corpus = std::make_shared<Corpus>(rows, column);
  const auto index_of = [](const data::Example& row) { return row.tensor("index").as<int64_t>()[0]; };
  const auto pair = [=](const data::Example& row) {
    const int64_t sentence = index_of(row);
    const uint64_t bits =
        split_mix_64(static_cast<uint64_t>(row.tensor("epoch").as<int64_t>()[0]), static_cast<uint64_t>(sentence));
    const bool follows = (bits & 1) == 0;
    const int64_t second = follows ? sentence + 1 : corpus->from_elsewhere(sentence, bits);
    data::Example example(row.origin());
    example.set("first", corpus->text(sentence)).set("second", corpus->text(second));
    return example.set("next_sentence_label", Tensor({}, {follows ? 0 : 1}));
  };
  return rows.enumerate().filter([=](const data::Example& row) { return corpus->has_next(index_of(row)); }).map(pair);
}

}  // namespace portatune::tasks
