"""Fit how long answers are and how much models think, for expected costs, and measure it by sources left out.

    python lengths.py --data ../../shared/data

Reads ``DATA/lengths`` (answers with tokens, of models to September 2026), the prompts that go with them in
``DATA/routing-current``, ``DATA/routing`` and ``DATA/difficulty``, our own templates, the model folder with its
``difficulty.json``, and, through ``model-levels.ts``, what the catalog says of each model. Writes ``lengths.json`` into the
model folder (visible tokens of an answer by its prompt), ``../catalog/answer-lengths.json`` (factors of makers and models) and
``lengths-results.md``. Same input, same bytes. About a minute. Decisions do not use these models yet.

The visible length belongs to the prompt: a ridge regression of its logarithm on the surface features, the difficulty and the
vector. Multiple choice and exam answers are in no fit. Two kinds of rows have no measured length of their own: everyday
instructions have the median measured for their kind, and templates and small talk a length by tier (guess).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from asked_length import asked_tokens
from asked_part import asked_part
from data import add_common_flags, read_rows
from difficulty import as_json, cut
from difficulty_templates import template_prompts
from embedders import OnnxEmbedder
from prompt_features import PromptFeatures, units_of
from scipy.stats import spearmanr

HERE = Path(__file__).parent
CLIP = 4.0
FEATURE_PENALTY, VECTOR_PENALTY = 0.03, 0.7
ASKED_SHARE = 0.7
"""Share of a stated length in the logarithm of the expected one; the slope of real lengths on stated ones is .62."""
REASONING_SLOPE = 0.85
"""Logarithm of hidden tokens for each tier of estimated difficulty: .6 within ctala and trick, 1.7 within lrm."""
MEDIUM_TIER = 2.0
EFFORTS = {"minimal": 0.1, "low": 0.35, "medium": 1.0, "thinking": 2.0, "high": 2.5, "xhigh": 5.0, "max": 8.0}
"""Hidden tokens relative to effort medium: medians over pairs of one model in one source. `thinking` is a switch without levels."""
VERBOSITY_RANGE = (0.7, 1.4)
OLD_MODELS = {"gpt-3.5-turbo-0125": 0.75, "gpt-4-0314": 0.5, "gpt-4-0613": 0.65}
"""Logarithm of the mean length of today's models over theirs, on the same prompts (arena_hard/model.csv)."""
KIND_MEDIANS = {"edit": 109, "fact": 318, "code": 422, "write": 423, "list": 430, "explain": 503}
"""Median visible tokens of everyday instructions by kind, over eleven models of 2024 to 2026."""
TIER_TOKENS = {"trivial": 45, "medium": 560, "hard": 1100, "expert": 1500}
"""Guess, between the medians of everyday and of hard real prompts; easy prompts have the median of their kind."""
WEIGHTS = {
    "arena_v1": 2.0, "arena_v2": 2.0, "arena_creative": 2.0, "trick": 0.6, "bullshit": 1.0, "ctala": 1.0, "misguided": 0.6,
    "lrm": 0.5, "sql": 0.2, "svelte": 0.2, "pm_hallucination": 0.2, "selfinstruct": 1.0, "templates": 0.4, "chatterbot": 0.08,
    "personality": 0.3, "nadirclaw": 0.4, "cascadeflow": 0.5, "jurijz": 0.4,
}  # fmt: skip
"""Of a source in the fit, times the root of its number of prompts. Sources of one output format, and guesses, count less."""
MEASURED = ("arena_v1", "arena_v2", "arena_creative", "bullshit", "ctala", "trick", "misguided", "lrm", "sql", "svelte", "pm_hallucination")
FOLDS = 5

Answer = tuple[str, str, str, str, str, float]
"""Source, prompt id, text, model, effort, visible tokens."""


def prompts_of(path: Path) -> dict[str, str]:
    return {row["id"]: row["prompt"] for row in read_rows(path)}


def arena_answers(data: Path) -> list[Answer]:
    """Prompts have no ids: they are found by cluster and length; ambiguous ones are left out."""
    by_length: dict[int, list[dict[str, Any]]] = {}
    for row in read_rows(data / "difficulty/arena_hard.jsonl.gz"):
        by_length.setdefault(len(row["prompt"]), []).append(row)
    found: list[Answer] = []
    for row in pd.read_parquet(data / "lengths/arena_hard/responses.parquet").itertuples():
        first = row.set == "arena-hard-v0.1"
        same = [other for other in by_length.get(row.prompt_chars, []) if (other["label"] == row.set) == first]
        if first:
            same = [other for other in same if other["domain"] == row.cluster]
        if len(same) == 1:
            source = "arena_v1" if first else "arena_creative" if row.category == "creative_writing" else "arena_v2"
            found.append((source, row.prompt_id, same[0]["prompt"], row.model, row.effort, row.tokens_visible))
    return found


def visible_answers(data: Path) -> pd.DataFrame:
    """Answers whose prompt and visible tokens are known."""
    rows = arena_answers(data)
    current = data / "routing-current"

    def add(source: str, table: pd.DataFrame, texts: dict[str, str], tokens: str, key: str = "id") -> None:
        for row in table.to_dict("records"):
            text, count = texts.get(row[key]), row[tokens]
            if text is not None and count > 0.5:
                rows.append((source, row[key], text, row["model"], row.get("effort") or "", float(count)))

    def short(path: Path) -> dict[str, str]:
        return {name.split("/")[-1]: text for name, text in prompts_of(path).items()}

    add("trick", pd.read_parquet(data / "lengths/trick_question_bench/responses.parquet"), short(current / "trick_questions/prompts.jsonl.gz"), "tokens_visible", "prompt_id")
    bullshit = pd.read_parquet(data / "lengths/bullshit_benchmark/responses_v1.parquet")
    add("bullshit", bullshit.assign(tokens=bullshit.chars_visible / 4), short(current / "bullshit_v1/prompts.jsonl.gz"), "tokens", "prompt_id")
    ctala = pd.read_parquet(current / "ctala_business_es/outcomes.parquet")
    add("ctala", ctala[ctala.capped == 0], prompts_of(current / "ctala_business_es/prompts.jsonl.gz"), "tokens_visible")
    add("lrm", pd.read_parquet(data / "lengths/lrm_token_economy/responses.parquet"), prompts_of(data / "lengths/lrm_token_economy/prompts.jsonl.gz"), "tokens_visible", "prompt_id")
    svelte = pd.read_parquet(data / "lengths/svelte_bench/responses.parquet")
    svelte = svelte.groupby(["model", "effort", "prompt_id"], as_index=False).tokens_visible.median()
    add("svelte", svelte, short(current / "svelte_bench/prompts.jsonl.gz"), "tokens_visible", "prompt_id")
    for source, folder, tokens in (
        ("pm_hallucination", current / "pm_hallucination", "tokens_out"),
        ("misguided", data / "routing/misguided_attention", "tokens_out"),
        ("sql", current / "sql_llm_bench", "tokens_visible"),
    ):
        add(source, pd.read_parquet(folder / "outcomes.parquet"), prompts_of(folder / "prompts.jsonl.gz"), tokens)
    return pd.DataFrame(rows, columns=["source", "id", "text", "model", "effort", "visible"])


def kind_of(text: str) -> str:
    """Kind of an everyday instruction, by its words."""
    head = text[:400].lower()
    for kind, words in (
        ("edit", r"rewrite|reword|paraphras|translat|correct|proofread|classif|categor|replace|extract|convert|fix|identify|predict|tag|label|edit|sentiment|anonymi|improve the|shorten|decide|determine|output \w+ or"),
        ("code", r"code|python|function|regex|sql|javascript|script|program|html|css|latex|c\+\+"),
        ("write", r"essay|letter|email|e-mail|story|poem|blog|section|write|draft|compose|reply|post|article|speech|review"),
        ("list", r"list|tips|ideas|suggest|recommend|advice|plan|steps|ways|names|recipe|brainstorm|create a"),
        ("explain", r"explain|why|how|describe|compare|difference"),
    ):  # fmt: skip
        if re.search(rf"\b({words})\b", head):
            return kind
    return "fact"


def assumed_lengths(data: Path) -> list[tuple[str, str, float]]:
    """Source, text and logarithm of the visible tokens of prompts without a measured answer."""
    rows = [("templates", prompt.prompt, prompt.tier) for prompt in template_prompts(0)]
    for source, name in (("chatterbot", "chatterbot_smalltalk"), ("personality", "ms_personality_chat"), ("nadirclaw", "nadirclaw"), ("cascadeflow", "cascadeflow"), ("jurijz", "jurijz")):
        rows += [(source, row["prompt"], row["tier"]) for row in read_rows(data / f"difficulty/{name}.jsonl.gz")]
    found = []
    for source, text, tier in rows:
        tokens = float(TIER_TOKENS.get(tier, KIND_MEDIANS[kind_of(text)]))
        if source in ("chatterbot", "personality"):
            tokens = 40.0 if tier == "trivial" else 90.0
        elif tier in ("trivial", "easy") and kind_of(text) == "edit":
            tokens = max(45.0, 30 + len(text) / 8)
        found.append((source, text, float(np.log(tokens))))
    for row in read_rows(data / "difficulty/selfinstruct_unlabelled.jsonl.gz"):
        found.append(("selfinstruct", row["prompt"], float(np.log(KIND_MEDIANS[kind_of(row["prompt"])]))))
    return found


def prompt_levels(answers: pd.DataFrame) -> tuple[pd.Series, dict[str, float]]:
    """Logarithm of the visible tokens by prompt, and the effect of each model, shrunk over its sources."""
    known = answers.assign(log=np.log(answers.visible.clip(lower=2)))
    known["log"] += known.model.map(OLD_MODELS).fillna(0) * (known.source == "arena_v1")
    effects: dict[str, float] = {}
    for _ in range(6):
        known["rest"] = known.log - known.model.map(effects).fillna(0)
        levels = known.groupby(["source", "id"]).rest.mean()
        known["effect"] = known.log - levels.reindex(pd.MultiIndex.from_frame(known[["source", "id"]])).to_numpy()
        by_source = known.groupby(["model", "source"]).effect.agg(["mean", "size"])
        weight = by_source["size"] / (by_source["size"] + 10)
        sums = (by_source["mean"] * weight).groupby(level=0).sum() / (weight.groupby(level=0).sum() + 1.0)
        effects = sums.to_dict()
    return levels, effects


@dataclass(frozen=True)
class Rows:
    """What the ridge reads: one row a prompt."""

    sources: np.ndarray
    texts: list[str]
    logs: np.ndarray
    asked: np.ndarray
    columns: np.ndarray
    means: np.ndarray
    deviations: np.ndarray
    vectors: np.ndarray
    names: list[str]

    @property
    def weights(self) -> np.ndarray:
        _, number, counts = np.unique(self.sources, return_inverse=True, return_counts=True)
        return np.array([WEIGHTS[source] for source in self.sources]) * counts[number] ** -0.5


def read_prompts(data: Path, model: Path, levels: pd.Series, answers: pd.DataFrame) -> Rows:
    texts_of = answers.drop_duplicates(["source", "id"]).set_index(["source", "id"]).text
    measured = [(source, texts_of[(source, name)], float(level)) for (source, name), level in levels.items()]
    rows = measured + assumed_lengths(data)
    difficulty = json.loads((model / "difficulty.json").read_text())
    reader, embedder = PromptFeatures(difficulty["stems"]), OnnxEmbedder(model)
    texts = [text for _, text, _ in rows]
    features = reader.matrix(texts)
    nothing = np.zeros((1, difficulty["dimensions"]))
    vectors = np.concatenate([embedder.embed([cut(text)]) if text.strip() else nothing for text in texts]).astype(np.float64)
    facts = difficulty["features"]
    means, deviations, weights = (np.array([fact[key] for fact in facts]) for key in ("mean", "deviation", "weight"))
    tier = difficulty["bias"] + np.clip((features - means) / deviations, -difficulty["clip"], difficulty["clip"]) @ weights
    tier = np.clip(tier + vectors @ np.array(difficulty["vector_weights"]) - difficulty["vector_mean"], 0, 4)
    table = np.column_stack([features, tier])
    spread = table.std(axis=0)
    spread[spread == 0] = 1.0
    return Rows(
        sources=np.array([source for source, _, _ in rows]),
        texts=texts,
        logs=np.array([level for _, _, level in rows]),
        asked=np.array([asked_tokens(asked_text(text)) for text in texts]),
        columns=np.clip((table - table.mean(axis=0)) / spread, -CLIP, CLIP),
        means=table.mean(axis=0),
        deviations=spread,
        vectors=vectors,
        names=[*reader.names, "difficulty"],
    )


def asked_text(text: str) -> str:
    return np.array(asked_part(units_of(text)), dtype="<u2").tobytes().decode("utf-16-le", "ignore")


@dataclass(frozen=True)
class Model:
    bias: float
    weights: np.ndarray
    vector_weights: np.ndarray
    vector_mean: float

    def predict(self, rows: Rows, mask: np.ndarray) -> np.ndarray:
        """Logarithm of the visible tokens [n]."""
        known = np.any(rows.vectors[mask] != 0, axis=1)
        found = self.bias + rows.columns[mask] @ self.weights
        found = found + np.where(known, rows.vectors[mask] @ self.vector_weights - self.vector_mean, 0)
        asked = rows.asked[mask]
        return np.where(asked > 0, (1 - ASKED_SHARE) * found + ASKED_SHARE * np.log(np.maximum(asked, 1)), found)


def fit(rows: Rows, mask: np.ndarray) -> Model:
    """Weighted ridge regression, without the prompts that state a length."""
    used = mask & (rows.asked == 0)
    scale = np.sqrt(rows.vectors.shape[1])
    columns = np.hstack([rows.columns, rows.vectors * scale])[used]
    weight = rows.weights[used] / rows.weights[used].sum()
    column_means, level = weight @ columns, weight @ rows.logs[used]
    centred = columns - column_means
    count = rows.columns.shape[1]
    penalty = np.concatenate([np.full(count, FEATURE_PENALTY), np.full(columns.shape[1] - count, VECTOR_PENALTY)])
    weighted = centred * weight[:, None]
    found = np.linalg.solve(weighted.T @ centred + np.diag(penalty), weighted.T @ (rows.logs[used] - level))
    return Model(
        bias=float(level - column_means[:count] @ found[:count]),
        weights=found[:count],
        vector_weights=found[count:] * scale,
        vector_mean=float(column_means[count:] @ found[count:]),
    )


def visible_figures(rows: Rows) -> list[dict[str, Any]]:
    """By source: prompts of the source left out of the fit, and held-out fifths of every source."""
    part = np.random.default_rng(0).integers(FOLDS, size=len(rows.texts))
    held = np.zeros(len(rows.texts))
    for fold in range(FOLDS):
        held[part == fold] = fit(rows, part != fold).predict(rows, part == fold)
    figures = []
    for source in MEASURED:
        mask = rows.sources == source
        left = fit(rows, ~mask).predict(rows, mask)
        logs = rows.logs[mask]
        figures.append({"source": source, "prompts": int(mask.sum()), "median": float(np.exp(np.median(logs))), **compared("left", left, logs), **compared("held", held[mask], logs)})
    return figures


def compared(name: str, found: np.ndarray, logs: np.ndarray) -> dict[str, float]:
    return {
        f"{name}_sums": float(np.exp(logs).sum() / np.exp(found).sum()),
        f"{name}_factor": float(np.exp(np.median(np.abs(found - logs)))),
        f"{name}_rank": float(spearmanr(found, logs).statistic),
    }


def catalog_facts(names: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    """By name and effort: id, base, family and level of thinking."""
    asked = sorted(names)
    lines = "".join(json.dumps(pair) + "\n" for pair in asked)
    ran = subprocess.run(["npx", "tsx", "training/model-levels.ts"], input=lines, text=True, cwd=HERE.parent, capture_output=True, check=True)
    return dict(zip(asked, map(json.loads, ran.stdout.splitlines()), strict=True))


def hidden_answers(data: Path, rows: Rows) -> pd.DataFrame:
    """Hidden tokens with the estimated difficulty of their prompt, or of the mean prompt of their source."""
    tier = rows.columns[:, -1] * rows.deviations[-1] + rows.means[-1]
    by_text = dict(zip(rows.texts, tier, strict=True))
    found: list[tuple[str, float, str, str, float, float]] = []
    current, lengths = data / "routing-current", data / "lengths"

    def add(source: str, table: pd.DataFrame, texts: dict[str, str], key: str) -> None:
        for row in table.to_dict("records"):
            hidden = row["hidden"]
            if row[key] in texts and hidden == hidden:
                found.append((source, by_text.get(texts[row[key]], np.nan), row["model"], plain(row["effort"]), max(hidden, 0.0), 1.0))

    ctala = pd.read_parquet(current / "ctala_business_es/outcomes.parquet")
    ctala = ctala[ctala.capped == 0]
    ctala["hidden"] = ctala.tokens_reasoning.fillna(ctala.tokens_out - 1.1 * ctala.tokens_visible)
    add("ctala", ctala, prompts_of(current / "ctala_business_es/prompts.jsonl.gz"), "id")
    lrm = pd.read_parquet(lengths / "lrm_token_economy/responses.parquet")
    add("lrm", lrm.assign(hidden=lrm.tokens_reasoning), prompts_of(lengths / "lrm_token_economy/prompts.jsonl.gz"), "prompt_id")
    trick = pd.read_parquet(lengths / "trick_question_bench/responses.parquet")
    trick["hidden"] = trick.tokens_reasoning.fillna(trick.tokens_out - trick.tokens_visible)
    texts = {name.split("/")[-1]: text for name, text in prompts_of(current / "trick_questions/prompts.jsonl.gz").items()}
    add("trick", trick, texts, "prompt_id")
    bullshit = float(np.mean(tier[rows.sources == "bullshit"]))
    for row in pd.read_csv(lengths / "bullshit_benchmark/model_effort.csv").to_dict("records"):
        if row["tokens_reasoning"] == row["tokens_reasoning"]:
            found.append(("bullshit", bullshit, row["model"], plain(row["effort"]), row["tokens_reasoning"], row["n"]))
    for row in pd.read_csv(lengths / "aa_effort/hidden_tokens_chat.csv").to_dict("records"):
        found.append(("aa_chat", 1.8, row["model"], plain(row["effort"]), row["hidden_tokens"], 20.0))
    return pd.DataFrame(found, columns=["source", "tier", "model", "effort", "hidden", "count"])


def plain(effort: Any) -> str:
    """`high+reasoning` is `high`; no effort is the model's default."""
    name = effort.split("+")[0] if isinstance(effort, str) else ""
    return "" if name in ("default", "reasoning", "fast") else name


def hidden_cells(hidden: pd.DataFrame, facts: dict[tuple[str, str], dict[str, Any]]) -> pd.DataFrame:
    """Logarithm of a model's hidden tokens at effort medium and medium difficulty, by model, effort and source."""
    known = hidden.dropna(subset=["tier"]).copy()
    for key in ("base", "family", "thinking"):
        known[key] = [facts[pair][key] for pair in zip(known.model, known.effort, strict=True)]
    known = known[known.thinking.isin(EFFORTS.keys())]
    known["shape"] = np.exp(REASONING_SLOPE * (known.tier - MEDIUM_TIER)) * known["count"]
    known["sum"] = known.hidden * known["count"]
    cells = known.groupby(["family", "base", "thinking", "source"], as_index=False)[["sum", "shape", "count"]].sum()
    cells["ratio"] = cells["sum"] / cells["shape"]
    cells = cells[cells.ratio > 5].copy()
    cells["log"] = np.log(cells.ratio) - np.log(cells.thinking.map(EFFORTS))
    return cells


SOURCE_SHRINK, MAKER_SHRINK, MODEL_SHRINK = 3.0, 2.0, 1.0


def reasoning_levels(cells: pd.DataFrame) -> tuple[float, dict[str, float], dict[str, float]]:
    """Overall logarithm, and the effects of makers and of models: additive with sources, shrunk in that order."""
    overall = float(cells.groupby("source").log.median().mean())
    sources: dict[str, float] = {}
    makers: dict[str, float] = {}
    models: dict[str, float] = {}

    def effect(keys: pd.Series, rest: pd.Series, shrink: float) -> dict[str, float]:
        groups = rest.groupby(keys)
        return (groups.sum() / (groups.size() + shrink)).to_dict()

    for _ in range(20):
        source, maker, model = (cells[key].map(found).fillna(0) for key, found in (("source", sources), ("family", makers), ("base", models)))
        sources = effect(cells.source, cells.log - overall - maker - model, SOURCE_SHRINK)
        source = cells.source.map(sources)
        makers = effect(cells.family, cells.log - overall - source - model, MAKER_SHRINK)
        maker = cells.family.map(makers)
        models = effect(cells.base, cells.log - overall - source - maker, MODEL_SHRINK)
    return overall, makers, models


def hidden_figures(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """By source left out: typical factor of a model's mean hidden tokens at its effort, and the ratio of sums."""
    figures = []
    for source in sorted(cells.source.unique()):
        overall, makers, models = reasoning_levels(cells[cells.source != source])
        own = cells[cells.source == source]
        found = overall + own.family.map(makers).fillna(0) + own.base.map(models).fillna(0)
        rest = own.log - found
        figures.append({"source": source, "cells": len(own), "factor": float(np.exp(rest.abs().median())), "centred": float(np.exp((rest - rest.median()).abs().median())), "bias": float(np.exp(rest.median()))})
    return figures


def significant(value: float, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")


def write(rows: Rows, model: Model, folder: Path, figures: dict[str, Any]) -> None:
    """``lengths.json``, as ``src/embedding/lengths-file.ts`` reads it."""
    columns = zip(rows.names, rows.means, rows.deviations, model.weights, strict=True)
    content = {
        "version": 1,
        "dimensions": len(model.vector_weights),
        "figures": figures,
        "bias": significant(model.bias, 6),
        "clip": CLIP,
        "asked_share": ASKED_SHARE,
        "features": [{"name": name, "mean": significant(mean, 6), "deviation": significant(deviation, 6), "weight": significant(weight, 6)} for name, mean, deviation, weight in columns],
        "vector_mean": significant(model.vector_mean, 6),
        "vector_weights": [significant(value, 6) for value in model.vector_weights],
    }
    (folder / "lengths.json").write_text(as_json(content), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--model", type=Path, default=HERE.parent / "models/sextant-static-v1")
    flags = parser.parse_args()
    answers = visible_answers(flags.data)
    levels, effects = prompt_levels(answers)
    rows = read_prompts(flags.data, flags.model, levels, answers)
    visible = visible_figures(rows)
    everything = np.full(len(rows.texts), True)
    hidden = hidden_answers(flags.data, rows)
    facts = catalog_facts({*zip(hidden.model, hidden.effort, strict=True), *((model, "") for model in answers.model.unique())})
    cells = hidden_cells(hidden, facts)
    overall, makers, models = reasoning_levels(cells)
    verbosity = pd.DataFrame([(facts[(model, "")]["family"], facts[(model, "")]["base"], effect) for model, effect in effects.items()], columns=["family", "base", "effect"])
    by_maker = verbosity.groupby("family").effect.agg(["sum", "size"])
    maker_effect = (by_maker["sum"] / (by_maker["size"] + 2)).to_dict()
    by_model = verbosity.groupby("base").effect.mean().to_dict()
    families = {base: family for base, family in [*zip(verbosity.base, verbosity.family, strict=True), *zip(cells.base, cells.family, strict=True)]}

    def visible_factor(family: str, base: str | None) -> float:
        maker = maker_effect.get(family, 0.0)
        effect = maker if base is None or base not in by_model else (maker + by_model[base]) / 2
        return round(float(np.clip(np.exp(effect), *VERBOSITY_RANGE)), 2)

    content = {
        "visible": {"makers": {family: visible_factor(family, None) for family in sorted(set(families.values()))}, "models": {base: visible_factor(families[base], base) for base in sorted(by_model)}},
        "reasoning": {
            "tokens": significant(np.exp(overall), 3),
            "efforts": EFFORTS,
            "makers": {family: round(float(np.exp(effect)), 2) for family, effect in sorted(makers.items())},
            "models": {base: round(float(np.exp(makers[families[base]] + effect)), 2) for base, effect in sorted(models.items())},
        },
    }
    (HERE.parent / "catalog/answer-lengths.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    write(rows, fit(rows, everything), flags.model, {row["source"]: {key: round(value, 3) for key, value in row.items() if isinstance(value, float)} for row in visible})
    lines = ["# Lengths: figures", "", "Written by `python lengths.py`.", "", "Visible tokens of a prompt's answers (mean of its models), of a source left out of the fit and of held-out fifths of all sources:", "", "| source | prompts | median tokens | left out: real / expected | typical factor | rank | held out: real / expected | typical factor | rank |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in visible:
        cells_of = " | ".join(f"{row[f'{part}_{figure}']:.2f}" for part in ("left", "held") for figure in ("sums", "factor", "rank"))
        lines.append(f"| {row['source']} | {row['prompts']} | {row['median']:.0f} | {cells_of} |")
    lines += ["", "Hidden tokens of a model at its effort (mean of a source), the source left out; without its common bias:", "", "| source | models and efforts | typical factor | without bias | real / expected, median |", "|---|--:|--:|--:|--:|"]
    lines += [f"| {row['source']} | {row['cells']} | {row['factor']:.2f} | {row['centred']:.2f} | {row['bias']:.2f} |" for row in hidden_figures(cells)]
    (HERE / "lengths-results.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
