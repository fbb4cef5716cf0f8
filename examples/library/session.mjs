import { deny, startSession } from 'hookloop';

const written = new Set();

const session = await startSession({
  cwd: import.meta.dirname,
  agent: 'scripted:agent.yaml',
  tasks: ['write the changelog'],
  hooks: {
    'file.edited': event => void written.add(event.file),
    // A gate: what it says goes back to the agent, who gets another try.
    'task.completing': () => (written.has('CHANGELOG.md') ? undefined : deny('CHANGELOG.md is missing.')),
  },
});

for await (const event of session) {
  if (event.type === 'hook.finished') console.log(`${event.event}: ${event.result.decision.kind}`);
  if (event.type === 'approval.requested') await session.answer(event.approval, { approve: true });
}

const { status, tasks } = await session.result;
console.log(status, tasks.map(task => `${task.id} is ${task.status}`).join(', '));
