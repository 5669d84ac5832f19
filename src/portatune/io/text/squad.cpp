#include "portatune/io/text/squad.h"

#include <simdjson.h>

#include <algorithm>

#include "portatune/io/compress/decompress.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

namespace dom = simdjson::dom;

constexpr int64_t kMaxBytes = 0xFFFFFFFF;  // limit of simdjson

// A question in either form, and its context, which other questions may share.
struct Entry {
  dom::object question;
  std::string_view context;
};

void add_paragraph(const dom::object& paragraph, std::vector<Entry>& entries) {
  const std::string_view context = paragraph["context"];
  for (const dom::object question : dom::array(paragraph["qas"])) entries.push_back({question, context});
}

std::vector<Entry> entries_of(const dom::element& document) {
  std::vector<Entry> entries;
  for (const dom::object item : dom::array(document["data"])) {
    dom::array paragraphs;
    if (item["paragraphs"].get(paragraphs) == simdjson::SUCCESS) {
      for (const dom::object paragraph : paragraphs) add_paragraph(paragraph, entries);
    } else {
      entries.push_back({item, std::string_view(item["context"])});
    }
  }
  return entries;
}

// Answers have the form [{"text": ..., "answer_start": ...}] or {"text": [...], "answer_start": [...]}.
std::vector<SquadReader::Answer> answers_of(const dom::object& question) {
  bool impossible = false;
  if (question["is_impossible"].get(impossible) == simdjson::SUCCESS && impossible) return {};
  std::vector<SquadReader::Answer> answers;
  const dom::element value = question["answers"];
  if (value.is_array()) {
    for (const dom::object answer : dom::array(value)) {
      answers.push_back({std::string_view(answer["text"]), int64_t(answer["answer_start"])});
    }
    return answers;
  }
  for (const std::string_view text : dom::array(value["text"])) answers.push_back({text, 0});
  const dom::array starts = value["answer_start"];
  if (starts.size() != answers.size()) throw simdjson::simdjson_error(simdjson::INDEX_OUT_OF_BOUNDS);
  for (size_t i = 0; i < answers.size(); ++i) answers[i].start = int64_t(starts.at(i));
  return answers;
}

template <class E>
E bad_json(const std::string& where, const simdjson::simdjson_error& error) {
  return E({.where = where,
            .given = simdjson::error_message(error.error()),
            .expected = "SQuAD's JSON: {\"data\": [...]} with id, question, context and answers (text, "
                        "answer_start)",
            .fix = "use the extension .jsonl for a file with one JSON object per line"});
}

}  // namespace

struct SquadReader::Document {
  dom::parser parser;  // owns all strings
  std::vector<Entry> entries;

  explicit Document(const std::string& path) {
    std::string text = read_decompressed(path, kMaxBytes);
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    try {
      entries = entries_of(parser.parse(text.data(), text.size(), false));
    } catch (const simdjson::simdjson_error& error) {
      throw bad_json<DataError>(path, error);
    }
  }
};

SquadReader::SquadReader(std::string path, bool with_answers) : path_(std::move(path)), with_answers_(with_answers) {
  open_file(path_);  // throws NotFoundError
}
SquadReader::~SquadReader() = default;

const SquadReader::Document& SquadReader::document() {
  if (document_ == nullptr) document_ = std::make_unique<Document>(path_);
  return *document_;
}

int64_t SquadReader::skip(int64_t count) {
  const int64_t skipped = std::min(count, std::ssize(document().entries) - number_);
  number_ += skipped;
  return skipped;
}

bool SquadReader::next() {
  if (number_ == std::ssize(document().entries)) return false;
  const Entry& entry = document().entries[static_cast<size_t>(number_++)];
  try {
    question_ = {
        std::string_view(entry.question["id"]), std::string_view(entry.question["question"]), entry.context, {}};
    if (with_answers_) question_.answers = answers_of(entry.question);
  } catch (const simdjson::simdjson_error& error) {
    throw bad_json<BadRecordError>(path_ + ", question " + std::to_string(number_), error);
  }
  return true;
}

}  // namespace portatune::io
