"""Write the model card from a run and its measured figures.

    python card.py --run .work/shipped/run.json --results results.json --date 2026-11-21 --out ../models/sextant-static-v1/README.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

SHARE_ALIKE = "**share-alike**"

PERMISSIVE_CODE = "MIT, BSD, Apache-2.0, PSF"
LICENCES = {
    "arxiv_abstracts": "arXiv metadata, CC0 by its policy",
    "chat_agent_examples": "MIT (partly machine-written)",
    "chat_agents_multilingual": "MIT (partly machine-written)",
    "chat_prompts_cc0": "CC0",
    "classic_books": "public domain",
    "clinc_paraphrases": "CC BY 3.0, CC BY 4.0, CC0",
    "cmrc2018": f"CC BY-SA, {SHARE_ALIKE}",
    "code_comments": PERMISSIVE_CODE,
    "dc_code": "statutes",
    "digitalgov": "public domain",
    "drcd": f"CC BY-SA, {SHARE_ALIKE}",
    "german_laws": "statutes",
    "gsm8k_train": "MIT",
    "hh_harmless_test": "MIT",
    "intents": "CC BY 3.0, CC BY 4.0, CC0",
    "jaquad": f"CC BY-SA, {SHARE_ALIKE}",
    "js_algorithms_multilingual": "MIT",
    "klue_ko": f"CC BY-SA, {SHARE_ALIKE}",
    "leetcode": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "leetcode_zh_en": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "mathlib": "Apache-2.0",
    "medquad": "CC BY 4.0",
    "ntrex": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "opentriviaqa": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "owasp_cheatsheets": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "plainlanguage": "public domain",
    "powershell_docs": "CC BY 4.0",
    "python_docs_es": "PSF",
    "python_docs_fr": "PSF",
    "python_docs_zh": "PSF",
    "python_docstrings": PERMISSIVE_CODE,
    "sgd_dialogue": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "sgd_intent_descriptions": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "sgd_intents": f"CC BY-SA 4.0, {SHARE_ALIKE}",
    "stackexchange_small": f"CC BY-SA, {SHARE_ALIKE}",
    "tatoeba_en_zh": "CC BY",
    "tatoeba_laser": "CC BY 2.0 FR",
    "text2sql": "BSD, CC BY 4.0",
    "textbooks_cc_by": "CC BY 4.0",
    "tico19_medical": "CC0",
    "tico19_terms": "CC0",
    "tldr": "CC BY 4.0",
    "tldr_multilingual": "CC BY 4.0",
    "ts_js_docs": PERMISSIVE_CODE,
    "turing_way": "CC BY 4.0",
    "web_framework_docs": PERMISSIVE_CODE,
    "wordnet": "CC BY 4.0",
    "world_factbook": "public domain",
    "xquad": f"CC BY-SA, {SHARE_ALIKE}",
}
"""Licence of each corpus file."""

ROUTING_LICENCES = {
    "mmlu_pro": ("TIGER-AI-Lab/MMLU-Pro @f418b116", "Apache-2.0"),
    "zeroeval": ("WildEval/ZeroEval @8c1485ed", "Apache-2.0"),
    "routellm": ("lm-sys/RouteLLM @0b64fdaf", "Apache-2.0"),
    "llmrouter_ulab": ("ulab-uiuc/LLMRouter @4e7a7969", "MIT"),
    "misguided_attention": ("cpldcpu/MisguidedAttention @bbae011e", "CC0-1.0"),
}
"""Where the routing prompts come from."""

DIFFICULTY_LICENCES = {
    "arena_hard": ("lmarena/arena-hard-auto @196f6b82", "Apache-2.0"),
    "cascadeflow": ("lemony-ai/cascadeflow @249a302c", "MIT"),
    "chatterbot_smalltalk": ("gunthercox/chatterbot-corpus @a01efece", "BSD-3-Clause"),
    "clinc150": ("clinc/oos-eval @828f8093", "CC BY 3.0"),
    "exercism": ("exercism/python, javascript, go @9eb657d4, 29554098, ae1477ab", "MIT"),
    "followbench": ("YJiangcm/FollowBench @6278f4c1", "Apache-2.0"),
    "gsm8k": ("openai/grade-school-math @3101c7d5", "MIT"),
    "hwu64": ("xliuhw/NLU-Evaluation-Data @f6071b49", "CC BY 4.0"),
    "interviews30s": ("30-seconds/30-seconds-of-interviews @eb703b6a", "MIT"),
    "jurijz": ("JurijZ/llm-router @fd4e5e10", "MIT"),
    "lexam": ("LEXam-Benchmark/LEXam @487f729e", "CC BY 4.0"),
    "math500": ("rasbt/reasoning-from-scratch @f79c9cd0 (MATH)", "Apache-2.0, MIT"),
    "mathbench": ("open-compass/MathBench, by ALikesToCode/CourseGPT-Pro @46a4189f", "Apache-2.0"),
    "ms_personality_chat": ("ntulsi/BotBuilder-PersonalityChat @67174467", "MIT"),
    "nadirclaw": ("AgileKnow23/NadirClaw @61c03f34", "MIT"),
    "proofnet": ("zhangir-azerbayev/ProofNet @509ad797", "MIT"),
    "selfinstruct_unlabelled": ("yizhongw/self-instruct @0b26ccaa", "Apache-2.0"),
    "sysadmin_skills": ("trimstray/test-your-sysadmin-skills @d566322e", "MIT"),
    "templates": ("training/difficulty_templates.py", "this repository's"),
    "theoremqa": ("TIGER-AI-Lab/TheoremQA @acfc9686", "MIT"),
    "vllm_semantic_router": ("vllm-project/semantic-router @3d48f8c9", "Apache-2.0"),
}
"""Where the prompts with a tier come from."""

HERE = Path(__file__).parent


def signed(difference: float, interval: list[float]) -> str:
    """A difference with its interval."""
    return f"{difference:+.4f} [{interval[0]:+.4f}, {interval[1]:+.4f}]"


def routing_table(routing: dict[str, Any]) -> str:
    """Accuracy, and APGR for two models, per set and method."""
    methods = ("best_single", "trial", "ours_f32", "ours_int8", "true_label", "oracle")
    lines = ["| set (test prompts, models) | best single | reference | ours, f32 | ours, int8 | true label | oracle |"]
    lines.append("|---|" + "---|" * len(methods))
    for name, report in routing["sets"].items():
        cells = " | ".join(f"{report['accuracy'][method]:.4f}" for method in methods)
        lines.append(f"| {name} ({report['tests']:,}, {report['models']}) | {cells} |")
        if "apgr" in report:
            scores = report["apgr"]
            cells = " | ".join(f"{scores[method]:.4f}" for method in methods[:-1])
            lines.append(f"| {name}, APGR | {cells} | – |")
    means = " | ".join(f"{routing['mean_accuracy'][method]:.4f}" for method in methods)
    lines.append(f"| mean accuracy | {means} |")
    return "\n".join(lines)


def difference_table(routing: dict[str, Any]) -> str:
    """Paired differences with 95 % intervals."""
    pairs = ("ours_int8 - trial", "ours_int8 - best_single", "ours_int8 - ours_f32")
    lines = ["| set | int8 − reference | int8 − best single | int8 − f32 |", "|---|---|---|---|"]
    for name, report in routing["sets"].items():
        differences = [report["differences"][pair] for pair in pairs]
        for kind, suffix in (("accuracy", ""), ("apgr", ", APGR"), ("explained", ", explained")):
            if kind in differences[0]:
                cells = " | ".join(signed(item[kind], item[f"{kind}_interval"]) for item in differences)
                lines.append(f"| {name}{suffix} | {cells} |")
    return "\n".join(lines)


def general_table(embedding: dict[str, dict[str, float]]) -> str:
    """General tasks of the reference and of the shipped weights."""
    lines = ["| task | reference | ours, f32 (held-out) | ours, int8 (shipped) |", "|---|---|---|---|"]
    for task in embedding["shipped_int8"]:
        cells = " | ".join(f"{embedding[name][task]:.4f}" for name in ("trial", "ours_f32", "shipped_int8"))
        lines.append(f"| {task} | {cells} |")
    return "\n".join(lines)


def source_table(run: dict[str, Any]) -> str:
    """Every corpus file with its pairs and licence, then the routing prompts."""
    lines = ["| source | pairs | licence |", "|---|---:|---|"]
    lines += [f"| {name} | {pairs:,} | {LICENCES[name]} |" for name, pairs in sorted(run["pairs"].items())]
    lines += [
        f"| prompts of {name} ({origin}) | {run['routing_prompts_per_set'][name]:,} prompts | {licence} |"
        for name, (origin, licence) in ROUTING_LICENCES.items()
    ]
    return "\n".join(lines)


def difficulty_parts(model: dict[str, Any]) -> dict[str, str]:
    """What the card says of ``difficulty.json``."""
    figures = model["figures"]
    sources = [
        f"| {name} ({DIFFICULTY_LICENCES[name][0]}) | {count:,} | {DIFFICULTY_LICENCES[name][1]} |"
        for name, count in figures["prompts"].items()
    ]
    scores = {f"difficulty_{name}": f"{figures[name]:.2f}" for name in ("between", "within", "equal_length", "everyday")}
    return {"difficulty_features": str(len(model["features"])), "difficulty_sources": "\n".join(sources), **scores}


def settings_rows(settings: dict[str, Any]) -> str:
    """One row for each."""
    return "\n".join(f"| {name} | {value} |" for name, value in settings.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="run.json of the shipped run")
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    parser.add_argument("--template", type=Path, default=HERE / "card.template.md")
    parser.add_argument("--date", required=True, help="day of measuring, YYYY-MM-DD")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--difficulty", type=Path, default=HERE / "../models/sextant-static-v1/difficulty.json")
    args = parser.parse_args()
    run, results = json.loads(args.run.read_text()), json.loads(args.results.read_text())
    recipe = run["recipe"]
    parts = {
        "date": args.date,
        "pairs": f"{sum(run['pairs'].values()):,}",
        "files": str(len(run["pairs"])),
        "prompts": f"{run['routing_prompts']:,}",
        "vocabulary": f"{run['vocabulary']:,}",
        "routing": routing_table(results["routing"]),
        "differences": difference_table(results["routing"]),
        "general": general_table(results["embedding"]),
        "sources": source_table(run),
        "recipe": settings_rows(recipe),
        "twins": settings_rows(run["twins"]),
        "twin_texts": f"{run['twin_texts']:,}",
        "frequent_words": f"{run['twins']['frequent_words']:,}",
        **difficulty_parts(json.loads(args.difficulty.read_text(encoding="utf-8"))),
    }
    card = args.template.read_text(encoding="utf-8")
    for name, text in parts.items():
        card = card.replace(f"{{{{{name}}}}}", text)
    args.out.write_text(card, encoding="utf-8")


if __name__ == "__main__":
    main()
