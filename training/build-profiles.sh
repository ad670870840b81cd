#!/usr/bin/env bash
# Builds the default profiles from the data alone, in about two minutes of one core; a second run gives the same bytes.
#
#   training/build-profiles.sh [DATA] [OUT] [EMBEDDER]
#
# DATA: folder with routing/, routing-current/ and published-scores/, ../shared/data beside the repository by default;
# OUT: folder of the set, profiles/default by default; EMBEDDER: folder of the embedder, the shipped one by default.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "${1:-$repository/../shared/data}" && pwd)
out=${2:-$repository/profiles/default}
embedder=${3:-$repository/models/sextant-static-v1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$repository"
[ -f dist/cli/main.js ] || npm run build
npm run --silent datasets -- scores --from "$data/published-scores" --out "$scratch/scores.jsonl"
npm run --silent datasets -- traffic --from "$data/difficulty" --out "$scratch/prompts.jsonl"
node dist/cli/main.js profile build --config datasets/default-set.json --data "$data" --scores "$scratch/scores.jsonl" --traffic "$scratch/prompts.jsonl" \
  --embedder "$embedder" --out "$out" --force --built-at 2026-11-22T00:00:00Z
