import { expect, test } from 'vitest';
import { createListening, world } from '../../test/contracts/agent.ts';
import { withSafeListener } from './listener.ts';

test('a listener that breaks refuses and is shown', async () => {
  const { listener: good, shown } = createListening();
  const broken = async (): Promise<never> => {
    throw new Error('disk full');
  };
  const { listener } = withSafeListener(world({ listener: { ...good, ask: broken, tell: broken } }).start);
  expect(await listener.ask({ name: 'tool.calling' })).toMatchObject({
    kind: 'block',
    reason: expect.stringContaining('disk full'),
  });
  await listener.tell({ name: 'tool.called' });
  expect(shown).toEqual([{ kind: 'log', text: 'tool.called was lost: Error: disk full' }]);
});
