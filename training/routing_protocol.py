"""How well prompts' neighbours in an embedding predict which model answers best.

Exact search, k = 400, weights ``exp((s - s_max) / 0.2)``, four pseudo-observations of the model's mean. Only models with
enough cells and rows where all of those were observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from data import read_rows
from embedders import Embedder

NEIGHBOURS, TEMPERATURE, PSEUDO_OBSERVATIONS = 400, 0.2, 4.0
MIN_COVERAGE = {"llmrouter_ulab": 0.9, "mmlu_pro": 0.9, "routerbench_subset": 0.9, "zeroeval": 0.8, "routellm": 0.9}
"""Sets measured, and the share of prompts a model must have been scored on."""


@dataclass(frozen=True)
class OutcomeTable:
    """Prompts [n], their groups [n] and quality [n, m] of each model, without gaps."""

    prompts: list[str]
    groups: list[str]
    models: list[str]
    quality: np.ndarray


def load_outcomes(folder: Path, min_coverage: float) -> OutcomeTable:
    """The complete rows of a set."""
    rows = {row["id"]: row for row in read_rows(folder / "prompts.jsonl.gz")}
    outcomes = pd.read_parquet(folder / "outcomes.parquet", columns=["id", "model", "score"])
    quality = outcomes.pivot_table(index="id", columns="model", values="score").reindex(list(rows))
    quality = quality.loc[:, quality.notna().mean() > min_coverage].dropna()
    chosen = [rows[number] for number in quality.index]
    groups = [f"{row['benchmark']}/{row['category']}" for row in chosen]
    return OutcomeTable([row["prompt"] for row in chosen], groups, list(quality.columns), quality.to_numpy(np.float64))


def predict(train: np.ndarray, quality: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Expected quality [tests, models] by the wide kernel."""
    mean, predicted = quality.mean(axis=0), []
    count = min(NEIGHBOURS, len(train))
    for start in range(0, len(test), 512):
        similarity = test[start : start + 512] @ train.T
        nearest = np.argpartition(-similarity, count - 1, axis=1)[:, :count]
        similarity = np.take_along_axis(similarity, nearest, axis=1).astype(np.float64)
        weights = np.exp((similarity - similarity.max(axis=1, keepdims=True)) / TEMPERATURE)
        local = np.einsum("ij,ijm->im", weights, quality[nearest])
        total = weights.sum(axis=1, keepdims=True)
        predicted.append((local + PSEUDO_OBSERVATIONS * mean) / (total + PSEUDO_OBSERVATIONS))
    return np.concatenate(predicted)


def label_tables(groups: np.ndarray, quality: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Expected quality when the true benchmark and category are given, shrunk by the same pseudo-observations."""
    mean = quality[train].mean(axis=0)
    predicted = np.tile(mean, (int(test.sum()), 1))
    for group in np.unique(groups[test]):
        members = quality[train & (groups == group)]
        shrunk = (members.sum(axis=0) + PSEUDO_OBSERVATIONS * mean) / (len(members) + PSEUDO_OBSERVATIONS)
        predicted[groups[test] == group] = shrunk
    return predicted


def apgr(predicted: np.ndarray, quality: np.ndarray, strong: int, weights: np.ndarray) -> float:
    """Average performance gap recovered by a two-model router over all shares of calls to the strong model.

    Prompts of equal predicted gain count as drawn in random order, so a router that knows nothing scores exactly .5.
    """
    order = -(predicted[:, strong] - predicted[:, 1 - strong])
    rank = np.unique(order, return_inverse=True)[1]
    gain = quality[:, strong] - quality[:, 1 - strong]
    recovered = np.concatenate(([0.0], np.cumsum(np.bincount(rank, weights * gain))))
    shares = np.concatenate(([0.0], np.cumsum(np.bincount(rank, weights))))
    return float(np.trapezoid(recovered / recovered[-1], shares / shares[-1]))


@dataclass(frozen=True)
class SetResult:
    """What a method did on the test prompts of one set: quality reached per prompt and, for two models, predictions."""

    reached: np.ndarray
    predicted: np.ndarray


class RoutingSet:
    """One set, split by a mask; measures embedders on it."""

    def __init__(self, table: OutcomeTable, train: np.ndarray, test: np.ndarray) -> None:
        self._table, self._train, self._test = table, train, test
        self.test_quality = table.quality[test]
        self.best_single = int(table.quality[train].mean(axis=0).argmax())

    def measure(self, embedder: Embedder) -> SetResult:
        """Route every test prompt to the model expected best."""
        vectors = embedder.embed(self._table.prompts)
        predicted = predict(vectors[self._train], self._table.quality[self._train], vectors[self._test])
        return self._result(predicted)

    def measure_single(self) -> SetResult:
        """Always the model that is best on the training part."""
        means = self._table.quality[self._train].mean(axis=0)
        return self._result(np.tile(means, (len(self.test_quality), 1)))

    def measure_labels(self) -> SetResult:
        """Given the true label."""
        groups = np.asarray(self._table.groups)
        return self._result(label_tables(groups, self._table.quality, self._train, self._test))

    def _result(self, predicted: np.ndarray) -> SetResult:
        chosen = predicted.argmax(axis=1)
        return SetResult(self.test_quality[np.arange(len(chosen)), chosen], predicted)

    def explained(self, result: SetResult, weights: np.ndarray) -> float:
        """Share of the variance over test prompts, weighted, that the predictions explain beyond each model's mean.

        Steadier than accuracy, so it is what settings are chosen by.
        """
        means = self._table.quality[self._train].mean(axis=0)
        error = weights @ ((self.test_quality - result.predicted) ** 2).mean(axis=1)
        return float(1 - error / (weights @ ((self.test_quality - means) ** 2).mean(axis=1)))

    def apgr_of(self, result: SetResult, weights: np.ndarray) -> float:
        """APGR with a weight per test prompt; the strong model is the best single one."""
        return apgr(result.predicted, self.test_quality, self.best_single, weights)


def bootstrap_weights(count: int, resamples: int, seed: int) -> np.ndarray:
    """How often each of ``count`` prompts is drawn in each resample [resamples, count]."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(np.float32)


def interval(differences: np.ndarray) -> list[float]:
    """The 95 % percentile interval."""
    return [round(float(bound), 4) for bound in np.percentile(differences, [2.5, 97.5])]
