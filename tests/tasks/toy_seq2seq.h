// Small encoder-decoder models without weights, whose tokens are words.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/temporary_folder.h"

namespace portatune {

/// Writes tokenizer.json. Texts are <s> words </s>; the ids of <s>, <pad>, </s>, <unk> are 0 to 3, that of the i-th
/// word is 4 + i.
inline void write_word_tokenizer(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  using Json = nlohmann::ordered_json;
  Json vocab, added = Json::array(), special;
  for (const std::string token : {"<s>", "<pad>", "</s>", "<unk>"}) {
    const size_t id = vocab.size();
    vocab[token] = id;
    added.push_back({{"id", id},
                     {"content", token},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
    special[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  }
  for (const std::string& word : words) vocab[word] = vocab.size();
  const auto token = [](const char* id) { return Json{{"SpecialToken", {{"id", id}, {"type_id", 0}}}}; };
  const auto text = [](const char* id) { return Json{{"Sequence", {{"id", id}, {"type_id", 0}}}}; };
  const Json tokenizer = {{"version", "1.0"},
                          {"truncation", nullptr},
                          {"padding", nullptr},
                          {"added_tokens", added},
                          {"normalizer", nullptr},
                          {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                          {"post_processor",
                           {{"type", "TemplateProcessing"},
                            {"single", Json::array({token("<s>"), text("A"), token("</s>")})},
                            {"pair", Json::array({token("<s>"), text("A"), token("</s>"), text("B"), token("</s>")})},
                            {"special_tokens", {{"<s>", special["<s>"]}, {"</s>", special["</s>"]}}}}},
                          {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", false}}},
                          {"model",
                           {{"type", "WordPiece"},
                            {"unk_token", "<unk>"},
                            {"continuing_subword_prefix", "##"},
                            {"max_input_chars_per_word", 100},
                            {"vocab", vocab}}}};
  write_text(folder / "tokenizer.json", tokenizer.dump());
  write_text(folder / "tokenizer_config.json",
             R"({"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"})");
}

/// Writes a BART of one layer.
/// size  width of the hidden states
inline void write_toy_bart(const std::filesystem::path& folder, const std::vector<std::string>& words,
                           int64_t size = 16) {
  using Json = nlohmann::ordered_json;
  const Json config = {{"architectures", {"BartForConditionalGeneration"}},
                       {"model_type", "bart"},
                       {"vocab_size", 4 + words.size()},
                       {"d_model", size},
                       {"encoder_layers", 1},
                       {"decoder_layers", 1},
                       {"encoder_attention_heads", 4},
                       {"decoder_attention_heads", 4},
                       {"encoder_ffn_dim", 4 * size},
                       {"decoder_ffn_dim", 4 * size},
                       {"max_position_embeddings", 64},
                       {"activation_function", "gelu"},
                       {"dropout", 0.0},
                       {"pad_token_id", 1},
                       {"bos_token_id", 0},
                       {"eos_token_id", 2},
                       {"decoder_start_token_id", 2},
                       {"is_encoder_decoder", true}};
  write_word_tokenizer(folder, words);
  write_text(folder / "config.json", config.dump());
}

/// Writes a T5 of two layers.
/// size  width of the hidden states
inline void write_toy_t5(const std::filesystem::path& folder, const std::vector<std::string>& words,
                         int64_t size = 16) {
  using Json = nlohmann::ordered_json;
  const Json config = {{"architectures", {"T5ForConditionalGeneration"}},
                       {"model_type", "t5"},
                       {"vocab_size", 4 + words.size()},
                       {"d_model", size},
                       {"d_kv", size / 4},
                       {"d_ff", 4 * size},
                       {"num_layers", 2},
                       {"num_heads", 4},
                       {"relative_attention_num_buckets", 16},
                       {"relative_attention_max_distance", 16},
                       {"dropout_rate", 0.0},
                       {"pad_token_id", 1},
                       {"eos_token_id", 2},
                       {"decoder_start_token_id", 1},
                       {"is_encoder_decoder", true}};
  write_word_tokenizer(folder, words);
  write_text(folder / "config.json", config.dump());
}

}  // namespace portatune
