"""The cases of make_model_cases.py for encoders whose attention depends on distances."""

import torch

MPNET = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
}

# The texts are longer than the distances that have buckets, 4 on each side.
DEBERTA_V3 = MPNET | {
    "relative_attention": True,
    "position_buckets": 4,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "max_relative_positions": 8,
}
DEBERTA_V2 = DEBERTA_V3 | {"conv_kernel_size": 3, "conv_act": "gelu"}
UNSHARED = {"share_att_key": False, "norm_rel_ebd": "none"}
NO_BUCKETS = {"position_buckets": -1, "max_relative_positions": 5, "pos_att_type": ["c2p"]}
ABSOLUTE = {"relative_attention": False, "position_biased_input": True, "type_vocab_size": 2}

SINGLE = {"problem_type": "single_label_classification", "num_labels": 3}

ENCODER_CASES = {
    "mpnet_softmax": ("MPNetForSequenceClassification", MPNET | SINGLE),
    "mpnet_token": (
        "MPNetForTokenClassification",
        MPNET | {"num_labels": 5, "hidden_size": 30, "num_attention_heads": 5},
    ),
    "mpnet_qa": ("MPNetForQuestionAnswering", MPNET),
    "mpnet_choice": ("MPNetForMultipleChoice", MPNET),
    "mpnet_mlm": ("MPNetForMaskedLM", MPNET),
    "mpnet_model": ("MPNetModel", MPNET),
    "debertav3_softmax": ("DebertaV2ForSequenceClassification", DEBERTA_V3 | SINGLE),
    "debertav3_token": ("DebertaV2ForTokenClassification", DEBERTA_V3 | {"num_labels": 5}),
    "debertav3_qa": ("DebertaV2ForQuestionAnswering", DEBERTA_V3),
    "debertav3_choice": ("DebertaV2ForMultipleChoice", DEBERTA_V3 | {"pooler_hidden_act": "tanh"}),
    "debertav3_mlm": ("DebertaV2ForMaskedLM", DEBERTA_V3 | {"legacy": False}),
    "debertav3_model": ("DebertaV2Model", DEBERTA_V3 | {"position_buckets": 6, "max_relative_positions": -1}),
    "debertav2_conv": ("DebertaV2ForMaskedLM", DEBERTA_V2),
    "debertav2_unshared": ("DebertaV2ForTokenClassification", DEBERTA_V2 | UNSHARED | {"num_labels": 5}),
    "debertav2_nobuckets": ("DebertaV2ForSequenceClassification", DEBERTA_V3 | UNSHARED | NO_BUCKETS | SINGLE),
    "debertav2_p2c": (
        "DebertaV2ForMaskedLM",
        DEBERTA_V3 | {"pos_att_type": "p2c", "embedding_size": 12, "position_biased_input": True},
    ),
    "debertav2_absolute": ("DebertaV2ForSequenceClassification", DEBERTA_V3 | ABSOLUTE | SINGLE),
}

# Cases of one layer whose gradients are all recorded, because other cases do not have some of the parameters.
WITH_ALL_GRADIENTS = ("debertav2_unshared", "debertav2_nobuckets", "debertav2_p2c")


def without_padding(model, inputs):
    """All texts have the length of the longest. The loss of answers also depends on the states of padding, for which
    DeBERTa in transformers computes the mean of all values, and Portatune attention to the tokens.
    """
    inputs["input_ids"] = torch.where(inputs["attention_mask"] == 1, inputs["input_ids"], 7)
    inputs["attention_mask"] = torch.ones_like(inputs["attention_mask"])


# Settings of single cases.
CHANGES = {"debertav3_qa": without_padding}
