#include "portatune/text/train/tokenizer_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace portatune::text {
namespace {

using Options = TokenizerTrainingOptions;

constexpr const char* kPrefix = "##";

bool is_word_piece(const Options& options) { return options.type == TokenizerType::kWordPiece; }
bool is_bpe(const Options& options) { return options.type == TokenizerType::kBpe; }

// The tokens around a text.
struct Frame {
  std::string first, last;
};

std::optional<size_t> id_of(const Options& options, std::string_view token) {
  const auto found = std::ranges::find(options.special_tokens, token);
  if (found == options.special_tokens.end()) return std::nullopt;
  return static_cast<size_t>(found - options.special_tokens.begin());
}

std::optional<Frame> frame_of(const Options& options) {
  const Frame frame = is_bpe(options) ? Frame{"<s>", "</s>"} : Frame{"[CLS]", "[SEP]"};
  if (!id_of(options, frame.first) || !id_of(options, frame.last)) return std::nullopt;
  return frame;
}

OrderedJson byte_level(bool add_prefix_space, bool trim_offsets) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", add_prefix_space},
          {"trim_offsets", trim_offsets},
          {"use_regex", true}};
}

// RoBERTa's mask is lstrip: it takes the space before it.
OrderedJson added_tokens(const Options& options) {
  OrderedJson tokens = OrderedJson::array();
  for (const std::string& token : options.special_tokens) {
    tokens.push_back({{"id", tokens.size()},
                      {"content", token},
                      {"single_word", false},
                      {"lstrip", token == "<mask>"},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", true}});
  }
  return tokens;
}

OrderedJson special(const std::string& token, int type_id) {
  return {{"SpecialToken", {{"id", token}, {"type_id", type_id}}}};
}
OrderedJson sequence(const char* name, int type_id) { return {{"Sequence", {{"id", name}, {"type_id", type_id}}}}; }

OrderedJson bert_template(const Options& options, const Frame& frame) {
  OrderedJson tokens = OrderedJson::object();
  for (const std::string& token : {frame.first, frame.last}) {
    tokens[token] = {
        {"id", token}, {"ids", OrderedJson::array({*id_of(options, token)})}, {"tokens", OrderedJson::array({token})}};
  }
  const OrderedJson single = OrderedJson::array({special(frame.first, 0), sequence("A", 0), special(frame.last, 0)});
  OrderedJson pair = single;
  pair.push_back(sequence("B", 1));
  pair.push_back(special(frame.last, 1));
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", tokens}};
}

OrderedJson post_processor_of(const Options& options) {
  const std::optional<Frame> frame = frame_of(options);
  if (!is_bpe(options)) return frame ? bert_template(options, *frame) : OrderedJson();
  if (!frame) return byte_level(true, false);
  const auto with_id = [&](const std::string& token) { return OrderedJson::array({token, *id_of(options, token)}); };
  return {{"type", "RobertaProcessing"},
          {"sep", with_id(frame->last)},
          {"cls", with_id(frame->first)},
          {"trim_offsets", true},
          {"add_prefix_space", false}};
}

OrderedJson vocabulary_of(const LearnedMerges& learned) {
  OrderedJson vocabulary = OrderedJson::object();
  for (size_t id = 0; id < learned.tokens.size(); ++id) vocabulary[learned.tokens[id]] = id;
  return vocabulary;
}

OrderedJson merges_of(const LearnedMerges& learned) {
  OrderedJson merges = OrderedJson::array();
  for (const auto& [first, second] : learned.pairs) {
    merges.push_back({learned.tokens[static_cast<size_t>(first)], learned.tokens[static_cast<size_t>(second)]});
  }
  return merges;
}

OrderedJson model_of(const Options& options, const LearnedMerges& learned) {
  if (is_word_piece(options)) {
    return {{"type", "WordPiece"},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", kPrefix},
            {"max_input_chars_per_word", 100},
            {"vocab", vocabulary_of(learned)}};
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocabulary_of(learned)},
          {"merges", merges_of(learned)}};
}

OrderedJson model_of(const Options& options, std::span<const ScoredPiece> pieces) {
  OrderedJson vocabulary = OrderedJson::array();
  for (const std::string& token : options.special_tokens) vocabulary.push_back(OrderedJson::array({token, 0.0}));
  for (const auto& [piece, score] : pieces) vocabulary.push_back(OrderedJson::array({piece, score}));
  return {{"type", "Unigram"}, {"unk_id", *id_of(options, "<unk>")}, {"vocab", vocabulary}, {"byte_fallback", false}};
}

OrderedJson metaspace() {
  return {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}};
}

OrderedJson sentence_piece_normalizer(const Options& options) {
  OrderedJson normalizers = OrderedJson::array({OrderedJson{{"type", "Nmt"}}, OrderedJson{{"type", "NFKC"}}});
  if (options.lowercase) normalizers.push_back(OrderedJson{{"type", "Lowercase"}});
  normalizers.push_back(OrderedJson{{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  return {{"type", "Sequence"}, {"normalizers", normalizers}};
}

OrderedJson decoder_of(const Options& options) {
  if (is_bpe(options)) return byte_level(true, true);
  if (!is_word_piece(options)) return metaspace();
  return {{"type", "WordPiece"}, {"prefix", kPrefix}, {"cleanup", true}};
}

// The class that makes the same tokenizer. Those of RoBERTa and GPT-2 never change case, and those of SentencePiece
// normalize otherwise; PreTrainedTokenizerFast takes all stages from tokenizer.json.
const char* class_of(const Options& options) {
  if (is_word_piece(options)) return "BertTokenizer";
  if (!is_bpe(options) || options.lowercase) return "PreTrainedTokenizerFast";
  return frame_of(options) ? "RobertaTokenizer" : "GPT2Tokenizer";
}

struct Role {
  std::string_view name, token;
};
constexpr auto kRoles = std::to_array<Role>({{"unk_token", "[UNK]"},
                                             {"sep_token", "[SEP]"},
                                             {"pad_token", "[PAD]"},
                                             {"cls_token", "[CLS]"},
                                             {"mask_token", "[MASK]"},
                                             {"bos_token", "<s>"},
                                             {"cls_token", "<s>"},
                                             {"eos_token", "</s>"},
                                             {"sep_token", "</s>"},
                                             {"unk_token", "<unk>"},
                                             {"pad_token", "<pad>"},
                                             {"mask_token", "<mask>"},
                                             {"bos_token", "<|endoftext|>"},
                                             {"eos_token", "<|endoftext|>"},
                                             {"unk_token", "<|endoftext|>"}});

OrderedJson config_of(const Options& options) {
  OrderedJson config = {{"tokenizer_class", class_of(options)}};
  for (const Role& role : kRoles) {
    if (id_of(options, role.token) && !config.contains(role.name)) config[std::string(role.name)] = role.token;
  }
  if (is_word_piece(options)) {
    config["do_lower_case"] = options.lowercase;
    config["strip_accents"] = nullptr;
    config["tokenize_chinese_chars"] = true;
  } else if (is_bpe(options)) {
    config["add_prefix_space"] = false;
  }
  return config;
}

std::string text_of(const OrderedJson& json) { return json.dump(2) + "\n"; }

}  // namespace

OrderedJson normalizer_of(const Options& options) {
  if (is_bpe(options)) return options.lowercase ? OrderedJson{{"type", "Lowercase"}} : OrderedJson();
  if (!is_word_piece(options)) return sentence_piece_normalizer(options);
  return {{"type", "BertNormalizer"},
          {"clean_text", true},
          {"handle_chinese_chars", true},
          {"strip_accents", nullptr},
          {"lowercase", options.lowercase}};
}

OrderedJson pre_tokenizer_of(const Options& options) {
  if (is_bpe(options)) return byte_level(false, true);
  return is_word_piece(options) ? OrderedJson{{"type", "BertPreTokenizer"}} : metaspace();
}

namespace {

TokenizerFiles files_of(const Options& options, OrderedJson model, size_t vocab_size) {
  const OrderedJson tokenizer = {{"version", "1.0"},
                                 {"truncation", nullptr},
                                 {"padding", nullptr},
                                 {"added_tokens", added_tokens(options)},
                                 {"normalizer", normalizer_of(options)},
                                 {"pre_tokenizer", pre_tokenizer_of(options)},
                                 {"post_processor", post_processor_of(options)},
                                 {"decoder", decoder_of(options)},
                                 {"model", std::move(model)}};
  return {.tokenizer_json = text_of(tokenizer),
          .tokenizer_config_json = text_of(config_of(options)),
          .vocab_size = static_cast<int64_t>(vocab_size)};
}

}  // namespace

TokenizerFiles tokenizer_files(const Options& options, const LearnedMerges& learned) {
  return files_of(options, model_of(options, learned), learned.tokens.size());
}

TokenizerFiles tokenizer_files(const Options& options, std::span<const ScoredPiece> pieces) {
  return files_of(options, model_of(options, pieces), options.special_tokens.size() + pieces.size());
}

}  // namespace portatune::text
