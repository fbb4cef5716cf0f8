import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Ran,
  run,
  runInjected,
  tellSkipped,
  whyNoInjection,
} from '../../src/session/file-store/fixtures/programs.ts';
import { bundleForTests, diary, diaryAgent, type Project } from './project.ts';
import { asRepository, checkpointsOf } from './repository.ts';

const bundled = await bundleForTests();

/** Two tasks, each committed; between them someone switches the branch, which stops the session where no one can be asked. */
const files = {
  ...diary({ 0: 'date +%N > work-$turn.txt' }),
  'tasks.md': '- [ ] Write the parser\n- [ ] Test it\n',
  'hookloop.yaml': `commit: task
tasks: { done: gates }
hooks:
  task.completing: [{ type: shell, name: it works, command: "true" }]
  iteration.completed: [{ type: shell, await: true, command: "git checkout -q other 2>/dev/null || git checkout -q -b other" }]
`,
};

const programIn = (project: Project): string[] => [
  ...['env', 'CI=1', `HOME=${project.home}`, 'GIT_CONFIG_COUNT=2'],
  ...['GIT_CONFIG_KEY_0=user.name', 'GIT_CONFIG_VALUE_0=u', 'GIT_CONFIG_KEY_1=user.email', 'GIT_CONFIG_VALUE_1=u@u'],
  ...[process.execPath, bundled.program, '-C', project.project],
];

const begin = ['run', '--agent', diaryAgent, '--session', 's', '--tasks', 'tasks.md', '--quiet'];

/** Until the session is done; the branch stops it once, and whoever resumes it goes on there. */
async function finish(project: Project): Promise<Ran> {
  for (let tries = 1; ; tries += 1) {
    const resumed = await run([...programIn(project), 'resume', 's', '--quiet']);
    const isBranch = resumed.code === 1 && resumed.stderr.includes('the branch has changed from main to other');
    if (!isBranch || tries === 2) return resumed;
  }
}

/** Every n-th call is a kill point; with 1 all of them are, which takes minutes. */
const stride = Number(process.env['HOOKLOOP_SWEEP_STRIDE'] ?? 9);

test.skipIf(tellSkipped('checkpoints and commits under kill -9', whyNoInjection))(
  'a session that commits its tasks and is killed at any write commits each once and loses no checkpoint',
  async () => {
    let points = 0;
    for (let when = 2; ; when += stride) {
      const project = asRepository(bundled.project(files));
      const journal = join(project.project, '.hookloop/sessions/s/journal.jsonl');
      const inject = `pwrite64:signal=SIGKILL:when=${when}`;
      const killed = await runInjected(inject, [journal], [...programIn(project), ...begin]);
      if (killed.code === 1) break;
      points += 1;
      const ended = await finish(project);
      const told = `write ${when}: ${ended.stderr}`;
      expect([told, ended.code]).toEqual([told, 0]);
      const subjects = project.git('log', '--reverse', '--format=%s', 'other').trim().split('\n');
      expect([told, subjects]).toEqual([told, ['start', 'Write the parser', 'Test it']]);
      expect([told, project.git('status', '--porcelain')]).toEqual([told, '']);
      expect([told, project.heard().length <= 3]).toEqual([told, true]);
      const made = checkpointsOf(project);
      expect(made.map(({ n }) => n)).toEqual(made.map((_, at) => at));
      const refs = project.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/hookloop').trim();
      expect([told, refs]).toEqual([told, made.map(({ ref, oid }) => `${ref} ${oid}`).join('\n')]);
      const kept = project.git('ls-tree', '-r', '--name-only', made.at(-1)!.oid);
      expect([told, kept]).toEqual([told, project.git('ls-tree', '-r', '--name-only', 'other')]);
    }
    expect(points).toBeGreaterThan(2);
  },
  600_000,
);
