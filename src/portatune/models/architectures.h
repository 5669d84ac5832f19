// The architectures, one file each. The registry chooses one by `model_type` of config.json.
#pragma once

#include <memory>

#include "portatune/media_models.h"
#include "portatune/models.h"

namespace portatune::models {

// All functions throw a CheckpointError for a value out of range and for an unsupported variant.

/// ALBERT. Lan et al. 2019, arXiv:1909.11942
std::unique_ptr<TextModel> albert(const io::JsonObject& config);
/// BERT. Devlin et al. 2018, arXiv:1810.04805
std::unique_ptr<TextModel> bert(const io::JsonObject& config);
/// Big Bird, whose attention to long texts is by blocks. Zaheer et al. 2020, arXiv:2007.14062
std::unique_ptr<TextModel> big_bird(const io::JsonObject& config);
/// DeBERTa v2 and v3: attention to contents and, apart from them, to distances. He et al. 2020, arXiv:2006.03654; He et
/// al. 2021, arXiv:2111.09543
std::unique_ptr<TextModel> deberta_v2(const io::JsonObject& config);
/// DistilBERT. Sanh et al. 2019, arXiv:1910.01108
std::unique_ptr<TextModel> distilbert(const io::JsonObject& config);
/// ELECTRA, discriminator and generator. Clark et al. 2020, arXiv:2003.10555
std::unique_ptr<TextModel> electra(const io::JsonObject& config);
/// ModernBERT. Warner et al. 2024, arXiv:2412.13663
std::unique_ptr<TextModel> modernbert(const io::JsonObject& config);
/// MPNet: BERT with a bias of attention by distance. Song et al. 2020, arXiv:2004.09297
std::unique_ptr<TextModel> mpnet(const io::JsonObject& config);
/// RoBERTa. Liu et al. 2019, arXiv:1907.11692
std::unique_ptr<TextModel> roberta(const io::JsonObject& config);
/// XLM-RoBERTa: RoBERTa in a hundred languages. Conneau et al. 2019, arXiv:1911.02116
std::unique_ptr<TextModel> xlm_roberta(const io::JsonObject& config);

/// ViT. Dosovitskiy et al. 2020, arXiv:2010.11929
std::unique_ptr<ImageModel> vit(const io::JsonObject& config);
/// DeiT. Touvron et al. 2020, arXiv:2012.12877
std::unique_ptr<ImageModel> deit(const io::JsonObject& config);

/// Colorization Transformer: colorizer, color upsampler and spatial upsampler. Kumar et al. 2021, arXiv:2102.04432
std::unique_ptr<ColorModel> coltran(const io::JsonObject& config);

/// Audio Spectrogram Transformer: ViT on spectrograms. Gong et al. 2021, arXiv:2104.01778
std::unique_ptr<AudioModel> ast(const io::JsonObject& config);
/// HuBERT: the layers of wav2vec 2.0. Hsu et al. 2021, arXiv:2106.07447
std::unique_ptr<AudioModel> hubert(const io::JsonObject& config);
/// wav2vec 2.0. Baevski et al. 2020, arXiv:2006.11477
std::unique_ptr<AudioModel> wav2vec2(const io::JsonObject& config);

/// Whisper, which transcribes and translates speech. Radford et al. 2022, arXiv:2212.04356
std::unique_ptr<TextModel> whisper(const io::JsonObject& config);
/// The decoder of Whisper alone, which continues texts.
std::unique_ptr<TextModel> whisper_decoder(const io::JsonObject& config);
/// The encoder of Whisper with a head for classes.
std::unique_ptr<AudioModel> whisper_classifier(const io::JsonObject& config);

/// GPT-2. Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"
std::unique_ptr<TextModel> gpt2(const io::JsonObject& config);

/// OPT, with the norm before each half of a layer or, as in opt-350m, after it. Zhang et al. 2022, arXiv:2205.01068
std::unique_ptr<TextModel> opt(const io::JsonObject& config);

/// Llama. Touvron et al. 2023, arXiv:2302.13971 and 2307.09288; Grattafiori et al. 2024, arXiv:2407.21783
std::unique_ptr<TextModel> llama(const io::JsonObject& config);

/// Mistral: Llama with a sliding window. Jiang et al. 2023, arXiv:2310.06825
std::unique_ptr<TextModel> mistral(const io::JsonObject& config);

/// Qwen2: Llama with biases for queries, keys and values, and windows in the upper layers. Yang et al. 2024,
/// arXiv:2407.10671
std::unique_ptr<TextModel> qwen2(const io::JsonObject& config);

/// SmolLM3: Llama with layers without positions. Bakouch et al. 2025, "SmolLM3"; Yang et al. 2025, arXiv:2501.18795
std::unique_ptr<TextModel> smollm3(const io::JsonObject& config);

/// GPT-NeoX and Pythia, whose positions rotate a part of each head. Black et al. 2022, arXiv:2204.06745; Biderman et
/// al. 2023, arXiv:2304.01373
std::unique_ptr<TextModel> gpt_neox(const io::JsonObject& config);

/// Phi-1, Phi-1.5 and Phi-2. Gunasekar et al. 2023, arXiv:2306.11644; Li et al. 2023, arXiv:2309.05463
std::unique_ptr<TextModel> phi(const io::JsonObject& config);

/// Gemma: Llama with norms around 1 and scaled words. Gemma Team 2024, arXiv:2403.08295
std::unique_ptr<TextModel> gemma(const io::JsonObject& config);
/// Gemma 2: bounded scores and logits, windows in every second layer, norms after each half of a layer. Gemma Team
/// 2024, arXiv:2408.00118
std::unique_ptr<TextModel> gemma2(const io::JsonObject& config);
/// The language model of Gemma 3: norms of queries and keys in place of bounds, and other rotary positions in layers
/// with a window. Gemma Team 2025, arXiv:2503.19786
std::unique_ptr<TextModel> gemma3(const io::JsonObject& config);

/// Qwen3: Qwen2 with norms of queries and keys, and without the biases. Yang et al. 2025, arXiv:2505.09388
std::unique_ptr<TextModel> qwen3(const io::JsonObject& config);

/// BART. Lewis et al. 2019, arXiv:1910.13461
std::unique_ptr<TextModel> bart(const io::JsonObject& config);

/// mBART: BART with norms before each part of a layer. Liu et al. 2020, arXiv:2001.08210
std::unique_ptr<TextModel> mbart(const io::JsonObject& config);

/// Pegasus: mBART with sinusoids for positions. Zhang et al. 2020, arXiv:1912.08777
std::unique_ptr<TextModel> pegasus(const io::JsonObject& config);
/// BigBirdPegasus: Pegasus with learned positions and an encoder with Big Bird's attention. Zaheer et al. 2020,
/// arXiv:2007.14062
std::unique_ptr<TextModel> bigbird_pegasus(const io::JsonObject& config);
/// Marian: the Transformer with one vocabulary for both sides or one for each. Junczys-Dowmunt et al. 2018,
/// arXiv:1804.00344; Tiedemann and Thottingal 2020, "OPUS-MT"
std::unique_ptr<TextModel> marian(const io::JsonObject& config);

/// T5, v1.0 and v1.1. Raffel et al. 2020, arXiv:1910.10683; Shazeer 2020, arXiv:2002.05202
std::unique_ptr<TextModel> t5(const io::JsonObject& config);
/// mT5: T5 v1.1 in a hundred languages. Xue et al. 2021, arXiv:2010.11934
std::unique_ptr<TextModel> mt5(const io::JsonObject& config);
/// UMT5: mT5 with a bias by distance in every layer. Chung et al. 2023, arXiv:2304.09151
std::unique_ptr<TextModel> umt5(const io::JsonObject& config);

}  // namespace portatune::models
