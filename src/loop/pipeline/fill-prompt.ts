type PromptVariables = Readonly<Record<string, string>>;

/**
 * Puts values where a prompt says `${NAME}`. Unknown names stay as they are, and so does `$NAME`: prompts show shell
 * commands. A value is data: what it holds is not filled in again.
 */
export function fillPrompt(text: string, variables: PromptVariables): string {
  return text.replaceAll(/\$\{([A-Z][A-Z0-9_]*(?:\.[^\s{}]+)?)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? variables[name]! : whole,
  );
}

interface PromptFacts {
  session: string;
  stage: string;
  /** From 1. */
  iteration: number;
  maxIterations: number;
  perspectives: readonly string[];
  /** Paths. */
  context: string;
  status: string;
  progress: string;
  output: string;
  /** Values of a child pipeline or of `--input` and `--set`. */
  inputs: Readonly<Record<string, unknown>>;
  /** Paths of outputs of earlier stages. */
  fromStage: Readonly<Record<string, readonly string[]>>;
  /** Where a child writes what its parent gets. */
  spawnOutput?: string;
}

/** Everything a prompt may name. An input has precedence over a stage of the same name. */
export function promptVariables(facts: PromptFacts): PromptVariables {
  return Object.fromEntries([
    ...Object.entries(facts.fromStage).map(([stage, paths]) => [`INPUTS.${stage}`, paths.join('\n')]),
    ...Object.entries(facts.inputs).map(([name, value]) => [`INPUTS.${name}`, textOf(value)]),
    ['CTX', facts.context],
    ['STATUS', facts.status],
    ['PROGRESS', facts.progress],
    ['PROGRESS_FILE', facts.progress],
    ['OUTPUT', facts.output],
    ['OUTPUT_PATH', facts.output],
    ...(facts.spawnOutput === undefined ? [] : [['SPAWN_OUTPUT_FILE', facts.spawnOutput]]),
    ['SESSION', facts.session],
    ['SESSION_NAME', facts.session],
    ['STAGE', facts.stage],
    ['ITERATION', String(facts.iteration)],
    ['INDEX', String(facts.iteration - 1)],
    ['MAX_ITERATIONS', String(facts.maxIterations)],
    ['PERSPECTIVE', perspectiveAt(facts.perspectives, facts.iteration)],
  ]);
}

/** One after another over the iterations, then from the first again. */
export const perspectiveAt = (perspectives: readonly string[], iteration: number): string =>
  perspectives[(iteration - 1) % perspectives.length] ?? '';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
