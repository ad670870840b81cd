"""Classification by neighbours, similarity, re-ranking and translation retrieval of an embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from data import read_rows, unit_hash
from embedders import Embedder

NEIGHBOURS, TEMPERATURE = 10, 0.1
WITH_TRAIN = ("banking77", "clinc150", "hwu64", "atis", "snips", "trec")
BY_HASH = ("stackoverflow_titles20", "bbh_tasks")
STS = ("stsb_en_test", "stsb_de_test", "stsb_zh_test")


def load(folder: Path, name: str) -> list[dict]:
    """Rows of one evaluation file."""
    return list(read_rows(folder / f"{name}.jsonl.gz"))


def knn_accuracy(embedder: Embedder, train: list[dict], test: list[dict]) -> float:
    """Share of test texts whose label wins among the 10 nearest training texts, weighted by similarity."""
    labels, codes = np.unique([row["label"] for row in train], return_inverse=True)
    anchors = embedder.embed([row["a"] for row in train])
    queries = embedder.embed([row["a"] for row in test])
    hits = 0
    for start in range(0, len(test), 1000):
        similarity = queries[start : start + 1000] @ anchors.T
        nearest = np.argpartition(-similarity, NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]
        weights = np.exp(np.take_along_axis(similarity, nearest, axis=1) / TEMPERATURE)
        votes = np.zeros((len(similarity), len(labels)))
        np.add.at(votes, (np.arange(len(similarity))[:, None], codes[nearest]), weights)
        truth = [row["label"] for row in test[start : start + 1000]]
        hits += int((labels[votes.argmax(axis=1)] == np.asarray(truth)).sum())
    return hits / len(test)


def domain_rows(folder: Path) -> tuple[list[dict], list[dict]]:
    """CLINC with its ten domains as labels; the domain of an intent is read off the test files."""
    intents = {row["a"]: row["label"] for row in load(folder, "clinc150_test")}
    test = load(folder, "clinc_domains_test")
    domains = {intents[row["a"]]: row["label"] for row in test if row["a"] in intents}
    train = [{**row, "label": domains[row["label"]]} for row in load(folder, "clinc150_train") if row["label"] in domains]
    return train, test


def classification(embedder: Embedder, folder: Path) -> dict[str, float]:
    """kNN accuracy per set."""
    scores = {
        name: knn_accuracy(embedder, load(folder, f"{name}_train"), load(folder, f"{name}_test")) for name in WITH_TRAIN
    }
    scores["clinc_domains"] = knn_accuracy(embedder, *domain_rows(folder))
    for name in BY_HASH:
        rows = load(folder, name)
        test = [unit_hash("sextant-split-0", row["a"]) < 0.3 for row in rows]
        parts = [[row for row, held in zip(rows, test, strict=True) if held == wanted] for wanted in (False, True)]
        scores[name] = knn_accuracy(embedder, *parts)
    return scores


def similarity(embedder: Embedder, folder: Path) -> dict[str, float]:
    """Spearman correlation of cosine and judged similarity."""
    scores = {}
    for name in STS:
        rows = load(folder, name)
        left, right = (embedder.embed([row[side] for row in rows]) for side in ("a", "p"))
        scores[name] = float(spearmanr((left * right).sum(axis=1), [row["score"] for row in rows]).statistic)
    return scores


def reranking(embedder: Embedder, folder: Path) -> dict[str, float]:
    """Mean reciprocal rank and mean average precision of TREC-QA answers, ties against us."""
    reciprocal, precision = [], []
    for row in load(folder, "trecqa_test_rerank"):
        relevant = np.array([True] * len(row["pos"]) + [False] * len(row["neg"]))
        vectors = embedder.embed([row["a"], *row["pos"], *row["neg"]])
        order = np.lexsort((relevant, -(vectors[1:] @ vectors[0])))
        ranks = np.flatnonzero(relevant[order]) + 1
        reciprocal.append(1 / ranks[0])
        precision.append(np.mean(np.arange(1, len(ranks) + 1) / ranks))
    return {"trecqa_mrr": float(np.mean(reciprocal)), "trecqa_map": float(np.mean(precision))}


def translation(embedder: Embedder, folder: Path) -> dict[str, float]:
    """Share of sentences whose English original is nearest among those of the same language; mean over languages."""
    rows = load(folder, "tatoeba_laser_heldout")
    languages = np.asarray([row["lang"] for row in rows])
    english = np.asarray([row["a"] for row in rows])
    original, foreign = (embedder.embed([row[side] for row in rows]) for side in ("a", "p"))
    scores = {}
    for language in np.unique(languages):
        chosen = languages == language
        nearest = (foreign[chosen] @ original[chosen].T).argmax(axis=1)
        scores[str(language)] = float((english[chosen][nearest] == english[chosen]).mean())
    named = {f"tatoeba_{name}": scores[name] for name in ("deu", "fra", "spa", "rus", "cmn", "jpn", "kor", "ara", "hin")}
    return {"tatoeba_mean": float(np.mean(list(scores.values()))), **named}


def measure(embedder: Embedder, folder: Path) -> dict[str, float]:
    """All figures of an embedder, rounded to four digits."""
    parts = (classification, similarity, reranking, translation)
    return {name: round(score, 4) for part in parts for name, score in part(embedder, folder).items()}
