import { createEngine, loadHooks } from 'hookloop';

// The hooks that apply in this folder, whichever files they stand in.
const loaded = loadHooks({ cwd: import.meta.dirname });
const engine = createEngine(loaded);

// A very small agent: two tool calls it would like to make.
for (const command of ['git push', 'git push --force']) {
  const { decision, feedback } = await engine.fire({
    name: 'tool.calling',
    session: 'demo',
    tool: 'Bash',
    input: { command },
  });
  console.log(`${command}: ${decision.kind}`);
  if (feedback) console.log(feedback);
}

// Hooks that no one waited for may still run.
await engine.settle();
