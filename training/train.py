"""Train the token table of the static embedder.

    python train.py --data ../shared/data --routing-part train --out .work/heldout
    python train.py --data ../shared/data --routing-part all   --out .work/shipped

A text is the normalised sum of its token rows. Rows are trained with a symmetric InfoNCE loss over in-batch negatives,
averaged over the first d, d/2 and d/4 dimensions. One thread, seeded: the same data and flags give the same table.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from tqdm import trange

from data import (
    ROUTING_SETS,
    RoutingPrompts,
    Source,
    Texts,
    add_common_flags,
    draw_partners,
    load_corpus,
    load_routing,
)


@dataclass(frozen=True)
class Recipe:
    """Every setting that shapes the table."""

    dimensions: int = 256
    batch: int = 2048
    steps: int = 2200
    temperature: float = 0.05
    learning_rate: float = 0.02
    one_source_share: float = 0.8
    source_power: float = 0.7
    routing_share: float = 0.08
    routing_by_set: float = 0.0
    routing_positives: str = "category"
    sif: float = 1e-3
    seed: int = 20_261_121


@dataclass(frozen=True)
class Batch:
    """Text numbers and labels of the rows drawn; ``routing`` batches refer to the routing texts."""

    anchor: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    label: np.ndarray
    routing: bool = False


class Sampler:
    """Draws batches: mostly of one source, sometimes of all sources, in a fixed share of routing prompts."""

    def __init__(self, sources: list[Source], routing: RoutingPrompts, recipe: Recipe) -> None:
        self._rng = np.random.default_rng(recipe.seed)
        self._sources, self._routing, self._recipe = sources, routing, recipe
        weights = np.array([len(source.anchor) for source in sources]) ** recipe.source_power
        self._weights = weights / weights.sum()
        self._orders = [(np.empty(0, np.int64), 0) for _ in sources]

    def draw(self) -> Batch:
        """The next batch."""
        kind = self._rng.random(2)
        if kind[0] < self._recipe.routing_share:
            return self._draw_routing()
        if kind[1] < self._recipe.one_source_share:
            chosen = int(self._rng.choice(len(self._sources), p=self._weights))
            return self._draw_rows([(chosen, self._recipe.batch)])
        counts = self._rng.multinomial(self._recipe.batch, self._weights)
        return self._draw_rows([(number, int(count)) for number, count in enumerate(counts) if count > 0])

    def _take(self, number: int, count: int) -> np.ndarray:
        """The next rows of a source in a random order that is drawn anew when it is used up."""
        size = len(self._sources[number].anchor)
        count = min(count, size)
        order, position = self._orders[number]
        if position + count > len(order):
            order, position = self._rng.permutation(size), 0
        self._orders[number] = (order, position + count)
        return order[position : position + count]

    def _draw_rows(self, wanted: list[tuple[int, int]]) -> Batch:
        columns: list[list[np.ndarray]] = [[], [], [], []]
        for number, count in wanted:
            source, rows = self._sources[number], self._take(number, count)
            label = source.label[rows]
            shifted = np.where(label >= 0, label * len(self._sources) + number, label * len(self._sources) - number)
            for column, values in zip(columns, (source.anchor, source.positive, source.negative), strict=False):
                column.append(values[rows])
            columns[3].append(shifted)
        return Batch(*(np.concatenate(column) for column in columns))

    def _draw_routing(self) -> Batch:
        """Pairs of prompts of one group; in some batches all of one set, whose groups are then harder negatives."""
        group, set_number = self._routing.group, self._routing.set_number
        candidates = np.arange(len(group))
        if self._rng.random() < self._recipe.routing_by_set:
            candidates = candidates[set_number == set_number[self._rng.integers(len(group))]]
        rows = self._rng.permutation(candidates)[: self._recipe.batch]
        partners = draw_partners(group, self._rng)[rows]
        return Batch(rows, partners, np.full(len(rows), -1), group[rows], routing=True)


class Contrast(torch.autograd.Function):
    """Symmetric InfoNCE of unit vectors with its gradient written out: one exponential serves both directions.

    Similarities divided by the temperature are at most 1/temperature, so that constant is the only shift needed.
    """

    @staticmethod
    def forward(context, anchor, positive, negative, has_negative, allowed, temperature):
        weights = torch.mm(anchor, positive.T).sub_(1).div_(temperature)
        own = weights.diagonal().clone()
        weights.exp_().mul_(allowed)
        hard = ((anchor * negative).sum(1) - 1).div(temperature).exp() * has_negative
        by_row, by_column = weights.sum(1) + hard, weights.sum(0)
        context.save_for_backward(anchor, positive, negative, weights, hard, by_row, by_column)
        context.temperature = temperature
        return (by_row.log() + by_column.log() - 2 * own).mean() / 2

    @staticmethod
    def backward(context, gradient):
        anchor, positive, negative, weights, hard, by_row, by_column = context.saved_tensors
        factor = gradient / (2 * len(anchor) * context.temperature)
        weights.mul_(by_row.reciprocal()[:, None] + by_column.reciprocal()[None, :])
        weights.diagonal().sub_(2)
        hard = (hard / by_row)[:, None]
        to_anchor = (weights @ positive + hard * negative) * factor
        to_positive = (weights.T @ anchor) * factor
        return to_anchor, to_positive, hard * anchor * factor, None, None, None


def initial_table(counts: np.ndarray, recipe: Recipe) -> torch.Tensor:
    """Random rows of length a/(a + p(token)), as in smooth inverse frequency weighting; zero for unseen tokens."""
    generator = torch.Generator().manual_seed(recipe.seed)
    rows = torch.randn(len(counts), recipe.dimensions, generator=generator) / recipe.dimensions**0.5
    frequency = torch.from_numpy(counts / counts.sum()).float()
    return rows * (recipe.sif / (recipe.sif + frequency) * (frequency > 0))[:, None]


def allowed_pairs(batch: Batch) -> torch.Tensor:
    """1 where another row's positive is a negative of this row (or its own positive), else 0."""
    same = np.zeros((len(batch.anchor),) * 2, dtype=bool)
    for column in (batch.label, batch.anchor, batch.positive):
        numbers = np.unique(column, return_inverse=True)[1].astype(np.int32)
        same |= numbers[:, None] == numbers[None, :]
    np.fill_diagonal(same, False)
    return torch.from_numpy(~same).float()


def embed(table: torch.Tensor, texts: Texts, numbers: np.ndarray) -> torch.Tensor:
    """Sums of token rows [n, d]."""
    ids, offsets = texts.gather(numbers)
    return torch.nn.functional.embedding_bag(
        torch.from_numpy(ids.astype(np.int64)), table, torch.from_numpy(offsets), mode="sum"
    )


def batch_loss(table: torch.Tensor, texts: Texts, batch: Batch, recipe: Recipe) -> torch.Tensor:
    """The loss averaged over d, d/2 and d/4 leading dimensions."""
    size, hard = len(batch.anchor), batch.negative >= 0
    sums = embed(table, texts, np.concatenate((batch.anchor, batch.positive, batch.negative[hard])))
    anchor, positive = sums[:size], sums[size : 2 * size]
    negative = torch.zeros_like(anchor).index_copy(0, torch.from_numpy(np.flatnonzero(hard)), sums[2 * size :])
    allowed, has_negative = allowed_pairs(batch), torch.from_numpy(hard).float()
    widths = [recipe.dimensions, recipe.dimensions // 2, recipe.dimensions // 4]
    losses = []
    for width in widths:
        vectors = [torch.nn.functional.normalize(part[:, :width]) for part in (anchor, positive, negative)]
        losses.append(Contrast.apply(*vectors, has_negative, allowed, recipe.temperature))
    return torch.stack(losses).mean()


def train(texts: Texts, sources: list[Source], routing: RoutingPrompts, vocabulary: int, recipe: Recipe) -> np.ndarray:
    """The trained table [vocabulary, dimensions], f32."""
    counts = np.bincount(texts.ids, minlength=vocabulary) + np.bincount(routing.texts.ids, minlength=vocabulary)
    table = initial_table(counts, recipe).requires_grad_()
    optimiser = torch.optim.Adam([table], lr=recipe.learning_rate)
    sampler = Sampler(sources, routing, recipe)
    running, progress = None, trange(recipe.steps, desc="train", mininterval=10)
    for step in progress:
        optimiser.param_groups[0]["lr"] = recipe.learning_rate * (1 - step / recipe.steps)
        batch = sampler.draw()
        loss = batch_loss(table, routing.texts if batch.routing else texts, batch, recipe)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        progress.set_postfix(loss=f"{running:.3f}", refresh=False)
    return table.detach().numpy()


def recipe_flags(parser: argparse.ArgumentParser) -> None:
    """One flag per setting of the recipe."""
    for name, default in vars(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--routing-part", choices=("all", "train", "fit", "none"), default="all")
    parser.add_argument("--split", type=int, default=0, help="number of the hash split that --routing-part is a part of")
    parser.add_argument("--out", type=Path, required=True, help="folder for token-table.npy and run.json")
    recipe_flags(parser)
    args = parser.parse_args()
    if args.routing_part == "none":
        args.routing_share = 0.0
    torch.set_num_threads(1)
    recipe = Recipe(**{name: getattr(args, name) for name in vars(Recipe())})
    tokenizer = Tokenizer.from_file(str(args.work_dir / "tokenizer.json"))
    texts, sources = load_corpus(args.data / "corpus", tokenizer, args.work_dir / "corpus.npz")
    routing = load_routing(args.data / "routing", tokenizer, args.routing_part, recipe.routing_positives, args.split)
    started = time.monotonic()
    table = train(texts, sources, routing, tokenizer.get_vocab_size(), recipe)
    args.out.mkdir(parents=True, exist_ok=True)
    np.save(args.out / "token-table.npy", table)
    run = {
        "recipe": vars(recipe),
        "routing_part": args.routing_part,
        "split": args.split,
        "vocabulary": tokenizer.get_vocab_size(),
        "routing_prompts": len(routing.group),
        "routing_prompts_per_set": dict(zip(ROUTING_SETS, np.bincount(routing.set_number, minlength=len(ROUTING_SETS)).tolist(), strict=True)),
        "pairs": {source.name: len(source.anchor) for source in sources},
        "seconds": round(time.monotonic() - started),
    }
    (args.out / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
