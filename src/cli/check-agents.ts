import { resolveAgent } from '../agents/index.ts';
import { childOf, type Located } from '../config/located.ts';
import { createReport } from '../config/report.ts';
import { parseYaml } from '../config/yaml.ts';
import { config } from '../dialects/native/config.ts';
import type { Look } from '../hooks/discovery/look.ts';
import { pathOf, shownPath } from '../hooks/discovery/places.ts';
import type { AgentFlaw } from '../loop/pipeline/agents.ts';
import type { HookDefinition, Places, Problem } from '../model/index.ts';
import type { Io } from './io.ts';

/** Why a text names no agent, as `run` sees it. */
export const agentFlawFor =
  ({ cwd, env }: Io): AgentFlaw =>
  spec => {
    const known = resolveAgent(spec, { cwd, env });
    return 'message' in known ? known : undefined;
  };

/** An agent of a settings file that nobody knows. */
export interface UnknownSetting {
  of: 'agent' | 'judge';
  spec: string;
  problem: Problem;
}

/** What is wrong with `agent:` and `judge:` of hookloop.yaml, the project's and the user's. */
export function unknownSettings(places: Places, look: Look, flawOf: AgentFlaw): UnknownSetting[] {
  return config.locations.flatMap(location => {
    const path = pathOf(location, places);
    const content = path === undefined ? undefined : look.text(path);
    if (path === undefined || content?.kind !== 'text') return [];
    return unknownIn(shownPath(path, places), content.text, flawOf);
  });
}

function unknownIn(file: string, text: string, flawOf: AgentFlaw): UnknownSetting[] {
  const parsed = parseYaml(text);
  const root = parsed.kind === 'parsed' ? parsed.root : undefined;
  const named = { agent: childOf(root, 'agent'), judge: childOf(childOf(root, 'judge'), 'agent') };
  return (['agent', 'judge'] as const).flatMap(of => {
    const spec = textOf(named[of]);
    const flaw = spec === undefined ? undefined : flawOf(spec);
    if (spec === undefined || flaw === undefined) return [];
    const report = createReport(file, text, false);
    report.error(named[of]!.span, flaw.message, flaw.hint);
    return [{ of, spec, problem: report.problems[0]! }];
  });
}

/** A value of another type, or an empty one, is told where the file's shape is. */
const textOf = (node: Located | undefined): string | undefined =>
  node?.kind === 'scalar' && typeof node.value === 'string' && node.value.trim() !== '' ? node.value : undefined;

/** Hooks that ask a model and wait for its answer: without one they refuse. */
export const needsJudge = ({ action, wait, disabled }: HookDefinition): boolean =>
  (action.kind === 'prompt' || action.kind === 'agent') && wait && disabled === undefined;
