"""Adapt a table trained on the corpus alone to prompts that are routed, and to how well models answered them.

    python adapt.py --table .work/corpus-only/token-table.npy --routing-part train --split 0 --out .work/heldout-0

Two losses on batches of one set, some of their prompts mistyped, all with tokens left out at random: prompts of one
category lie close together and apart from the set's others; and a linear head of each set's own, thrown away
afterwards, says from the vector how well each model answers. The head shares one direction, the ease of a prompt,
with the heads of the other sets. A few runs that differ in the seed are averaged: they start at the same table, so
their mean is one too, with less of what each learnt by heart.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer
from torch.nn import functional as F
from tqdm import tqdm

from data import MAX_CHARS, MAX_TOKENS, ROUTING_SETS, UNK_ID, Part, add_common_flags, in_part, read_rows
from typos import mistype


@dataclass(frozen=True)
class Recipe:
    """Every setting that shapes the adaptation."""

    epochs: int = 2
    batch: int = 256
    learning_rate: float = 0.005
    head_learning_rate: float = 0.01
    token_dropout: float = 0.3
    mistyped_share: float = 0.5
    mistyped_copies: int = 3
    category_weight: float = 1.0
    outcome_weight: float = 1.0
    temperature: float = 0.05
    logit_scale: float = 6.0
    averaged_runs: int = 3
    seed: int = 20_261_121


@dataclass(frozen=True)
class ScoredPrompts:
    """Prompts of one set with what models scored on them."""

    name: str
    texts: list[np.ndarray]
    """Token ids, [n]."""
    mistyped: list[list[np.ndarray]]
    """Token ids of mistyped copies, [copies][n]."""
    quality: np.ndarray
    """Scores in [0, 1], [n, models]; NaN = not scored."""
    group: np.ndarray
    """Number of the prompt's benchmark and category, [n]."""


def load_scored(folder: Path, part: Part, split: int, tokenizer: Tokenizer, recipe: Recipe) -> ScoredPrompts:
    """The prompts of a set in this part of the split that any model was scored on."""
    rows = [row for row in read_rows(folder / "prompts.jsonl.gz") if in_part(row["prompt"], part, split)]
    outcomes = pd.read_parquet(folder / "outcomes.parquet", columns=["id", "model", "score"])
    table = outcomes.pivot_table(index="id", columns="model", values="score").reindex([row["id"] for row in rows])
    scored = table.notna().any(axis=1).to_numpy()
    rows = [row for row, known in zip(rows, scored, strict=True) if known]
    prompts = [row["prompt"][:MAX_CHARS] for row in rows]
    rng = np.random.default_rng([recipe.seed, ROUTING_SETS.index(folder.name)])
    copies = [[mistype(prompt, rng) for prompt in prompts] for _ in range(recipe.mistyped_copies)]
    labels = [f"{row['benchmark']}\n{row['category']}" for row in rows]
    return ScoredPrompts(
        folder.name,
        encode(prompts, tokenizer),
        [encode(copy, tokenizer) for copy in copies],
        table.to_numpy(np.float32)[scored],
        np.unique(labels, return_inverse=True)[1],
    )


def encode(texts: list[str], tokenizer: Tokenizer) -> list[np.ndarray]:
    """Token ids of each text, unknown tokens dropped."""
    encodings = tokenizer.encode_batch_fast(texts)
    ids = (np.asarray(encoding.ids[:MAX_TOKENS], dtype=np.int64) for encoding in encodings)
    return [each[each != UNK_ID] for each in ids]


def embed(table: torch.Tensor, texts: list[np.ndarray]) -> torch.Tensor:
    """Unit vectors [n, d]."""
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in texts])[:-1]))
    ids = torch.from_numpy(np.concatenate(texts))
    return F.normalize(F.embedding_bag(ids, table, torch.from_numpy(offsets), mode="sum", sparse=True))


class Heads:
    """Per set: vector → logit of each model's score. Ease is one direction for all sets and models."""

    def __init__(self, sets: list[ScoredPrompts], dimensions: int, scale: float) -> None:
        self._scale = scale
        self._ease = torch.zeros(dimensions, requires_grad=True)
        self._weights, self._biases = [], []
        for each in sets:
            mean = np.clip(np.nanmean(each.quality, axis=0), 0.02, 0.98)
            self._weights.append(torch.zeros(dimensions, len(mean), requires_grad=True))
            self._biases.append(torch.tensor(np.log(mean / (1 - mean)), dtype=torch.float32, requires_grad=True))

    def parameters(self) -> list[torch.Tensor]:
        return [self._ease, *self._weights, *self._biases]

    def loss(self, number: int, vectors: torch.Tensor, quality: np.ndarray) -> torch.Tensor:
        """Mean cross-entropy over the scored cells."""
        known = torch.from_numpy(~np.isnan(quality))
        spread = vectors @ self._weights[number] + (vectors @ self._ease)[:, None]
        logits = self._scale * spread + self._biases[number]
        wanted = torch.from_numpy(np.nan_to_num(quality))
        return F.binary_cross_entropy_with_logits(logits[known], wanted[known])


def category_loss(vectors: torch.Tensor, group: np.ndarray, temperature: float) -> torch.Tensor:
    """Every other prompt of one's group is a positive, every prompt of another group a negative."""
    itself = torch.eye(len(group), dtype=torch.bool)
    positive = torch.from_numpy(group[:, None] == group[None, :]) & ~itself
    similarity = (vectors @ vectors.T / temperature).masked_fill(itself, -1e4)
    log_share = similarity - torch.logsumexp(similarity, dim=1, keepdim=True)
    paired = positive.any(dim=1)
    if not paired.any():
        return vectors.sum() * 0
    return -((log_share * positive).sum(1)[paired] / positive.sum(1)[paired]).mean()


def draw_batches(sets: list[ScoredPrompts], size: int, rng: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    """One epoch: every prompt once, in batches of one set, in a random order."""
    batches = []
    for number, each in enumerate(sets):
        order = rng.permutation(len(each.texts))
        batches += [(number, rows) for rows in np.array_split(order, max(1, len(order) // size))]
    return [batches[place] for place in rng.permutation(len(batches))]


def draw_view(prompts: ScoredPrompts, row: int, recipe: Recipe, rng: np.random.Generator) -> np.ndarray:
    """A prompt as it may come in: mistyped or not, some tokens left out."""
    mistyped = rng.random() < recipe.mistyped_share
    ids = prompts.mistyped[rng.integers(recipe.mistyped_copies)][row] if mistyped else prompts.texts[row]
    kept = ids[rng.random(len(ids)) >= recipe.token_dropout]
    return kept if len(kept) > 0 else ids


def adapt_once(start: np.ndarray, sets: list[ScoredPrompts], recipe: Recipe, seed: int) -> np.ndarray:
    """One run."""
    rng = np.random.default_rng(seed)
    table = torch.from_numpy(start.copy()).requires_grad_()
    heads = Heads(sets, start.shape[1], recipe.logit_scale)
    optimisers = (
        torch.optim.SparseAdam([table], lr=recipe.learning_rate),
        torch.optim.Adam(heads.parameters(), lr=recipe.head_learning_rate),
    )
    rates = (recipe.learning_rate, recipe.head_learning_rate)
    batches = [batch for _ in range(recipe.epochs) for batch in draw_batches(sets, recipe.batch, rng)]
    for step, (number, rows) in enumerate(tqdm(batches, desc="adapt", mininterval=10)):
        prompts = sets[number]
        vectors = embed(table, [draw_view(prompts, int(row), recipe, rng) for row in rows])
        loss = recipe.outcome_weight * heads.loss(number, vectors, prompts.quality[rows])
        loss = loss + recipe.category_weight * category_loss(vectors, prompts.group[rows], recipe.temperature)
        for optimiser, rate in zip(optimisers, rates, strict=True):
            optimiser.param_groups[0]["lr"] = rate * (1 - step / len(batches))
            optimiser.zero_grad()
        loss.backward()
        for optimiser in optimisers:
            optimiser.step()
    return table.detach().numpy()


def adapt(table: np.ndarray, sets: list[ScoredPrompts], recipe: Recipe) -> np.ndarray:
    """The adapted table, f32. Rows are first scaled to length 1 on average, which changes no vector."""
    lengths = np.linalg.norm(table, axis=1)
    start = (table / np.sqrt((lengths[lengths > 0] ** 2).mean())).astype(np.float32)
    runs = [adapt_once(start, sets, recipe, recipe.seed + run) for run in range(recipe.averaged_runs)]
    return np.mean(runs, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--table", type=Path, required=True, help="token-table.npy of `train.py --routing-part none`")
    parser.add_argument("--routing-part", choices=("all", "train", "fit"), default="all")
    parser.add_argument("--split", type=int, default=0, help="number of the hash split that --routing-part is a part of")
    parser.add_argument("--out", type=Path, required=True, help="folder for token-table.npy and run.json")
    for name, default in vars(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    args = parser.parse_args()
    torch.set_num_threads(1)
    recipe = Recipe(**{name: getattr(args, name) for name in vars(Recipe())})
    started = time.monotonic()
    tokenizer = Tokenizer.from_file(str(args.work_dir / "tokenizer.json"))
    folders = [args.data / "routing" / name for name in ROUTING_SETS]
    sets = [load_scored(folder, args.routing_part, args.split, tokenizer, recipe) for folder in folders]
    table = adapt(np.load(args.table), sets, recipe)
    args.out.mkdir(parents=True, exist_ok=True)
    np.save(args.out / "token-table.npy", table)
    corpus_run = json.loads((args.table.parent / "run.json").read_text(encoding="utf-8"))
    if corpus_run["routing_part"] != "none":
        raise SystemExit(f"{args.table} saw routing prompts; train it with --routing-part none")
    run = {
        **corpus_run,
        "adaptation": vars(recipe),
        "routing_part": args.routing_part,
        "split": args.split,
        "routing_prompts": sum(len(each.texts) for each in sets),
        "routing_prompts_per_set": {each.name: len(each.texts) for each in sets},
        "adaptation_seconds": round(time.monotonic() - started),
    }
    (args.out / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
