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
}


def with_final_bias(model, inputs):
    """A bias of the logits as a checkpoint may have it; new models have zeros."""
    generator = torch.Generator().manual_seed(7)
    model.final_logits_bias.copy_(0.5 * torch.randn(model.final_logits_bias.shape, generator=generator))


CHANGES = {"bart_lm": with_final_bias}
