// Where a branch of a conversation begins: the checkpoint before a message.

import { api } from "./api.js";

const PAGE = 1000;

const idOf = (state) => state.checkpoint?.checkpoint_id ?? state.checkpoint_id;
const parentOf = (state) => state.parent_checkpoint?.checkpoint_id ?? state.parent_checkpoint_id ?? null;

/** The checkpoint before the run of a turn; undefined for the first message, whose branch begins anew. */
export async function baseOf(thread, turn, turns) {
  const states = await api.history(thread, PAGE);
  const begins = states.filter((state) => state.metadata?.source === "input").reverse();
  const ofRun = turn.run === null ? undefined : begins.find((state) => state.metadata?.run_id === turn.run);
  const place = turns.filter((one) => one.role === "person").findIndex((one) => JSON.stringify(one) === JSON.stringify(turn));
  const begin = ofRun ?? begins[place];
  if (begin === undefined) throw new Error("The step before this message is not in the history any more.");
  return parentOf(begin) ?? idOf(begin);
}
