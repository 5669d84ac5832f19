"""Makes tests/data/chat/toy, a tokenizer of 100 tokens for conversations, and tests/data/chat/labels.json: ids and
labels of conversations by transformers 5.23.0 and by the rules of the SFTTrainer of trl 1.16.0.

Run by hand from the root of the repository, with transformers 5.23.0 and tokenizers 0.23.3:
    python tests/oracle/text/make_chat_cases.py
"""

import json
import pathlib
import shutil

import tokenizers
import transformers

DATA = pathlib.Path("tests/data/chat")
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>",
           "<|end_header_id|>"]
CORPUS = ["user assistant system " * 50, "is it day? yes. no, it is not.\n" * 20, "say a day: one, two 🙂 é |<>[]\n" * 3,
          "qzxvkjwfgpbmcrlhd"]


def make_tokenizer():
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=100, special_tokens=SPECIAL, initial_alphabet=[])
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>",
                                                pad_token="<pad>", unk_token="<unk>")
    shutil.rmtree(DATA / "toy", ignore_errors=True)
    fast.save_pretrained(DATA / "toy")
    return transformers.AutoTokenizer.from_pretrained(DATA / "toy")


def message(role, content):
    return {"role": role, "content": content}


USER, YES, NO = message("user", "is it day?"), message("assistant", "yes."), message("assistant", " no 🙂")
SYSTEM, SAY = message("system", "say yes"), message("user", "é one")
CONVERSATIONS = [[USER, YES], [SYSTEM, USER, NO], [USER, YES, SAY, NO], [SYSTEM, USER, NO, SAY, YES, USER, YES],
                 [USER, YES, SAY], [USER, message("assistant", "")], [YES, USER, NO]]


def labels(ids, mask):
    return [token if bit else -100 for token, bit in zip(ids, mask)]


def mask_of_spans(encoding, spans):
    """The mask of the tokens in generation blocks, computed as in apply_chat_template."""
    mask = [0] * len(encoding["input_ids"])
    for begin, end in spans:
        first, last = encoding.char_to_token(begin), encoding.char_to_token(end - 1)
        if first is None:
            break
        for i in range(first, last + 1 if last else len(mask)):
            mask[i] = 1
    return mask


def by_prefixes(tokenizer, messages):
    """The mask of the text that each message of the assistant adds, for templates without generation blocks."""
    spans = []
    whole = tokenizer.apply_chat_template(messages, tokenize=False)
    for i, one in enumerate(messages):
        if one["role"] != "assistant":
            continue
        before = tokenizer.apply_chat_template(messages[:i], tokenize=False, add_generation_prompt=True) if i else ""
        until = tokenizer.apply_chat_template(messages[: i + 1], tokenize=False)
        assert until.startswith(before) and whole.startswith(until)
        spans.append((len(before), len(until)))
    encoding = tokenizer(whole, add_special_tokens=False)
    return encoding["input_ids"], mask_of_spans(encoding, spans)


def conversations(tokenizer):
    for name in ("chatml", "headers", "inst", "bars"):
        tokenizer.chat_template = (DATA / f"{name}.jinja").read_text()
        marks = "generation %}" in tokenizer.chat_template
        for messages in CONVERSATIONS:
            if not marks and messages[0]["role"] == "assistant":
                continue  # what to write for no message at all is each template's own affair
            if marks:
                out = tokenizer.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True,
                                                    date_string="1 Jan 2000")
                ids, mask = out["input_ids"], out["assistant_masks"]
            else:
                ids, mask = by_prefixes(tokenizer, messages)
            yield {"template": name, "messages": messages, "ids": ids, "labels": labels(ids, mask)}


def after_common_prefix(prompt, whole):
    """The mask of the completion in trl 1.16.0: the tokens after the common prefix of the prompt and the whole."""
    length = 0
    while length < min(len(prompt), len(whole)) and prompt[length] == whole[length]:
        length += 1
    return [0] * length + [1] * (len(whole) - length)


def completions(tokenizer):
    for prompt, completion in [("is it day?", " yes."), ("say", "s no"), ("", "yes"), ("one two", ""), ("é", "🙂</s>")]:
        ended = completion if completion.endswith("</s>") else completion + "</s>"
        first, whole = tokenizer(prompt)["input_ids"], tokenizer(prompt + ended)["input_ids"]
        yield {"prompt": prompt, "completion": completion, "ids": whole,
               "labels": labels(whole, after_common_prefix(first, whole))}
    for name in ("chatml", "bars"):
        tokenizer.chat_template = (DATA / f"{name}.jinja").read_text()
        for messages in CONVERSATIONS[:4]:
            prompt, completion = messages[:-1], messages[-1:]
            first = tokenizer.apply_chat_template(prompt, add_generation_prompt=True)["input_ids"]
            whole = tokenizer.apply_chat_template(messages)["input_ids"]
            yield {"template": name, "prompt": prompt, "completion": completion, "ids": whole,
                   "labels": labels(whole, after_common_prefix(first, whole))}


def lines(rows):
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"


def main():
    tokenizer = make_tokenizer()
    (DATA / "labels.json").write_text('{"conversations": ' + lines(list(conversations(tokenizer))) +
                                      ',\n"completions": ' + lines(list(completions(tokenizer))) + "}\n")


main()
