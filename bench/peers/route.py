"""Routes test prompts by other routers that learned from training prompts. Called by main.ts: `route.py INPUT OUTPUT`.

INPUT: {"models": [name], "cheapest_first": [index of a model], "pair": [strong, weak model], "train" and "test": [{"text", "vector",
"quality": [of each model]}]}. OUTPUT: [{"router", "chosen": [index of a model], "ms": median of a decision without embedding}].

A classifier learns the best model of each training prompt. Most prompts have several, of which it is once the cheapest and once the
one that is best on average. Each router has the defaults of its code.
"""

import contextlib
import io
import json
import os
import statistics
import sys
import tempfile
import time

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["OPENAI_API_KEY"] = "none"

with open(sys.argv[1], encoding="utf-8") as file:
    DATA = json.load(file)
MODELS, TRAIN, TEST = DATA["models"], DATA["train"], DATA["test"]
VECTORS = {row["text"]: row["vector"] for row in TRAIN + TEST}
CHEAPEST_FIRST = DATA["cheapest_first"]
BEST_FIRST = sorted(CHEAPEST_FIRST, key=lambda model: -sum(row["quality"][model] for row in TRAIN))


def timed(choose):
    """Chosen models of all test prompts, and the median milliseconds of one."""
    chosen, times = [], []
    for row in TEST:
        started = time.perf_counter()
        chosen.append(choose(row["text"]))
        times.append(1000 * (time.perf_counter() - started))
    return {"chosen": chosen, "ms": statistics.median(times)}


def semantic_router(order):
    """A route a model, its utterances the prompts on which it is best, the first of `order` among equals."""
    from semantic_router import IndexedRouter, Route
    from semantic_router.encoders.base import DenseEncoder

    class Encoder(DenseEncoder):
        def __call__(self, docs):
            return [VECTORS[doc] for doc in docs]

    utterances = {}
    for row in TRAIN:
        best = max(order, key=row["quality"].__getitem__)
        utterances.setdefault(str(best), []).append(row["text"])
    routes = [Route(name=model, utterances=texts) for model, texts in utterances.items()]
    router = IndexedRouter(encoder=Encoder(name="bench"), routes=routes)
    return timed(lambda text: int(router(text).name))


def llmrouter(module, order):
    """It takes the first of equals, too."""
    import torch

    kind = module.removesuffix("router").upper()
    router, trainer = f"{kind}Router", "MLPTrainer" if kind == "MLP" else f"{kind}RouterTrainer"

    models = __import__(f"llmrouter.models.{module}", fromlist=[router, trainer])
    source = __import__(f"llmrouter.models.{module}.router", fromlist=["router"])
    # It has no setting for another embedder than the Longformer of a hub.
    source.get_longformer_embedding = lambda text: torch.tensor(VECTORS[text])
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            {"query": row["text"], "embedding_id": at, "model_name": MODELS[model], "performance": row["quality"][model]}
            for at, row in enumerate(TRAIN)
            for model in order
        ]
        with open(f"{folder}/routing.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        torch.save(torch.tensor([row["vector"] for row in TRAIN]), f"{folder}/vectors.pt")
        saved = f"{folder}/model.{'pkl' if module in ('knnrouter', 'svmrouter') else 'pt'}"
        config = {
            "data_path": {"routing_data_train": f"{folder}/routing.jsonl", "query_embedding_data": f"{folder}/vectors.pt"},
            "model_path": {"ini_model_path": "", "save_model_path": saved, "load_model_path": saved},
            "hparam": {"text_dim": len(TRAIN[0]["vector"])} if module == "mfrouter" else {},
        }
        # JSON is YAML.
        with open(f"{folder}/config.yaml", "w", encoding="utf-8") as file:
            json.dump(config, file)
        learned = getattr(models, router)(f"{folder}/config.yaml")
        getattr(models, trainer)(learned).train()
        return timed(lambda text: MODELS.index(learned.route_single({"query": text})["model_name"]))


def routellm():
    """Similarity-weighted ranking between the best model and the best that costs less than a fifth; half of the prompts to each."""
    import datasets
    from routellm.routers import routers

    class Client:
        class embeddings:
            @staticmethod
            def create(input, model):
                vector = type("Vector", (), {"embedding": VECTORS[input[0]]})
                return type("Reply", (), {"data": [vector]})

    routers.OPENAI_CLIENT = Client
    strong, weak = DATA["pair"]
    # It leaves shorter ones out of the battles, but not out of their vectors.
    rows = [row for row in TRAIN if len(row["text"].strip()) >= 16]
    with tempfile.TemporaryDirectory() as folder:
        won = [(row["quality"][strong] > row["quality"][weak], row["quality"][strong] < row["quality"][weak]) for row in rows]
        battles = {
            "prompt": [json.dumps([row["text"]]) for row in rows],
            "model_a": ["strong"] * len(rows),
            "model_b": ["weak"] * len(rows),
            "winner_model_a": [int(a) for a, _ in won],
            "winner_model_b": [int(b) for _, b in won],
        }
        for name, columns in (("battles", battles), ("vectors", {"embeddings": [row["vector"] for row in rows]})):
            os.mkdir(f"{folder}/{name}")
            datasets.Dataset.from_dict(columns).to_parquet(f"{folder}/{name}/train.parquet")
        router = routers.SWRankingRouter([f"{folder}/battles"], [f"{folder}/vectors"], "strong", "weak", num_tiers=2)
    rates = timed(router.calculate_strong_win_rate)
    half = statistics.median(rates["chosen"])
    return {**rates, "chosen": [strong if rate >= half else weak for rate in rates["chosen"]]}


ROUTERS = {"RouteLLM sw_ranking": routellm}
for ties, order in (("cheapest", CHEAPEST_FIRST), ("best", BEST_FIRST)):
    ROUTERS[f"semantic-router, ties to the {ties}"] = lambda order=order: semantic_router(order)
    for module in ("knnrouter", "svmrouter", "mlprouter", "mfrouter"):
        name = f"LLMRouter {module.removesuffix('router')}, ties to the {ties}"
        ROUTERS[name] = lambda module=module, order=order: llmrouter(module, order)

with contextlib.redirect_stdout(io.StringIO()):
    FOUND = [{"router": name, **route()} for name, route in ROUTERS.items()]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(FOUND, file)
