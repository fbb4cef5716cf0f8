import type { Script, ScriptTurn } from './script.ts';

export type Picked = { kind: 'turn'; turn: ScriptTurn } | { kind: 'none'; reason: string };

/** Which turn answers a prompt: the first whose `when` it contains, else the next of those without. */
export function createPicker({ turns, repeat = false }: Script): (prompt: string) => Picked {
  const inOrder = turns.filter(turn => turn.when === undefined);
  let next = 0;
  return prompt => {
    const called = turns.find(({ when }) => when !== undefined && prompt.includes(when));
    const turn = called ?? inOrder[repeat && inOrder.length > 0 ? next % inOrder.length : next];
    if (!turn) return { kind: 'none', reason: `the script has no turn left for this prompt: ${start(prompt)}` };
    if (!called) next += 1;
    const { expect } = turn;
    if (expect === undefined || prompt.includes(expect)) return { kind: 'turn', turn };
    return { kind: 'none', reason: `the prompt does not contain "${expect}": ${start(prompt)}` };
  };
}

const start = (prompt: string): string => (prompt.length > 500 ? `${prompt.slice(0, 500)}…` : prompt);
