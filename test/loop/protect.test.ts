import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleForTests } from './project.ts';

const bundled = await bundleForTests();

test('an agent of run does not change its gates or trust them: no one is there to be asked, so it is refused', () => {
  const project = bundled.project({
    '.sauna/hooks.json': '["sh gate.sh"]',
    'gate.sh': 'exit 0\n',
    'script.yaml': `turns:
  - tools:
      - { name: Write, input: { file_path: gate.sh, content: "exit 0" } }
      - { name: Bash, input: { command: "hookloop trust --yes" } }
      - { name: Bash, input: { command: "cat gate.sh" } }
`,
  });
  const ran = project.run(['run', '--agent', 'scripted:script.yaml', '--prompt', 'work', '--session', 's', '--json']);
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toContain('gate.sh is run by a hook, so an agent may not change it on its own');
  expect(ran.stderr).toContain('hookloop trust is for people');
  expect(existsSync(project.pathOf('~/.local/state/hookloop/trust.json'))).toBe(false);
});
