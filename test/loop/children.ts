import { existsSync, readdirSync } from 'node:fs';
import type { SessionEntry } from '../../src/model/record.ts';
import { readJournal } from '../../src/session/file-store/fixtures/read-journal.ts';
import type { Project } from './project.ts';

/** Every child says what it was told. */
export const child = (more = ''): string => `
name: review
agent: "command:cat > ~/child-prompt; env > ~/child-env; pwd > ~/child-cwd; echo reviewed"
prompt: "review \${INPUTS.what}, write to \${SPAWN_OUTPUT_FILE}"
${more}`;

/** A project whose sessions run one spawn hook, and one that writes down what came of it. */
export const parent = (spawn: string, point = 'iteration.completed'): Record<string, string> => ({
  'script.yaml': 'repeat: true\nturns: [{ text: parent at work }]\n',
  'hookloop.yaml': `hooks:\n  ${point}:\n    - { type: spawn, ${spawn} }\n    - { type: shell, await: true, command: 'echo "$LAST_HOOK_STATUS: $SPAWN_OUTPUT" >> ~/seen' }\n`,
});

/** Its first iteration is done at once; the second waits for ~/go and says on whose behalf. */
export const waiting = `
agent: "command:echo $ITERATION >> ~/iterations; [ $ITERATION = 1 ] || { echo $$ >> ~/waiting; while [ ! -e ~/go ]; do sleep 0.02; done; }; echo done $ITERATION"
termination: { type: fixed, iterations: 2 }
prompt: go on
`;

/** A child's journal; empty where it has none. */
export const childEntries = (project: Project, path: string): SessionEntry[] => {
  const reading = readJournal(project.pathOf(`.hookloop/sessions/s/children/${path}/journal.jsonl`));
  return reading.kind === 'read' ? (reading.entries as SessionEntry[]) : [];
};

export const childrenIn = (project: Project): string[] => {
  const folder = project.pathOf('.hookloop/sessions/s/children');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};
