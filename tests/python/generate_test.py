"""Generation: the texts of the command, whole and as a stream."""

import json
import shutil
import unittest

import portatune
import toy
from toy import DATA

OPTIONS = {"max_new_tokens": 8, "quiet": True}


class Generate(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "model"
        shutil.copytree(DATA / "models" / "gpt2_lm", self.model)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(toy.MODEL / name, self.model)

    def test_the_texts_are_those_of_the_command(self):
        prompts = ["the film", "a play"]
        line, other = toy.command("generate", "--model", self.model, "--max-new-tokens", 8, "--json",
                                  "--prompt", prompts[0], "--prompt", prompts[1]).splitlines()
        first, second = portatune.generate(self.model, prompts, **OPTIONS)
        self.assertEqual([first.text, second.text], [json.loads(line)["completion"], json.loads(other)["completion"]])
        self.assertEqual(len(first.ids), json.loads(line)["tokens"])

    def test_several_texts_for_a_prompt_are_a_list(self):
        beams = portatune.generate(self.model, "the film", num_beams=2, num_return_sequences=2, **OPTIONS)
        self.assertEqual([type(beam) for beam in beams], [portatune.Completion] * 2)
        best = portatune.generate(self.model, "the film", num_beams=2, **OPTIONS)
        self.assertEqual(beams[0].ids, best.ids)

    def test_a_conversation_is_a_single_prompt(self):
        template = self.folder / "chat.jinja"
        template.write_text("{% for m in messages %}{{ m.content }} {% endfor %}")
        messages = [{"role": "user", "content": "the film"}, {"role": "assistant", "content": "was"}]
        options = {"chat_template": template, **OPTIONS}
        chat = portatune.generate(self.model, messages, **options)
        plain = portatune.generate(self.model, "the film was ", chat=True, **options)
        self.assertEqual(chat.ids, plain.ids)
        self.assertEqual("".join(portatune.generate(self.model, messages, stream=True, **options)), chat.text)

    def test_a_prompt_of_another_type_is_refused(self):
        for prompt in (None, 3, {"role": "user", "content": "the film"}):
            with self.assertRaisesRegex(portatune.UsageError, r"prompt\n +given .*\n +expected +a text, a list"):
                portatune.generate(self.model, prompt, **OPTIONS)

    def test_a_stream_has_the_same_text(self):
        whole = portatune.generate(self.model, "the film", **OPTIONS)
        self.assertEqual("".join(portatune.generate(self.model, "the film", stream=True, **OPTIONS)), str(whole))

    def test_several_texts_are_no_stream(self):
        for options in ({"num_beams": 2, "num_return_sequences": 2}, {"adapter": ["a=one", "b=two"]}):
            with self.subTest(options=options), self.assertRaisesRegex(portatune.UsageError, "one text") as caught:
                portatune.generate(self.model, "the film", stream=True, **options, **OPTIONS)
            self.assertIn("stream=False", caught.exception.fix)

    def test_a_stream_may_be_left(self):
        stream = portatune.generate(self.model, "the film", stream=True, **OPTIONS)
        next(stream, None)
        stream.close()

    def test_errors_reach_the_reader_of_a_stream(self):
        with self.assertRaises(portatune.NotFoundError):
            list(portatune.generate("/nowhere", "the film", stream=True, **OPTIONS))


if __name__ == "__main__":
    toy.main()
