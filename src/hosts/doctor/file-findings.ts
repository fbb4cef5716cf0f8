import type { InstallScope } from '../config.ts';
import type { AgentName } from '../host.ts';
import { type EntryFile, type Finding, hasEntries } from './report.ts';

/** What is wrong with the files that hold our entries, or could. */
export function fileFindings(agent: AgentName, files: readonly EntryFile[]): Finding[] {
  const wrong = files.flatMap(file => findingOf(agent, file));
  if (hasEntries({ files })) return wrong;
  const none: Finding = {
    severity: 'note',
    message: `${agent} does not call Hookloop here`,
    fix: `hookloop install ${agent}`,
  };
  return [...wrong, none];
}

function findingOf(agent: AgentName, { file, scopes, state, why, http }: EntryFile): Finding[] {
  if (state === 'unreadable')
    return [
      { severity: 'warning', message: `${file} cannot be used: ${why ?? 'nobody can read it'}`, fix: `mend ${file}` },
    ];
  if (state !== 'old') return [];
  return [
    {
      severity: 'warning',
      message: `the entries in ${file} are not those that this version of Hookloop writes`,
      fix: `hookloop install ${agent}${optionOf[scopes[0] ?? 'project']}${http ? ' --http' : ''}`,
    },
  ];
}

const optionOf: Readonly<Record<InstallScope, string>> = { project: '', shared: ' --shared', user: ' --user' };
