"""Train the model of a prompt's difficulty that ships beside the embedder, and measure it by sources left out.

    python difficulty.py --data ../../shared/data

Reads ``DATA/difficulty/*.jsonl.gz`` (prompts with a tier each), our own templates and the model folder. Writes
``difficulty.json`` into the model folder, ``../test/engine/estimation/expected-estimates.json`` (what the TypeScript side must
compute) and ``difficulty-results.md`` (figures, and the everyday prompts in the order of their estimates). Same input, same
bytes. Under a minute.

The model is a ridge regression of the tier, as a number from 0 (trivial) to 4 (expert), on standardised surface features and the
prompt's vector. Tier goes with source, register and length, so that only what holds for sources left out of the fit counts;
the settings below were chosen by that alone. docs/decisions/difficulty.md says what else was tried.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from data import add_common_flags, read_rows
from difficulty_templates import template_prompts
from embedders import MAX_TOKENS, OnnxEmbedder
from prompt_features import PromptFeatures, units_of
from scipy.stats import spearmanr

HERE = Path(__file__).parent
TIERS = ("trivial", "easy", "medium", "hard", "expert")
UNITS_PER_TOKEN = 8
"""As ``src/engine/embedding/cut-text.ts`` cuts a text before it is tokenised."""

SEED = 0
FEATURE_PENALTY, VECTOR_PENALTY = 0.05, 1.0
"""Ridge penalties of a weight, for columns of unit variance (features) and of length ``sqrt(dimensions)`` (vectors)."""
TEMPLATE_WEIGHT = 4.0
"""Our templates count as so many sources of their size."""
CLIP = 4.0
"""Standardised features are cut to ±4, so that a page of code or digits does not carry a prompt off."""
NOT_TRAINED_ON = ("opentriviaqa",)
"""Share-alike; measured as a source left out, never fitted."""
EQUAL_LENGTH = 0.1
"""Two prompts are of equal length when the logarithms of their lengths differ by less."""


@dataclass(frozen=True)
class Prompts:
    """Texts with what the model reads of them, and their tiers as numbers."""

    texts: list[str]
    tiers: np.ndarray
    sources: np.ndarray
    features: np.ndarray
    vectors: np.ndarray

    def select(self, rows: np.ndarray) -> Prompts:
        """The rows where the mask is true."""
        texts = [text for text, kept in zip(self.texts, rows, strict=True) if kept]
        return Prompts(texts, self.tiers[rows], self.sources[rows], self.features[rows], self.vectors[rows])


@dataclass(frozen=True)
class Model:
    """A linear model; ``vector_mean`` is the mean of vector · vector_weights over what was trained on."""

    bias: float
    means: np.ndarray
    deviations: np.ndarray
    weights: np.ndarray
    vector_weights: np.ndarray
    vector_mean: float

    def raw(self, features: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Estimates [n] before they are cut to [0, 4]. A zero vector says nothing and moves nothing."""
        standard = np.clip((features - self.means) / self.deviations, -CLIP, CLIP)
        known = np.any(vectors != 0, axis=1)
        return self.bias + standard @ self.weights + np.where(known, vectors @ self.vector_weights - self.vector_mean, 0)

    def estimate(self, features: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Estimates [n] in [0, 4]."""
        return np.clip(self.raw(features, vectors), 0, len(TIERS) - 1)


def cut(text: str) -> str:
    """The beginning of a text that is embedded."""
    if len(units_of(text)) <= MAX_TOKENS * UNITS_PER_TOKEN:
        return text
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * MAX_TOKENS * UNITS_PER_TOKEN]
    return units.decode("utf-16-le", "ignore")


def read(texts: list[str], tiers: Sequence[str], sources: Sequence[str], reader: tuple[PromptFeatures, OnnxEmbedder]) -> Prompts:
    """Features and vectors of texts."""
    features, embedder = reader
    vectors = np.concatenate([embedder.embed([cut(text)]) for text in texts]).astype(np.float64)
    numbers = np.array([TIERS.index(tier) for tier in tiers], dtype=np.float64)
    return Prompts(texts, numbers, np.array(sources), features.matrix(texts), vectors)


def source_weights(prompts: Prompts) -> np.ndarray:
    """A weight per row; a source weighs the root of its size, the templates ``TEMPLATE_WEIGHT`` of that."""
    _, number, counts = np.unique(prompts.sources, return_inverse=True, return_counts=True)
    return counts[number] ** -0.5 * np.where(prompts.sources == "templates", TEMPLATE_WEIGHT, 1.0)


def fit(prompts: Prompts) -> Model:
    """Weighted ridge regression."""
    means, deviations = prompts.features.mean(axis=0), prompts.features.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    standard = np.clip((prompts.features - means) / deviations, -CLIP, CLIP)
    scale = np.sqrt(prompts.vectors.shape[1])
    columns = np.hstack([standard, prompts.vectors * scale])
    share = source_weights(prompts)
    share /= share.sum()
    column_means, tier_mean = share @ columns, share @ prompts.tiers
    centred = columns - column_means
    count = standard.shape[1]
    penalty = np.concatenate([np.full(count, FEATURE_PENALTY), np.full(columns.shape[1] - count, VECTOR_PENALTY)])
    weighted = centred * share[:, None]
    found = np.linalg.solve(weighted.T @ centred + np.diag(penalty), weighted.T @ (prompts.tiers - tier_mean))
    return Model(
        bias=float(tier_mean - column_means[:count] @ found[:count]),
        means=means,
        deviations=deviations,
        weights=found[:count],
        vector_weights=found[count:] * scale,
        vector_mean=float(column_means[count:] @ found[count:]),
    )


def rounded(model: Model, digits: int = 6) -> Model:
    """The model as it is written: so many significant digits."""

    def cut_number(value: Any) -> Any:
        return np.array([float(f"{number:.{digits}g}") for number in np.atleast_1d(value)])

    return Model(
        float(cut_number(model.bias)[0]),
        *(cut_number(column) for column in (model.means, model.deviations, model.weights, model.vector_weights)),
        float(cut_number(model.vector_mean)[0]),
    )


def without_source(prompts: Prompts, source: str | None) -> Prompts:
    """What a model is fitted on when a source is left out."""
    return prompts.select((prompts.sources != source) & ~np.isin(prompts.sources, NOT_TRAINED_ON))


def left_out_estimates(prompts: Prompts) -> np.ndarray:
    """For each prompt what a model says that has not seen its source."""
    estimates = np.zeros(len(prompts.texts))
    for source in np.unique(prompts.sources):
        rows = prompts.sources == source
        estimates[rows] = fit(without_source(prompts, source)).raw(prompts.features[rows], prompts.vectors[rows])
    return estimates


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    """Rank correlation."""
    return float(spearmanr(left, right).statistic)


def ordered_share(estimates: np.ndarray, tiers: np.ndarray, lengths: np.ndarray) -> tuple[float, int]:
    """Of all pairs of equal length and different tiers, the share in the right order (ties half), and their number."""
    right, count = 0.0, 0
    for at in np.flatnonzero(tiers > tiers.min()):
        easier = (tiers < tiers[at]) & (np.abs(np.log(lengths / lengths[at])) < EQUAL_LENGTH)
        right += np.sum(estimates[easier] < estimates[at]) + np.sum(estimates[easier] == estimates[at]) / 2
        count += int(easier.sum())
    return (float(right / count) if count else float("nan")), count


def versions_ordered_share(estimates: np.ndarray, rows: list[dict[str, Any]]) -> float:
    """Of the versions of one prompt (``pair``) with different tiers, the share of pairs in the right order."""
    groups: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        if row.get("pair") is not None:
            groups.setdefault(f"{row['source']} {row['pair']}", []).append(at)
    outcomes = [
        float(estimates[low] < estimates[high])
        for members in groups.values()
        for low in members
        for high in members
        if TIERS.index(rows[low]["tier"]) < TIERS.index(rows[high]["tier"])
    ]
    return float(np.mean(outcomes)) if outcomes else float("nan")


def measure(prompts: Prompts, estimates: np.ndarray, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Figures per source, and over sources. ``rows`` are the labelled prompts, in order; templates follow them."""
    lengths = np.array([max(1, len(text)) for text in prompts.texts])
    labelled = [str(source) for source in np.unique(prompts.sources) if source != "templates"]
    sources: dict[str, Any] = {}
    for source in [*labelled, "templates"]:
        mask = prompts.sources == source
        tiers, found = prompts.tiers[mask], estimates[mask]
        figures: dict[str, Any] = {"prompts": int(mask.sum()), "tier": tiers.mean(), "estimate": found.mean(), "spread": found.std()}
        if len(set(tiers)) > 1:
            share, pairs = ordered_share(found, tiers, lengths[mask])
            figures["within"] = spearman(found, tiers)
            if pairs >= 20:
                figures["equal_length"] = share
            own = [row for row, kept in zip(rows, mask, strict=False) if kept]
            versions = versions_ordered_share(found, own)
            if not np.isnan(versions):
                figures["versions"] = versions
        sources[source] = figures
    many = [sources[source] for source in labelled if "within" in sources[source]]
    return {
        "sources": sources,
        "between": spearman(
            np.array([sources[source]["estimate"] for source in labelled]),
            np.array([sources[source]["tier"] for source in labelled]),
        ),
        "within": float(np.mean([figures["within"] for figures in many])),
        "equal_length": float(np.mean([figures["equal_length"] for figures in many if "equal_length" in figures])),
    }


def model_file(model: Model, names: Sequence[str], stems: dict[str, list[str]], figures: dict[str, Any]) -> dict[str, Any]:
    """``difficulty.json``, as ``src/engine/embedding/linear-model-file.ts`` reads it."""
    columns = zip(names, model.means, model.deviations, model.weights, strict=True)
    return {
        "version": 1,
        "dimensions": len(model.vector_weights),
        "figures": figures,
        "bias": model.bias,
        "clip": CLIP,
        "features": [
            {"name": name, "mean": mean, "deviation": deviation, "weight": weight} for name, mean, deviation, weight in columns
        ],
        "vector_mean": model.vector_mean,
        "vector_weights": model.vector_weights.tolist(),
        "stems": stems,
    }


def as_json(content: dict[str, Any]) -> str:
    """JSON with one line per member, and per entry of the long ones."""
    compact = {name: json.dumps(value, ensure_ascii=False) for name, value in content.items()}
    for name in ("features", "stems", "texts"):
        if name in content:
            entries = content[name]
            lines = (
                [json.dumps(entry) for entry in entries]
                if isinstance(entries, list)
                else [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items()]
            )
            opening, closing = "[]" if isinstance(entries, list) else "{}"
            compact[name] = opening + "\n    " + ",\n    ".join(lines) + "\n  " + closing
    return "{\n" + ",\n".join(f"  {json.dumps(name)}: {value}" for name, value in compact.items()) + "\n}\n"


EXPECTED_TEXTS = (
    (("", 1),),
    ((" \n\t ", 1),),
    (("Hi!", 1),),
    (("What is 2 + 2?", 1),),
    (("Prove that sqrt(2) + sqrt(3) is irrational.", 1),),
    (("Wirte a fucntion thta retruns teh smalest prime fctor of a nubmer, pelase. BEWIES lambada", 1),),
    (("你好,今天天气怎么样?", 1),),
    (("请证明:任意两个素数之和不一定是素数。要求：\n1. 给出反例\n2. 说明一般情况", 1),),
    (("¿Por qué el cielo es azul? Explícamelo, por favor…", 1),),
    (("Übersetze „Guten Morgen“ ins Englische. ÄRGER, Straße, ÉTÉ! 3 × 4 µm", 1),),
    (("😀🚀👩‍💻 🇫🇷", 1),),
    (("\ud83d lone \udc00 surrogates", 1),),
    (("Докажите теорему Пифагора. ДОКАЖИТЕ её иначе! Ποιος είναι ο καιρός;", 1),),
    (("Review:\r\n```python\ndef f(x):\n    return x[0] ** 2  # O(1)\n```\n- is it correct?\n* is it fast?\n12) why?! 3.14 1,000", 1),),
    (("안녕하세요. 이 문장을 영어로 번역해 주세요", 1),),
    (("اكتب رسالة قصيرة؟ नमस्ते। สวัสดี", 1),),
    (("Translate into French: ", 1), ("The ferry leaves at eight. ", 300), ("\nThanks; and explain why, step by step.", 1)),
    (("x", 4096),),
    (("🚀", 2049), (" prove it?", 1)),
    (("Fix: 'I dont know it's the wrong way, isn't it?' and 'short', please", 1),),
    (("'Only a quotation, and nothing outside of it'", 1),),
    (("翻译成英文：“今天会议推迟到下午三点，请通知大家。” und „das hier ist auch ein Zitat“", 1),),
    (("Prove it:\n\nA first paragraph\nof two lines.\n \t \nA last one, longer than the first.\n\n", 1),),
    (('Why? """a long text\n\nof paragraphs """ ```unclosed \'also "unclosed, prove', 1),),
    (("'unclosed ", 300), ("\n«fermé, mais sur deux\nlignes»", 1)),
)
"""Texts at the edges of the rules, which both sides must read alike: pieces, and how often each is repeated."""


def expected_estimates(model: Model, reader: tuple[PromptFeatures, OnnxEmbedder]) -> dict[str, Any]:
    """Features and estimates of ``EXPECTED_TEXTS``. A text without a token has the zero vector."""
    texts = ["".join(piece * times for piece, times in pieces) for pieces in EXPECTED_TEXTS]
    nothing = np.zeros((1, len(model.vector_weights)), np.float32)
    vectors = np.concatenate([reader[1].embed([cut(sound(text))]) if text.strip() else nothing for text in texts])
    features = reader[0].matrix(texts)
    estimates = model.estimate(features, vectors.astype(np.float64))
    rows = [
        {"pieces": pieces, "features": row.round(12).tolist(), "estimate": round(float(value), 6)}
        for pieces, row, value in zip(EXPECTED_TEXTS, features, estimates, strict=True)
    ]
    return {"names": list(reader[0].names), "texts": rows}


def sound(text: str) -> str:
    """The text with lone surrogates replaced: the tokenizer refuses them, and drops what they are replaced by."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def report(figures: dict[str, Any], check: list[dict[str, str]], estimates: np.ndarray) -> str:
    """``difficulty-results.md``."""
    lines = [
        "# Difficulty: figures",
        "",
        "Written by `python difficulty.py`. Each source is estimated by a model that has not seen it; opentriviaqa is in no model.",
        f"Rank correlation between the means of {len(figures['sources']) - 1} sources: **{figures['between']:.3f}**; "
        f"within sources, mean: **{figures['within']:.3f}**; pairs of equal length (10 %) of one source in the right order, mean: "
        f"**{figures['equal_length']:.3f}** (chance .5).",
        "Versions: pairs of versions of one prompt (more constraints, or the same exercise in another language) in the right order.",
        "",
        "| source | prompts | mean tier | mean estimate | spread | within | equal length | versions |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for source, row in figures["sources"].items():
        cells = [f"{row[name]:.2f}" if name in row else "–" for name in ("within", "equal_length", "versions")]
        lines.append(
            f"| {source} | {row['prompts']} | {row['tier']:.2f} | {row['estimate']:.2f} | {row['spread']:.2f} | {' | '.join(cells)} |"
        )
    lines += [
        "",
        "## Everyday prompts by estimate",
        "",
        f"The prompts of `test/engine/estimation/everyday-prompts.json`, never trained on: rank correlation **{figures['everyday']:.3f}**.",
        "",
        "| estimate | tier | language | kind | prompt |",
        "|---:|---|---|---|---|",
    ]
    for at in np.argsort(estimates, kind="stable"):
        row = check[at]
        text = " ".join(row["prompt"].split()).replace("|", "\\|")
        shown = text if len(text) <= 110 else text[:109] + "…"
        lines.append(f"| {estimates[at]:.2f} | {row['tier']} | {row['language']} | {row['kind']} | {shown} |")
    return "\n".join(lines) + "\n"


def rounded_figures(value: Any) -> Any:
    """Figures with three decimals."""
    if isinstance(value, dict):
        return {name: rounded_figures(inner) for name, inner in value.items()}
    return round(float(value), 3) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--model", type=Path, default=HERE / "../models/sextant-static-v1", help="the embedder's folder")
    parser.add_argument("--tests", type=Path, default=HERE / "../test/engine/estimation", help="folder of the tests' data")
    parser.add_argument("--results", type=Path, default=HERE / "difficulty-results.md")
    args = parser.parse_args()

    stems = json.loads((HERE / "word-stems.json").read_text(encoding="utf-8"))
    reader = (PromptFeatures(stems), OnnxEmbedder(args.model))
    files = sorted((args.data / "difficulty").glob("*.jsonl.gz"))
    if not files:
        raise SystemExit(f"no *.jsonl.gz under {args.data / 'difficulty'}; pass --data")
    rows, sources = [], []
    for path in files:
        own = list(read_rows(path))
        rows += own
        sources += [path.name.removesuffix(".jsonl.gz")] * len(own)
    templates = template_prompts(SEED)
    prompts = read(
        [row["prompt"] for row in rows] + [row.prompt for row in templates],
        [row["tier"] for row in rows] + [row.tier for row in templates],
        sources + ["templates"] * len(templates),
        reader,
    )
    check = [
        {"tier": tier, "language": language, "kind": kind, "prompt": prompt}
        for tier, prompts_of_tier in json.loads((args.tests / "everyday-prompts.json").read_text(encoding="utf-8")).items()
        for language, kind, prompt in prompts_of_tier
    ]
    everyday = read([row["prompt"] for row in check], [row["tier"] for row in check], ["everyday"] * len(check), reader)

    figures = measure(prompts, left_out_estimates(prompts), rows)
    model = rounded(fit(without_source(prompts, None)))
    estimates = model.estimate(everyday.features, everyday.vectors)
    figures["everyday"] = spearman(estimates, everyday.tiers)
    (args.results).write_text(report(figures, check, estimates), encoding="utf-8")

    trained = without_source(prompts, None)
    names, counts = np.unique(trained.sources, return_counts=True)
    shown = rounded_figures({name: figures[name] for name in ("between", "within", "equal_length", "everyday")})
    shown["prompts"] = {str(name): int(count) for name, count in zip(names, counts, strict=True)}
    content = as_json(model_file(model, reader[0].names, stems, shown))
    (args.model / "difficulty.json").write_text(content, encoding="utf-8")
    expected = as_json(expected_estimates(model, reader))
    (args.tests / "expected-estimates.json").write_text(expected, encoding="utf-8")
    print(shown, hashlib.sha256(content.encode()).hexdigest())


if __name__ == "__main__":
    main()
