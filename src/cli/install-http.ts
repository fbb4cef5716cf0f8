import { mkdirSync } from 'node:fs';
import { portFinding } from '../hosts/doctor/http-way.ts';
import type { InstallScope } from '../hosts/host.ts';
import type { AgentName } from '../hosts/index.ts';
import type { Wanted } from '../hosts/install/install.ts';
import type { HttpCalls } from '../hosts/settings.ts';
import { hostSettings } from '../hosts/settings-table.ts';
import { readAddress } from '../serve/address.ts';
import { httpEntry, httpPort, keepHttpEntry, tokenFile, tokenVariable } from '../serve/http-entry.ts';
import { UsageError } from './command.ts';
import { httpWay } from './http-way.ts';
import { WorldError } from './io.ts';

/** Calls that go straight to serve, and what the user has to know about them. */
export interface HttpInstall {
  wanted: NonNullable<Wanted['http']>;
  /** Makes the token. Contract: throws what the file system says. */
  prepare(): void;
  hints: readonly string[];
  /** Why the calls would come to somebody else. */
  warnings(): Promise<string[]>;
  json: Readonly<Record<string, unknown>>;
}

/** Throws usage errors. Nothing is written. */
export function httpInstall(agent: AgentName, scope: InstallScope, state: string | undefined): HttpInstall {
  const calls = callsOf(agent);
  if (scope !== 'project')
    throw new UsageError(
      '--http is for this checkout alone: the entries name a port of this machine, and the folder that they are for',
    );
  if (state === undefined) throw new WorldError('HOME is not set, so there is no place for the token');
  const port = portOf(readAddress(state)?.url) ?? httpPort(state);
  const file = tokenFile(state);
  return {
    wanted: { calls, port, variable: tokenVariable },
    prepare() {
      mkdirSync(state, { recursive: true, mode: 0o700 });
      const entry = httpEntry(state);
      // The entries name it, so it has to be the same after every start.
      if (entry.port !== port) keepHttpEntry(state, { ...entry, port });
    },
    hints: [
      `Calls around tools go to hookloop serve at http://127.0.0.1:${port}. ${calls.first} starts it where it does not run; while it cannot be reached, prompts and tools are refused.`,
      `${agent} needs its token: put this into your shell's profile, and start ${agent} anew`,
      `  export ${tokenVariable}="$(cat ${file})"`,
    ],
    async warnings() {
      const found = await portFinding(agent, { ...httpWay(state), port });
      return found ? [`warning: ${found.message}; prompts and tools are refused then\n  do: ${found.fix}`] : [];
    },
    json: { url: `http://127.0.0.1:${port}`, variable: tokenVariable, tokenFile: file },
  };
}

const portOf = (url: string | undefined): number | undefined => (url === undefined ? url : Number(new URL(url).port));

function callsOf(agent: AgentName): HttpCalls {
  const { http } = hostSettings[agent];
  if (typeof http === 'object') return http;
  throw new UsageError(
    `--http is not for ${agent}: ${http ?? 'its hooks are commands; the launcher asks serve for them'}`,
  );
}
