/**
 * Names one piece of a session's work, the same in every process that works on the session. Written `s0/i3/work/t0`: the
 * stage, the iteration in it, and what it is, from the whole to the detail; `#` and a hook's id follow where it is a run
 * of that hook.
 */
export interface StepKey {
  /** The stage's index. */
  readonly stage?: number;
  readonly iteration?: number;
  /** The process of the session that it belongs to, where it is asked for from outside: no later one comes past it again. */
  readonly run?: number;
  readonly parts: readonly string[];
  readonly hook?: string;
  /** What that run of the hook has kept for itself. */
  readonly kept?: true;
}

export const keyOf = (...parts: readonly string[]): StepKey => ({ parts });

export const stageKey = (stage: number, ...parts: readonly string[]): StepKey => ({ stage, parts });

export const iterationKey = (stage: number, iteration: number): StepKey => ({ stage, iteration, parts: [] });

export const inRun = (run: number, ...parts: readonly string[]): StepKey => ({ run, parts });

/** A part of the work that a key names. */
export const partOf = (key: StepKey, ...parts: readonly string[]): StepKey => ({
  ...key,
  parts: [...key.parts, ...parts],
});

/** The written key of the iteration that a written key is part of; undefined: of none. */
export function iterationOf(key: string): string | undefined {
  const { stage, iteration } = parseKey(key);
  return stage === undefined || iteration === undefined ? undefined : formatKey(iterationKey(stage, iteration));
}

/** The same of a written key. */
export const hookRunKey = (firing: string, hook: string): string => `${firing}#${hook}`;

export const runOfHook = (firing: StepKey, hook: string): StepKey => ({ ...firing, hook });

/** The written key of a firing, for hooks that are asked about the input which others have made of it. */
export const changedKey = (firing: string, version: number): string => `${firing}/input${version}`;

/** The event's firing that a run of a hook belongs to. */
export function firingOf({ hook: _hook, kept: _kept, ...firing }: StepKey): StepKey {
  return /^input\d+$/.test(firing.parts.at(-1) ?? '') ? { ...firing, parts: firing.parts.slice(0, -1) } : firing;
}

/** The number behind a name in the last part, as in `gates2`. */
export const numberOf = ({ parts }: StepKey, name: string): number | undefined => numberAfter(name, parts.at(-1) ?? '');

export function formatKey({ stage, iteration, run, parts, hook, kept }: StepKey): string {
  const from = [
    ...(run === undefined ? [] : [`r${run}`]),
    ...(stage === undefined ? [] : [`s${stage}`]),
    ...(iteration === undefined ? [] : [`i${iteration}`]),
  ];
  const firing = [...from, ...parts].join('/');
  return hook === undefined ? firing : `${hookRunKey(firing, hook)}${kept ? '/kept' : ''}`;
}

export function parseKey(text: string): StepKey {
  const at = text.indexOf('#');
  const [first = '', ...rest] = (at === -1 ? text : text.slice(0, at)).split('/');
  const run = numberAfter('r', first);
  const stage = numberAfter('s', first);
  const iteration = stage === undefined ? undefined : numberAfter('i', rest[0] ?? '');
  const hook = at === -1 ? undefined : text.slice(at + 1);
  const kept = hook?.endsWith('/kept');
  return {
    ...(run !== undefined && { run }),
    ...(stage !== undefined && { stage }),
    ...(iteration !== undefined && { iteration }),
    parts: run === undefined && stage === undefined ? [first, ...rest] : rest.slice(iteration === undefined ? 0 : 1),
    ...(hook !== undefined && { hook: kept ? hook.slice(0, -'/kept'.length) : hook }),
    ...(kept && { kept: true as const }),
  };
}

/** The written keys of all that a piece of work is part of, from the whole to itself. */
export function wholesOf(key: StepKey): string[] {
  const parts = formatKey(firingOf(key)).split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Whether a written key names a part of what another does, or a run of a hook that it fires. */
export const isInside = (key: string, whole: string): boolean =>
  key.startsWith(whole) && (key[whole.length] === '/' || key[whole.length] === '#');

function numberAfter(name: string, text: string): number | undefined {
  const digits = text.startsWith(name) ? text.slice(name.length) : '';
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}
