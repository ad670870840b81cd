import type { TurnBody as Turn } from "../../gateway/features/traces/schema/conversation.js";
import { type Said, textOf, withResults } from "./tool-calls.js";

export interface ShownTurn {
  readonly turn: Turn;
  readonly said: readonly Said[];
  /** Turns after it that made the same calls again, and said nothing else. */
  readonly repeats: readonly Turn[];
}

/** The turns with the results of tools beside the calls of the turn before, and those that only repeat its calls folded into it. */
export function foldedTurns(turns: readonly Turn[]): readonly ShownTurn[] {
  const items = turns.flatMap((turn) => [
    ...(turn.messages ?? []).map((message) => ({ turn, message })),
    ...(turn.answer === undefined || turn.tokens_out === null ? [] : [{ turn, message: turn.answer }]),
  ]);
  const all = withResults(items);
  const shown: { turn: Turn; said: readonly Said[]; repeats: Turn[] }[] = [];
  for (const turn of turns) {
    const said = all.filter((one) => one.turn === turn);
    const last = shown.at(-1);
    const calls = callsAlone(said);
    if (last !== undefined && calls !== undefined && calls === callsOf(last.said.at(-1)))
      last.repeats.push(turn);
    else shown.push({ turn, said, repeats: [] });
  }
  return shown;
}

const callsOf = (said: Said | undefined): string =>
  JSON.stringify((said?.calls ?? []).map(({ name, arguments: given }) => [name, given]));

/** The calls of a turn that has nothing else; undefined for others. */
function callsAlone(said: readonly Said[]): string | undefined {
  const [only, ...others] = said;
  const isAlone = only !== undefined && others.length === 0 && only.calls.length > 0;
  return isAlone && textOf(only.message) === "" ? callsOf(only) : undefined;
}
