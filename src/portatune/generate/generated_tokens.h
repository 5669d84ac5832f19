// Generation within another program, such as an evaluation step.
#pragma once

#include "portatune/generate/token_model.h"
#include "portatune/generation.h"

namespace portatune::generate {

/// The texts of sources.
struct GeneratedTokens {
  /// int32 [batch, first tokens + maximal number of new tokens]: the start token or other first tokens, the new tokens,
  /// and pad_token_id after the end of the text.
  Value tokens;
  Value finite;  ///< bool: true if all logits of the batch were finite, else the tokens are arbitrary
  /// float32 [batch]: sum over the new tokens of the logarithms of their probabilities among those that the options
  /// allow; only of scored_tokens().
  Value logprobs = {};
};

/// The text for each source, as part of a program that does more. Compute type and mesh are those of `root`.
///   model    an encoder-decoder model with the head kSeq2SeqLM
///   source   input_ids and attention_mask [batch, length], padded on the right and not packed
///   options  checked by check(); they become constants of the program. num_return_sequences and stop_strings have no
///            effect
///   errors   UsageError for sampling, whose result would depend on the batch, and for more tokens than the decoder
///            reads
GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::TextInputs& source, const GenerationOptions& options);

/// The same for sources that are encoded already. A text ends at the last position of the decoder.
///   first    tokens with which the texts begin, in place of decoder_start_token_id; max_length counts them. Absent
///            padding: none
///   errors   UsageError for sampling, and for first tokens that leave no position
GeneratedTokens generated_tokens(const models::TextModel& model, const nn::Scope& root,
                                 const models::EncodedSource& source, const FirstTokens& first,
                                 const GenerationOptions& options);

/// How the text of each source is chosen.
struct RowTemperatures {
  Value temperatures;  ///< float32 [batch]; 0: by the search of the options, else sampled at this temperature
  Value draws;         ///< int32 [batch], at least 0: numbers on which, with the seed, the random numbers depend
  bool samples;        ///< whether any temperature may be above 0
};
/// The texts of sources at their temperatures, with their log-probabilities. do_sample has no effect, and num_beams
/// has none on sampled texts.
GeneratedTokens scored_tokens(const models::TextModel& model, const nn::Scope& root,
                              const models::EncodedSource& source, const FirstTokens& first, GenerationOptions options,
                              const RowTemperatures& rows);

}  // namespace portatune::generate
