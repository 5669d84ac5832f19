"""bench/peers/make_train_case.py NAME FOLDER: a model of a real size with random weights, and a batch for it.

The folder is a case of docs/results/parity.md without results. Vocabularies of more than 32,768 tokens are cut to that
number: the rest would measure one matrix product only.
"""

import json
import pathlib
import sys

import safetensors.torch
import torch
import transformers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import make_reference  # noqa: E402

VOCABULARY = 32768
ROWS, TOKENS, TARGETS = 8, 128, 64

BASE = {"hidden_size": 768, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 3072}
BART = {f"{stack}_{size}": count for stack in ("encoder", "decoder") for size, count in
        (("layers", 6), ("attention_heads", 12), ("ffn_dim", 3072))}
GEMMA = {"vocab_size": VOCABULARY, "hidden_size": 640, "intermediate_size": 2048, "num_attention_heads": 4,
         "num_key_value_heads": 1, "head_dim": 256}
ROTARY = {"vocab_size": VOCABULARY, "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 12,
          "num_attention_heads": 9}
WHISPER = {f"{stack}_{size}": count for stack in ("encoder", "decoder") for size, count in
           (("layers", 4), ("attention_heads", 6), ("ffn_dim", 1536))}

# name: (class, settings of its configuration). Half of the layers of a base model take half of its time.
MODELS = {
    "bert": ("BertForSequenceClassification", BASE),
    "roberta": ("RobertaForSequenceClassification", {**BASE, "vocab_size": VOCABULARY}),
    "distilbert": ("DistilBertForSequenceClassification", {}),
    "albert": ("AlbertForSequenceClassification", {**BASE, "embedding_size": 128}),
    "electra": ("ElectraForSequenceClassification", {}),
    "modernbert": ("ModernBertForSequenceClassification",
                   {"vocab_size": VOCABULARY, "num_hidden_layers": 8, "pad_token_id": 0, "cls_token_id": 1,
                    "sep_token_id": 2, "bos_token_id": 1, "eos_token_id": 2}),
    "mpnet": ("MPNetForSequenceClassification", BASE),
    "deberta-v3": ("DebertaV2ForSequenceClassification",
                   {**BASE, "vocab_size": VOCABULARY, "relative_attention": True, "position_buckets": 256,
                    "max_relative_positions": -1, "norm_rel_ebd": "layer_norm", "share_att_key": True,
                    "pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "type_vocab_size": 0}),
    "bert-mlm": ("BertForMaskedLM", BASE),
    "gpt2": ("GPT2LMHeadModel", {"vocab_size": VOCABULARY, "n_layer": 6}),
    "opt": ("OPTForCausalLM", {"vocab_size": VOCABULARY, "num_hidden_layers": 6}),
    "gptneox": ("GPTNeoXForCausalLM", {"vocab_size": VOCABULARY, "hidden_size": 512, "num_hidden_layers": 6,
                                       "num_attention_heads": 8, "intermediate_size": 2048}),
    "llama": ("LlamaForCausalLM", {**ROTARY, "num_key_value_heads": 3}),
    "mistral": ("MistralForCausalLM", {**ROTARY, "num_key_value_heads": 3}),
    "qwen2": ("Qwen2ForCausalLM", {**ROTARY, "num_key_value_heads": 3}),
    "qwen3": ("Qwen3ForCausalLM", {**ROTARY, "num_key_value_heads": 3, "head_dim": 64}),
    "phi": ("PhiForCausalLM", ROTARY),
    "smollm3": ("SmolLM3ForCausalLM", {**ROTARY, "num_key_value_heads": 3, "pad_token_id": 0}),
    "gemma": ("GemmaForCausalLM", {**GEMMA, "num_hidden_layers": 8}),
    "gemma2": ("Gemma2ForCausalLM", {**GEMMA, "num_hidden_layers": 8, "query_pre_attn_scalar": 256}),
    "gemma3-270m": ("Gemma3ForCausalLM", {**GEMMA, "num_hidden_layers": 18, "sliding_window": 512}),
    "t5-small": ("T5ForConditionalGeneration", {"decoder_start_token_id": 0}),
    "bart-base": ("BartForConditionalGeneration", {"d_model": 768, "vocab_size": VOCABULARY, **BART}),
    "pegasus": ("PegasusForConditionalGeneration", {"d_model": 768, "vocab_size": VOCABULARY, **BART}),
    "vit": ("ViTForImageClassification", {"num_hidden_layers": 6}),
    "wav2vec2": ("Wav2Vec2ForSequenceClassification", {"num_hidden_layers": 6}),
    "wav2vec2-base": ("Wav2Vec2ForSequenceClassification", {}),
    "wav2vec2-ctc": ("Wav2Vec2ForCTC", {"num_hidden_layers": 6, "ctc_loss_reduction": "mean"}),
    "ast": ("ASTForAudioClassification", {"num_hidden_layers": 6, "max_length": 256}),
    "whisper-tiny": ("WhisperForConditionalGeneration",
                     {**WHISPER, "vocab_size": VOCABULARY, "d_model": 384, "decoder_start_token_id": 1,
                      "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 2}),
}


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    architecture, settings = MODELS[name]
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    classes = getattr(transformers, architecture)
    model = classes(classes.config_class(**settings))
    model.save_pretrained(folder)
    safetensors.torch.save_file(batch_of(model), folder / "inputs.safetensors")
    (folder / "case.json").write_text(json.dumps({"architecture": architecture}))


def batch_of(model):
    """Rows of which between half and all tokens are real, so that no library may skip the mask."""
    lengths = [TOKENS - row * TOKENS // (2 * ROWS) for row in range(ROWS)]
    inputs = make_reference.make_inputs(model, lengths, 0)
    if model.config.is_encoder_decoder:
        inputs["labels"] = torch.randint(3, model.config.vocab_size, (ROWS, TARGETS))
    return {name: tensor.contiguous() for name, tensor in inputs.items()}


if __name__ == "__main__":
    main()
