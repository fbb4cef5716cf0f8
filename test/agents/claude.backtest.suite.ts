import { claude } from './cases/index.ts';
import { testTranscripts } from './transcripts.ts';

const subagent = {
  name: 'Agent',
  args: { description: 'clean', prompt: 'Clean up.', subagent_type: 'general-purpose', run_in_background: false },
};

testTranscripts(claude, {
  turns: shell => [
    { text: 'Someone else cleans up.', tools: [subagent] },
    { text: 'I clean up.', tools: [shell('rm -rf build')] },
    { text: 'It is clean.' },
  ],
  calls: 2,
  fork: session => ['--resume', session, '--fork-session'],
});
