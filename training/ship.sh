#!/usr/bin/env bash
# Builds what ships, from the data alone: vocabulary, token table, model folder, default profiles. About 25 minutes of one core.
# A second run on the same machine gives the same bytes. Another kind of processor rounds differently while the table is trained:
# then .2 % of its int8 codes differ by a step, and with them the figures of the profiles.
#
#   training/ship.sh [DATA]       DATA: folder with corpus/, routing/, routing-current/, published-scores/ and difficulty/;
#                                 ../shared/data beside the repository by default
#
# PYTHON: interpreter with requirements.txt installed; WORK: folder for intermediate files, whose vocabulary is taken up;
# OUT: folder that gets models/ and profiles/, the repository by default.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "${1:-$repository/../shared/data}" && pwd)
python=${PYTHON:-$repository/training/.venv/bin/python}
work=${WORK:-$repository/training/.work}
out=${OUT:-$repository}
model=$out/models/sextant-static-v1
export OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1

cd "$repository/training"
[ -f "$work/tokenizer.json" ] || "$python" tokenizer.py --data "$data" --work-dir "$work"
"$python" train.py --data "$data" --work-dir "$work" --routing-part all --out "$work/base"
"$python" export.py --table "$work/base/token-table.npy" --tokenizer "$work/tokenizer.json" \
  --run "$work/base/run.json" --out "$work/base-model"
"$python" twins.py --data "$data" --model "$work/base-model" --run "$work/base/run.json" --routing-part all --out "$work/shipped"
"$python" export.py --table "$work/shipped/token-table.npy" --tokenizer "$work/tokenizer.json" \
  --run "$work/shipped/run.json" --out "$model"
"$python" difficulty.py --data "$data" --work-dir "$work" --model "$model"

cd "$repository"
npm run build
training/build-profiles.sh "$data" "$out/profiles/default" "$model"
