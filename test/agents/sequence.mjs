import { BaseSequencer } from 'vitest/node';

/** Those that take longest, so that none of them is left when the others are done. */
const slow = [
  'qwen.suite',
  'opencode.suite',
  'claude.suite',
  'qwen.',
  'gemini.',
  'opencode.',
  'codex.suite',
  'claude.',
];

export class SlowFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => {
      const at = slow.findIndex(name => moduleId.includes(`/${name}`));
      return at === -1 ? slow.length : at;
    };
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}
