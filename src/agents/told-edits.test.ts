import { expect, test } from 'vitest';
import { createListening } from '../../test/contracts/agent.ts';
import { toldEdits } from './told-edits.ts';

test('up to 200 edits are told, and it is said when there are more', () => {
  const { listener, shown } = createListening();
  const files = Array.from({ length: 201 }, (_, n) => `${n}.txt`);
  expect(toldEdits(files.slice(1), listener)).toEqual(files.slice(1));
  expect(shown).toEqual([]);
  expect(toldEdits(files, listener)).toEqual(files.slice(0, 200));
  expect(shown).toEqual([{ kind: 'log', text: '201 files changed; the first 200 are told' }]);
});
