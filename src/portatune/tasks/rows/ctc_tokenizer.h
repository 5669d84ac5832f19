// The characters of models that transcribe speech by CTC: transcriptions to labels, and predicted ids to text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::tasks {

/// The case of the letters that a vocabulary has.
enum class LetterCase { kLower, kUpper, kBoth };

/// A tokenizer with the results of transformers' Wav2Vec2CTCTokenizer.
class CtcTokenizer {
 public:
  /// Reads vocab.json, and tokenizer_config.json, special_tokens_map.json and added_tokens.json if they exist.
  /// language  one of those of vocab.json; empty: target_lang of tokenizer_config.json, if it has several
  /// errors    NotFoundError without vocab.json; CheckpointError that names file and key; UsageError for a language
  ///           that is not in vocab.json
  static CtcTokenizer load(const std::filesystem::path& folder, const std::string& language = {});
  /// The vocabulary that run_speech_recognition_ctc.py makes: sorted characters with "|" in place of the space, then
  /// "[UNK]", "[PAD]", "<s>" and "</s>".
  static CtcTokenizer of_characters(std::set<char32_t> characters);

  /// Number of ids, those of added tokens included.
  int64_t size() const { return std::ssize(tokens_); }
  /// The highest id of vocab.json.
  int32_t last_id() const;
  /// The id of the padding token, which is the blank of CTC.
  int32_t blank_id() const { return blank_id_; }
  /// Whether the vocabulary has the word delimiter, the token of a space.
  bool has_word_delimiter() const { return ids_.contains(config_.word_delimiter); }
  LetterCase letter_case() const;

  /// errors  DataError for text that is not UTF-8
  std::vector<int32_t> encode(std::string_view text) const;
  /// The text of the most probable ids of frames: equal neighbours count once, and blanks separate them.
  std::string decode(std::span<const int32_t> ids) const { return text_of(ids, true); }
  /// The text of labels.
  std::string decode_labels(std::span<const int32_t> labels) const { return text_of(labels, false); }

  /// Names and contents of the files that load() and transformers read.
  std::map<std::string, std::string> files() const;
  /// The same with the vocabulary as that of a language.
  /// others  a folder whose vocab.json may have the vocabularies of other languages, which stay
  std::map<std::string, std::string> files(const std::string& language, const std::filesystem::path& others) const;

 private:
  struct Config {
    std::string bos = "<s>", eos = "</s>", unknown = "<unk>", padding = "<pad>";
    std::string word_delimiter = "|", replaced_delimiter = " ";
    bool do_lower_case = false;
  };
  // A token that is never divided into characters.
  struct WholeToken {
    std::string token;
    bool strips;  // whether white space around it vanishes
  };

  CtcTokenizer(Config config, std::map<std::string, int32_t> vocabulary, std::map<std::string, int32_t> added);

  std::string text_of(std::span<const int32_t> ids, bool merges_repeats) const;
  const WholeToken* whole_token_at(std::string_view text) const;
  void append_characters(std::string_view text, std::vector<int32_t>& ids) const;
  int32_t id_of(const std::string& token) const;
  const std::string& token_of(int32_t id) const;

  Config config_;
  std::map<std::string, int32_t> vocabulary_;  // of vocab.json
  std::map<std::string, int32_t> ids_;         // with the added tokens
  std::map<int32_t, std::string> tokens_;
  std::vector<WholeToken> whole_tokens_;  // long ones first
  int32_t blank_id_ = 0;
};

/// The language of a model folder: target_lang of tokenizer_config.json; empty: it has none.
std::string language_of(const std::filesystem::path& folder);
/// Returns whether vocab.json of a folder has a vocabulary for the language.
bool has_language(const std::filesystem::path& folder, const std::string& language);

}  // namespace portatune::tasks
