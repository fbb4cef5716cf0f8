import { hookMarks, resultWords, shortDuration, timeOf } from '../../model/words.ts';
import { html, type Markup } from '../../people/page/html.ts';
import { isRefusal } from '../../session/state/hook-runs.ts';
import type { HookView, SessionView } from '../../session/state/view.ts';
import { commandIn, type Project } from './project.ts';
import { command } from './words.ts';

const shown = 100;

/** The last runs of hooks, those of one event together, the newest first; `log` has them all. */
export function hookRows({ hooks, session }: SessionView, project: Project): Markup[] {
  const firings: HookView[][] = [];
  for (const hook of hooks.slice(-shown)) {
    const last = firings.at(-1);
    if (last && isSameFiring(hook, last[0]!)) last.push(hook);
    else firings.push([hook]);
  }
  const earlier = hooks.length - shown;
  const rest = html`<li><p class="reason">${earlier} earlier runs</p>${command(commandIn(project, `hookloop log ${session} --hooks`))}</li>`;
  return [...firings.reverse().map(firingRow), ...(earlier > 0 ? [rest] : [])];
}

const isSameFiring = (hook: HookView, before: HookView): boolean =>
  hook.event === before.event && hook.stage === before.stage && hook.iteration === before.iteration;

function firingRow(hooks: readonly HookView[]): Markup {
  const { at, event, stage, iteration } = hooks[0]!;
  const place = stage === undefined ? '' : ` in ${stage}${iteration === undefined ? '' : ` ${iteration}`}`;
  return html`<li><p class="about">${timeOf(at)} · ${event}${place}</p><ul class="rows">${hooks.map(hookRow)}</ul></li>`;
}

function hookRow(hook: HookView): Markup {
  const took = hook.durationMs === undefined ? '' : shortDuration(hook.durationMs);
  const about = [took, hookMarks(hook)].filter(word => word !== '').join(' · ');
  const reason = hook.verdict && 'reason' in hook.verdict ? hook.verdict.reason : '';
  return html`<li><p class="line"><strong>${hook.name}</strong> <span class="state ${toneOf(hook)}">${resultWords(hook)}</span> <span class="about">${about}</span></p>${reason === '' ? undefined : html`<p class="reason">${reason}</p>`}</li>`;
}

function toneOf(hook: HookView): string {
  if (isRefusal(hook)) return 'reject';
  if (hook.verdict?.kind === 'failed' || hook.status === 'unfinished') return 'waiting';
  if (hook.status === 'running') return 'running';
  return hook.verdict?.kind === 'passed' ? 'approve' : 'still';
}
