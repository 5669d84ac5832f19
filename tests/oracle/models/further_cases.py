"""The cases of make_model_cases.py for further classes, with the configurations of other cases."""

# name: class, case whose configuration it has
CASES = {
    "mbart_qa": ("MBartForQuestionAnswering", "mbart_lm"),
    "mt5_softmax": ("MT5ForSequenceClassification", "t5_softmax"),
    "mt5_token": ("MT5ForTokenClassification", "t5_token"),
    "mt5_qa": ("MT5ForQuestionAnswering", "t5_qa"),
    "umt5_token": ("UMT5ForTokenClassification", "t5_token"),
    "umt5_qa": ("UMT5ForQuestionAnswering", "t5_qa"),
    "mistral_token": ("MistralForTokenClassification", "llama_token"),
    "qwen2_token": ("Qwen2ForTokenClassification", "llama_token"),
    "qwen3_token": ("Qwen3ForTokenClassification", "llama_token"),
    "xlmroberta_token": ("XLMRobertaForTokenClassification", "roberta_token"),
    "xlmroberta_qa": ("XLMRobertaForQuestionAnswering", "roberta_qa"),
    "xlmroberta_choice": ("XLMRobertaForMultipleChoice", "roberta_choice"),
    # Without a head. The names sort behind the first case with a loss, whose training step is compiled.
    "albert_model": ("AlbertModel", "albert_mlm"),
    "bart_model": ("BartModel", "bart_lm_scaled"),
    "bert_model": ("BertModel", "bert_mlm"),
    "bigbird_model": ("BigBirdModel", "bigbird_mlm"),
    "bigbirdpegasus_model": ("BigBirdPegasusModel", "bigbirdpegasus_qa"),
    "deit_without_head": ("DeiTModel", "deit_softmax"),
    "distilbert_model": ("DistilBertModel", "distilbert_mlm"),
    "electra_model": ("ElectraModel", "electra_mlm"),
    "gemma_model": ("GemmaModel", "gemma_token"),
    "gemma2_model": ("Gemma2Model", "gemma2_token"),
    "gemma3_model": ("Gemma3TextModel", "gemma3_softmax"),
    "gpt2_model": ("GPT2Model", "gpt2_qa"),
    "gptneox_model": ("GPTNeoXModel", "gptneox_qa"),
    "llama_model": ("LlamaModel", "llama_qa"),
    "marian_model": ("MarianModel", "marian_two_vocabularies"),
    "mbart_model": ("MBartModel", "mbart_lm"),
    "mistral_model": ("MistralModel", "mistral_qa"),
    "mt5_model": ("MT5Model", "mt5_lm"),
    "mt5_only_encoder": ("MT5EncoderModel", "mt5_lm"),
    "opt_model": ("OPTModel", "opt_350m"),
    "pegasus_model": ("PegasusModel", "pegasus_lm"),
    "phi_model": ("PhiModel", "phi_token"),
    "qwen2_model": ("Qwen2Model", "qwen2_qa"),
    "qwen3_model": ("Qwen3Model", "qwen3_qa"),
    "roberta_model": ("RobertaModel", "roberta_mlm"),
    "smollm3_model": ("SmolLM3Model", "smollm3_qa"),
    "t5_model": ("T5Model", "t5_lm_gated"),
    "umt5_model": ("UMT5Model", "umt5_softmax"),
    "umt5_only_encoder": ("UMT5EncoderModel", "umt5_softmax"),
    "xlmroberta_model": ("XLMRobertaModel", "roberta_mlm"),
}


def with_configurations(tables):
    """The cases as a table of make_model_cases.py: name -> class, configuration."""
    settings = {name: configuration for table in tables for name, (_, configuration) in table.items()}
    return {name: (architecture, settings[other]) for name, (architecture, other) in CASES.items()}


def with_sinusoids(model, inputs):
    """Marian's positions, which are not saved."""
    for stack in (model.encoder, model.decoder):
        stack.embed_positions.weight.copy_(stack.embed_positions.create_weight())


CHANGES = {"marian_model": with_sinusoids}
