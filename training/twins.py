"""Teach a table that a prompt stays the same when it is mistyped, written stiffly, or wrapped in courtesy and instructions.

    python twins.py --model .work/base-model --routing-part all --out .work/shipped

The vector of a text, and that of a corrupted copy, are drawn to the vector that the text has in the table of ``--model``, which
``export.py`` wrote of a run of ``train.py``. So nothing is learned of meaning, and much of what to leave out. From here on a
mistyped word is taken for a frequent one before it is looked up. One thread, seeded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch.nn import functional as F
from tqdm import trange

from data import MAX_CHARS, MAX_TOKENS, ROUTING_SETS, UNK_ID, Part, add_common_flags, corpus_files, in_part, read_rows
from spelling import Encoder
from typos import mistype_words


@dataclass(frozen=True)
class Recipe:
    """Every setting that shapes the table."""

    frequent_words: int = 16_000
    texts: int = 130_000
    batch: int = 1024
    steps: int = 500
    learning_rate: float = 0.01
    seed: int = 20_261_128


BEFORE = (
    *("Hey, ", "Hi, ", "Hello! ", "Dear team,\n\n", "Good evening. ", "Please ", "Kindly ", "Can you ", "Hope all is well! "),
    *("Would you be so kind as to ", "I would be grateful if you could help with this. ", "Sorry to bother you. "),
    *("I'd appreciate it if you could do this for me: ", "I was wondering whether you could help: ", "Quick question: "),
    *("Here is my question. ", "My request is as follows: ", "I would like to ask the following.\n", "Excuse me, may I ask something? "),
    *("You are an expert. ", "You are an AI model that answers users.\n", "Act as a careful assistant.\n\n", "Instruction: "),
    *("Question: ", "Task: ", "User: ", "### Prompt\n", "Answer the question below.\n\n", "Consider the task that follows and do it well. "),
    *("It is kindly requested that you attend to the matter below: ", "In the following, you are requested to reply to a query. "),
)
AFTER = (
    *(" Thanks!", " Thank you.", " Many thanks for your help!", " Cheers", " Please.", " Have a nice day!", "\n\nBest regards"),
    *(" Thank you so much, I appreciate it.", "\n\nKind regards,\nAlex", "\n\nYours sincerely", "\n\nAnswer:", "\nAssistant:"),
    *("\n\nOutput:", " Take your time.", " Be careful and check your work.", "\n\nExplain step by step.", " Answer in English."),
    *(" Please reply as text only.", "\n\nLet me know if anything is unclear.", " Looking forward to your reply.", " I await your response."),
)
"""What any prompt could have around it. The benchmark ``robustness`` has other phrases."""

CONTRACTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        *((r"n['’]t\b", " not"), (r"['’]m\b", " am"), (r"['’]re\b", " are"), (r"['’]ve\b", " have"), (r"['’]ll\b", " will")),
        (r"\b(what|who|where|how|it|that|there)['’]s\b", r"\1 is"),
    )
)


class Corruptions:
    """Ways of writing a text otherwise."""

    def __init__(self, corpus: Path) -> None:
        self._others: dict[str, list[str]] = {}
        for row in read_rows(corpus / "wordnet.jsonl.gz"):
            words = [word.strip() for word in row["a"].split(":")[0].split(",")]
            words = [word for word in words if re.fullmatch(r"[a-z]{3,}( [a-z]+)?", word)]
            if 2 <= len(words) <= 5:
                for word in words:
                    self._others.setdefault(word, []).extend(other for other in words if other != word)

    def corrupt(self, text: str, rng: Random) -> str:
        """One of the ways, or all of them a little."""
        way = rng.random()
        if way < 0.4:
            return mistype_words(text, rng, share=1 / 3)
        if way < 0.6:
            return self._stiffen(text, rng, share=0.35)
        if way < 0.85:
            return self._wrap(text, rng)
        return mistype_words(self._wrap(self._stiffen(text, rng, share=0.2), rng), rng, share=0.15)

    def _stiffen(self, text: str, rng: Random, share: float) -> str:
        """Contractions written out, words exchanged for others of the same meaning that WordNet has."""

        def other(found: re.Match[str]) -> str:
            others = sorted(set(self._others.get(found.group(), ())))
            return rng.choice(others) if 0 < len(others) <= 8 and rng.random() < share else found.group()

        for pattern, written in CONTRACTIONS:
            text = pattern.sub(written, text)
        return re.sub(r"[a-z]{3,}", other, text)

    @staticmethod
    def _wrap(text: str, rng: Random) -> str:
        where = rng.randrange(3)
        before = "" if where == 1 else rng.choice(BEFORE)
        return before + text + ("" if where == 0 else rng.choice(AFTER))


def read_texts(data: Path, part: Part, recipe: Recipe, rng: Random) -> list[str]:
    """Texts of the corpus, of large sources fewer than their share, and all routing prompts of the part."""
    lines = []
    for path in corpus_files(data / "corpus"):
        with gzip.open(path, "rt", encoding="utf-8") as rows:
            lines.append([line for line, _ in zip(rows, range(20_000), strict=False)])
    shares = np.array([len(each) for each in lines]) ** 0.7
    counts = (recipe.texts * shares / shares.sum()).astype(int)
    chosen = [json.loads(line) for each, count in zip(lines, counts, strict=True) for line in rng.sample(each, min(len(each), int(count)))]
    texts = [row["a" if rng.random() < 0.7 else "p"] for row in chosen]
    for name in ROUTING_SETS:
        texts += [row["prompt"] for row in read_rows(data / "routing" / name / "prompts.jsonl.gz") if in_part(row["prompt"], part)]
    texts = [text[:MAX_CHARS] for text in texts if len(text) >= 12]
    rng.shuffle(texts)
    return texts


def read_table(model: Path) -> np.ndarray:
    """The rows of an exported table, f32, of length 1 on average, which changes no vector."""
    constants = {each.name: numpy_helper.to_array(each) for each in onnx.load(model / "onnx" / "model.onnx").graph.initializer}
    table = constants["rows"].astype(np.float32) * constants["scales"][:, None]
    lengths = np.linalg.norm(table, axis=1)
    return table / np.sqrt((lengths[lengths > 0] ** 2).mean())


def embed(table: torch.Tensor, texts: list[list[int]]) -> torch.Tensor:
    """Unit vectors [n, d]."""
    known = [[token for token in text[:MAX_TOKENS] if token > UNK_ID] for text in texts]
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in known])[:-1])).astype(np.int64)
    ids = torch.from_numpy(np.array([token for text in known for token in text], dtype=np.int64))
    return F.normalize(F.embedding_bag(ids, table, torch.from_numpy(offsets), mode="sum"))


def train(start: np.ndarray, texts: list[str], tokenizer: Tokenizer, corruptions: Corruptions, recipe: Recipe) -> np.ndarray:
    """The table that keeps its vectors under corruption, f32."""
    rng, plain, spelt = Random(recipe.seed), Encoder(tokenizer), Encoder(tokenizer, recipe.frequent_words)
    before, table = torch.from_numpy(start), torch.from_numpy(start.copy()).requires_grad_()
    optimiser = torch.optim.Adam([table], lr=recipe.learning_rate)
    progress, running = trange(recipe.steps, desc="twins", mininterval=10), None
    for step in progress:
        batch = [texts[(step * recipe.batch + row) % len(texts)] for row in range(recipe.batch)]
        with torch.no_grad():
            wanted = embed(before, plain.encode(batch))
        copies = [corruptions.corrupt(text, rng) for text in batch]
        losses = [(1 - (embed(table, spelt.encode(each)) * wanted).sum(1)).mean() for each in (copies, batch)]
        optimiser.param_groups[0]["lr"] = recipe.learning_rate * (1 - step / recipe.steps)
        optimiser.zero_grad()
        sum(losses).backward()
        optimiser.step()
        now = np.array([loss.item() for loss in losses])
        running = now if running is None else 0.95 * running + 0.05 * now
        progress.set_postfix(copies=f"{running[0]:.4f}", texts=f"{running[1]:.4f}", refresh=False)
    return table.detach().numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--model", type=Path, required=True, help="folder that export.py wrote of a run of train.py")
    parser.add_argument("--run", type=Path, required=True, help="run.json of that run")
    parser.add_argument("--routing-part", choices=("all", "train", "fit"), default="all", help="as that run had")
    parser.add_argument("--out", type=Path, required=True, help="folder for token-table.npy and run.json")
    for name, default in vars(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    args = parser.parse_args()
    torch.set_num_threads(1)
    recipe = Recipe(**{name: getattr(args, name) for name in vars(Recipe())})
    run = json.loads(args.run.read_text(encoding="utf-8"))
    started = time.monotonic()
    texts = read_texts(args.data, args.routing_part, recipe, Random(recipe.seed))
    tokenizer = Tokenizer.from_file(str(args.model / "tokenizer.json"))
    table = train(read_table(args.model), texts, tokenizer, Corruptions(args.data / "corpus"), recipe)
    args.out.mkdir(parents=True, exist_ok=True)
    np.save(args.out / "token-table.npy", table)
    run = {**run, "twins": vars(recipe), "twin_texts": len(texts), "twins_seconds": round(time.monotonic() - started)}
    (args.out / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
