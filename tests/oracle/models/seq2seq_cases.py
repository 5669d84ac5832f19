"""The encoder-decoder models of make_model_cases.py."""

import torch

BART = {
    "d_model": 24,
    "num_hidden_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 36,
    "vocab_size": 100,
    "max_position_embeddings": 40,
}
# The sizes of further cases.
SMALL_BART = BART | {"num_hidden_layers": 1, "decoder_layers": 1}

# The heads together are smaller than d_model, and the lengths exceed the largest distance of relative positions.
T5 = {
    "d_model": 24,
    "d_kv": 5,
    "d_ff": 40,
    "num_hidden_layers": 2,
    "num_decoder_layers": 1,
    "num_heads": 4,
    "relative_attention_num_buckets": 6,
    "relative_attention_max_distance": 7,
    "vocab_size": 100,
    "decoder_start_token_id": 0,
}
SMALL_T5 = T5 | {"num_hidden_layers": 1, "num_decoder_layers": 1}

# As in published files: the padding is the last token, with which the decoder begins, and is never generated.
MARIAN = BART | {
    "activation_function": "swish",
    "scale_embedding": True,
    "pad_token_id": 99,
    "decoder_start_token_id": 99,
    "eos_token_id": 0,
    "forced_eos_token_id": 0,
}
TWO_VOCABULARIES = {
    "share_encoder_decoder_embeddings": False,
    "decoder_vocab_size": 90,
    "pad_token_id": 70,
    "decoder_start_token_id": 70,
}

SINGLE = {"problem_type": "single_label_classification", "num_labels": 3}

# name: class, configuration
SEQ2SEQ_CASES = {
    "bart_lm": ("BartForConditionalGeneration", BART),
    "bart_lm_scaled": (
        "BartForConditionalGeneration",
        SMALL_BART | {"scale_embedding": True, "activation_function": "relu", "decoder_attention_heads": 2},
    ),
    "bart_softmax": ("BartForSequenceClassification", SMALL_BART | SINGLE),
    "bart_qa": ("BartForQuestionAnswering", SMALL_BART),
    "t5_lm": ("T5ForConditionalGeneration", T5),
    "t5_lm_gated": (
        "T5ForConditionalGeneration",
        SMALL_T5 | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "num_decoder_layers": 2},
    ),
    "t5_softmax": ("T5ForSequenceClassification", SMALL_T5 | SINGLE),
    "mt5_lm": ("MT5ForConditionalGeneration", SMALL_T5),
    "mbart_lm": ("MBartForConditionalGeneration", SMALL_BART | {"scale_embedding": True}),
    "mbart_softmax": ("MBartForSequenceClassification", SMALL_BART | SINGLE),
    "pegasus_lm": ("PegasusForConditionalGeneration", SMALL_BART | {"activation_function": "relu"}),
    "marian_lm": ("MarianMTModel", MARIAN),
    "marian_two_vocabularies": ("MarianMTModel", MARIAN | TWO_VOCABULARIES | {"num_hidden_layers": 1}),
    "umt5_lm": ("UMT5ForConditionalGeneration", T5 | {"num_decoder_layers": 2}),
    "t5_encoder": ("T5EncoderModel", SMALL_T5),
    "t5_token": ("T5ForTokenClassification", SMALL_T5 | {"num_labels": 5}),
    "t5_qa": ("T5ForQuestionAnswering", SMALL_T5),
    "umt5_softmax": ("UMT5ForSequenceClassification", SMALL_T5 | SINGLE),
}


def with_final_bias(model, inputs):
    """A bias of the logits as a checkpoint may have it; new models have zeros."""
    generator = torch.Generator().manual_seed(7)
    model.final_logits_bias.copy_(0.5 * torch.randn(model.final_logits_bias.shape, generator=generator))


def with_sinusoids(model, inputs):
    """Marian's positions, which are not saved, and a bias of the logits."""
    for stack in (model.model.encoder, model.model.decoder):
        stack.embed_positions.weight.copy_(stack.embed_positions.create_weight())
    with_final_bias(model, inputs)


def with_own_output(model, inputs):
    """Checkpoints of T5 v1.1 do not tie the weight of the logits; new models do."""
    generator = torch.Generator().manual_seed(7)
    weight = 0.3 * torch.randn(model.shared.weight.shape, generator=generator)
    model.lm_head.weight = torch.nn.Parameter(weight)


CHANGES = {
    "bart_lm": with_final_bias,
    "t5_lm_gated": with_own_output,
    "mt5_lm": with_own_output,
    "marian_lm": with_sinusoids,
    "marian_two_vocabularies": with_sinusoids,
    "umt5_lm": with_own_output,
}
