"""Training text: reading, encoding once into flat arrays, and drawing batches.

A source is one file of ``DATA/corpus`` or the routing prompts. Texts are stored once as token ids in one flat array;
a row of a source is (anchor text, positive text, hard negative text or -1, label). Two rows of equal label are no
negatives of each other; a row without label has one of its own.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tqdm import tqdm

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_CHARS = 600
MAX_TOKENS = 128
UNK_ID = 1

ROUTING_SETS = ("mmlu_pro", "zeroeval", "routellm", "llmrouter_ulab", "misguided_attention")
"""Sets whose prompts may be trained on. ``routerbench_subset`` is for measuring only."""

SPLIT_SALT = "sextant-split-"
TEST_SHARE = 0.3

Part = Literal["all", "train", "fit", "none"]
"""``all`` prompts; the ``train`` part; ``fit`` = the train part less a validation fifth."""

Positives = Literal["category", "benchmark"]
"""What makes two routing prompts a pair: the same benchmark and category, or the same benchmark."""


def add_common_flags(parser: argparse.ArgumentParser) -> None:
    """The flags every script takes: where the data is, where intermediate files go."""
    here = Path(__file__).parent
    parser.add_argument("--data", type=Path, default=here / "../../shared/data", help="folder with corpus/, routing/ …")
    parser.add_argument("--work-dir", type=Path, default=here / ".work", help="intermediate files")


def corpus_files(corpus: Path) -> list[Path]:
    """The files of the corpus in a fixed order."""
    files = sorted(corpus.glob("*.jsonl.gz"))
    if not files:
        raise SystemExit(f"no *.jsonl.gz under {corpus}; pass --data")
    return files


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a ``.jsonl.gz`` file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def unit_hash(salt: str, prompt: str) -> float:
    """A stable number in [0, 1): the first 32 bits of SHA-256 of salt, newline, prompt."""
    digest = hashlib.sha256(f"{salt}\n{prompt}".encode("utf-8", "surrogatepass")).hexdigest()
    return int(digest[:8], 16) / 2**32


def is_test(prompt: str, split: int = 0) -> bool:
    """Whether a routing prompt is in the test part (about 30 %) of this split. The TypeScript side does the same."""
    return unit_hash(f"{SPLIT_SALT}{split}", prompt) < TEST_SHARE


def is_validation(prompt: str) -> bool:
    """Whether a prompt of the training part is kept for choosing settings (about 20 % of that part)."""
    return not is_test(prompt) and unit_hash("sextant-validation-0", prompt) < 0.2


def in_part(prompt: str, part: Part, split: int = 0) -> bool:
    """Whether a routing prompt may be trained on in this part of this split."""
    if part == "all":
        return True
    return not is_test(prompt, split) and not (part == "fit" and is_validation(prompt))


@dataclass(frozen=True)
class Texts:
    """Token ids of all texts, end to end; text ``i`` is ``ids[starts[i]:starts[i + 1]]``."""

    ids: np.ndarray
    starts: np.ndarray

    def gather(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ids of the given texts end to end, and the offset at which each begins."""
        first, lengths = self.starts[texts], np.diff(self.starts)[texts]
        offsets = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        positions = np.arange(lengths.sum()) + np.repeat(first - offsets, lengths)
        return self.ids[positions], offsets


@dataclass(frozen=True)
class Source:
    """Rows of one source, each column of length n."""

    name: str
    anchor: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    label: np.ndarray


class TextTable:
    """Collects texts, each once, and encodes them in the end."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}

    def add(self, text: str) -> int:
        """Number of the text, cut to ``MAX_CHARS``."""
        return self._index.setdefault(text[:MAX_CHARS], len(self._index))

    def encode(self, tokenizer: Tokenizer) -> Texts:
        """Token ids of all texts, cut to ``MAX_TOKENS``, unknown tokens dropped."""
        texts, chunks, lengths = list(self._index), [], []
        for start in tqdm(range(0, len(texts), 10_000), desc="encode", unit="10k"):
            for encoding in tokenizer.encode_batch_fast(texts[start : start + 10_000]):
                ids = np.asarray(encoding.ids[:MAX_TOKENS], dtype=np.int32)
                ids = ids[ids != UNK_ID]
                chunks.append(ids)
                lengths.append(len(ids))
        return Texts(np.concatenate(chunks), np.concatenate(([0], np.cumsum(lengths))))


def load_corpus(corpus: Path, tokenizer: Tokenizer, cache: Path) -> tuple[Texts, list[Source]]:
    """The encoded corpus; encoded on the first call (minutes), read from ``cache`` afterwards."""
    if not cache.exists():
        _encode_corpus(corpus, tokenizer, cache)
    with np.load(cache) as stored:
        texts = Texts(stored["ids"], stored["starts"])
        names = [str(name) for name in stored["names"]]
        sources = [Source(name, *stored[f"rows/{name}"]) for name in names]
    return texts, sources


def _encode_corpus(corpus: Path, tokenizer: Tokenizer, cache: Path) -> None:
    table, columns = TextTable(), {}
    for path in tqdm(corpus_files(corpus), desc="read", unit="file"):
        labels: dict[Any, int] = defaultdict(lambda: len(labels))
        rows = [
            (
                table.add(row["a"]),
                table.add(row["p"]),
                table.add(row["n"]) if row.get("n") else -1,
                labels[row["label"]] if row.get("label") is not None else -1 - number,
            )
            for number, row in enumerate(read_rows(path))
        ]
        columns[path.name.removesuffix(".jsonl.gz")] = np.asarray(rows, dtype=np.int64).T
    texts = table.encode(tokenizer)
    cache.parent.mkdir(parents=True, exist_ok=True)
    named = {f"rows/{name}": column for name, column in columns.items()}
    np.savez(cache, ids=texts.ids, starts=texts.starts, names=np.asarray(list(columns)), **named)


@dataclass(frozen=True)
class RoutingPrompts:
    """Routing prompts with the group each belongs to (set, benchmark, category), and their set."""

    texts: Texts
    group: np.ndarray
    set_number: np.ndarray


def load_routing(
    routing: Path, tokenizer: Tokenizer, part: Part, positives: Positives = "category", split: int = 0
) -> RoutingPrompts:
    """Distinct prompts of the permitted sets in this part of the split, grouped as ``positives`` says."""
    if part == "none":
        nobody = np.empty(0, np.int64)
        return RoutingPrompts(Texts(np.empty(0, np.int32), np.zeros(1, np.int64)), nobody, nobody)
    table, groups, members = TextTable(), defaultdict(lambda: len(groups)), {}
    for number, name in enumerate(ROUTING_SETS):
        for row in read_rows(routing / name / "prompts.jsonl.gz"):
            if in_part(row["prompt"], part, split):
                key = (name, row["benchmark"], row["category"] if positives == "category" else "")
                members.setdefault(table.add(row["prompt"]), (groups[key], number))
    group, set_number = np.asarray([members[i] for i in range(len(members))]).T
    return RoutingPrompts(table.encode(tokenizer), group, set_number)


def draw_partners(group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each prompt another one of its group, uniformly; itself where it is alone."""
    partners = np.empty(len(group), dtype=np.int64)
    for members in np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1]):
        if len(members) > 0:
            shift = rng.integers(1, max(2, len(members)), size=len(members))
            partners[members] = members[(np.arange(len(members)) + shift) % len(members)]
    return partners
