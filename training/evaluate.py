"""Measure embedders by routing and by general tasks; writes a JSON file.

    python evaluate.py --data ../shared/data --heldout .work/heldout --heldout-model .work/heldout-model \\
        --shipped-model ../models/sextant-static-v1 --out results.json

Routing is measured on the test part of ``data.is_test`` with the embedder that saw training-part prompts only; never
with the shipped one, which saw all. ``--validation`` measures on the validation part instead, for choosing settings.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import embedding_protocol
from data import add_common_flags, is_test, is_validation
from embedders import Embedder, OnnxEmbedder, load_table, load_trial
from export import DIMENSIONS
from routing_protocol import (
    MIN_COVERAGE,
    OutcomeTable,
    RoutingSet,
    SetResult,
    bootstrap_weights,
    interval,
    load_outcomes,
)

RESAMPLES = 2000


def split(table: OutcomeTable, validation: bool) -> RoutingSet:
    """The set with its training and test part, or its fitting and validation part."""
    test = np.asarray([is_test(prompt) for prompt in table.prompts])
    if not validation:
        return RoutingSet(table, ~test, test)
    held = np.asarray([is_validation(prompt) for prompt in table.prompts])
    return RoutingSet(table, ~test & ~held, held)


Score = Callable[[SetResult, np.ndarray], float]
"""A figure of a method on one set, given a weight per test prompt."""


def scores_of(routing: RoutingSet) -> dict[str, Score]:
    """The figures reported for a set; APGR only where there are two models."""
    scores: dict[str, Score] = {
        "accuracy": lambda result, weights: float(weights @ result.reached / weights.sum()),
        "explained": routing.explained,
    }
    if routing.test_quality.shape[1] == 2:
        scores["apgr"] = routing.apgr_of
    return scores


def compare(routing: RoutingSet, ours: SetResult, other: SetResult) -> dict[str, object]:
    """Differences ours − other with their paired bootstrap intervals."""
    even, report = np.ones(len(ours.reached)), {}
    drawn = bootstrap_weights(len(even), RESAMPLES, seed=0)
    for name, score in scores_of(routing).items():
        report[name] = round(score(ours, even) - score(other, even), 4)
        report[f"{name}_interval"] = interval(np.array([score(ours, row) - score(other, row) for row in drawn]))
    return report


def measure_set(routing: RoutingSet, embedders: dict[str, Embedder], pairs: list[tuple[str, str]]) -> dict[str, object]:
    """Figures of every method on one set and the differences asked for."""
    results = {"best_single": routing.measure_single(), "true_label": routing.measure_labels()}
    results |= {name: routing.measure(embedder) for name, embedder in embedders.items()}
    even = np.ones(len(routing.test_quality))
    report: dict[str, object] = {"tests": len(even), "models": routing.test_quality.shape[1]}
    for score_name, score in scores_of(routing).items():
        report[score_name] = {name: round(score(result, even), 4) for name, result in results.items()}
    report["accuracy"]["oracle"] = round(float(routing.test_quality.max(axis=1).mean()), 4)
    report["differences"] = {f"{a} - {b}": compare(routing, results[a], results[b]) for a, b in pairs}
    return report


def measure_routing(
    data: Path, embedders: dict[str, Embedder], pairs: list[tuple[str, str]], validation: bool
) -> dict[str, object]:
    """All sets, and the mean accuracy over them."""
    sets = {}
    for name, coverage in MIN_COVERAGE.items():
        sets[name] = measure_set(split(load_outcomes(data / "routing" / name, coverage), validation), embedders, pairs)
        for score in ("accuracy", "apgr", "explained"):
            if score in sets[name]:
                print(name, score, json.dumps(sets[name][score]), flush=True)
    means = {
        method: round(float(np.mean([report["accuracy"][method] for report in sets.values()])), 4)
        for method in ("best_single", "true_label", *embedders, "oracle")
    }
    print("mean", json.dumps(means), flush=True)
    return {"sets": sets, "mean_accuracy": means}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--heldout", type=Path, help="run folder of train.py --routing-part train (or fit)")
    parser.add_argument("--heldout-model", type=Path, help="its export, to measure the quantised weights")
    parser.add_argument("--shipped-model", type=Path, help="model folder for the general tasks")
    parser.add_argument("--validation", action="store_true", help="validation part, routing only")
    parser.add_argument("--out", type=Path, help="JSON file to write")
    args = parser.parse_args()
    trial = args.data / "trial-embedder"
    embedders: dict[str, Embedder] = {"trial": load_trial(trial)} if trial.exists() else {}
    if args.heldout:
        embedders["ours_f32"] = load_table(args.heldout, args.work_dir / "tokenizer.json", DIMENSIONS)
    if args.heldout_model:
        embedders["ours_int8"] = OnnxEmbedder(args.heldout_model)
    wanted = [("ours_int8", "trial"), ("ours_f32", "trial"), ("ours_int8", "ours_f32"), ("ours_int8", "best_single")]
    pairs = [pair for pair in wanted if set(pair) <= {*embedders, "best_single"}]
    report: dict[str, object] = {"routing": measure_routing(args.data, embedders, pairs, args.validation)}
    if not args.validation:
        if args.shipped_model:
            embedders["shipped_int8"] = OnnxEmbedder(args.shipped_model)
        folder = args.data / "embedding-eval"
        report["embedding"] = {name: embedding_protocol.measure(model, folder) for name, model in embedders.items()}
    if args.out:
        args.out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
