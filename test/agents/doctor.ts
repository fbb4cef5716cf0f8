import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { httpWay } from '../../src/app/serve-address.ts';
import type { AgentReport } from '../../src/hosts/doctor/agent-report.ts';
import { examine } from '../../src/hosts/doctor/examine.ts';
import type { AgentName } from '../../src/hosts/index.ts';
import { createWorld, temporaryFolder, type World } from '../program.ts';

interface User {
  world: World;
  env: Readonly<Record<string, string>>;
  look(): Promise<AgentReport>;
}

const folder = temporaryFolder('doctor-real');
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A user who has installed our hooks into one agent. */
export function userOf(agent: AgentName, ...options: readonly string[]): User {
  const world = createWorld(folder, inject('program'));
  const state = join(world.home, '.local/state/hookloop');
  const path = [inject('agentFolders')[agent], dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  const env: Record<string, string> = { PATH: path.join(':'), HOME: world.home, LANG: 'C.UTF-8' };
  expect(world.run(['install', agent, ...options]).exit).toBe(0);
  const { token, variable } = httpWay(state);
  if (token !== undefined) env[variable] = token;
  return {
    world,
    env,
    look: () =>
      examine(agent, {
        user: { root: world.project, home: world.home, env },
        cwd: world.project,
        launcher: join(state, 'bin/hookloop'),
        http: httpWay(state),
        ownFile: inject('program'),
        limitMs: 60_000,
        signal: new AbortController().signal,
      }),
  };
}

export const problemsOf = ({ findings }: AgentReport): string[] =>
  findings.flatMap(({ severity, message }) => (severity === 'note' ? [] : [message]));
