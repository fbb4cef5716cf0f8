import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect } from 'vitest';
import { composeEngine } from '../src/app/compose.ts';
import type { Engine } from '../src/engine/engine.ts';
import { loadHooks } from '../src/hooks/discovery/load.ts';
import type { ActionRunners, EventResult, HookEvent, Progress } from '../src/model/index.ts';

interface EngineProjectOptions {
  env?: Record<string, string>;
  actions?: ActionRunners;
  onProgress?: (progress: Progress) => void;
}

/** A fresh project folder for each test, and an engine for the hook files that the test writes into it. */
export function createEngineProject() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-engine-')));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  let root = base;
  beforeEach(() => {
    root = mkdtempSync(join(base, 'p-'));
  });
  const engineHere = (options: EngineProjectOptions = {}): Engine => {
    const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), ...options.env };
    const loaded = loadHooks({ cwd: root, env });
    expect(loaded.problems.filter(problem => problem.severity === 'error')).toEqual([]);
    const mask = (text: string): string => text.replaceAll(options.env?.['API_TOKEN'] ?? '\0', '***');
    return composeEngine({ ...options, hooks: loaded.hooks, places: loaded.places, env, mask });
  };
  return {
    path: (name: string): string => join(root, name),
    /** What the hooks of the test have written. */
    log: (): string => readFileSync(join(root, 'log'), 'utf8'),
    write(name: string, text: string, mode = 0o644): void {
      mkdirSync(join(root, name, '..'), { recursive: true });
      writeFileSync(join(root, name), text, { mode });
    },
    engineHere,
    fire: (event: HookEvent): Promise<EventResult> => engineHere().fire(event),
  };
}

/** A Claude-style settings file with these commands for one event. */
export const claudeSettings = (event: string, ...commands: string[]): string =>
  JSON.stringify({ hooks: { [event]: [{ hooks: commands.map(command => ({ type: 'command', command })) }] } });

/** A native file with one shell hook. */
export const nativeHook = (command: string, fields = ''): string =>
  `hooks:\n  turn.ended:\n    - { type: shell, command: ${JSON.stringify(command)}${fields && `, ${fields}`} }\n`;
