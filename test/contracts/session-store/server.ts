import { createInterface } from 'node:readline';
import type { Held, NotHeld, SessionStore } from '../../../src/session/store.ts';
import type { Reply, Request } from './process.ts';

/** The inside a `StoreProcess`: does what each line on stdin asks for, and answers with a line. */
export async function serveStore(store: SessionStore): Promise<void> {
  let held: Held | undefined;
  const take = (taken: Held | NotHeld): Reply => {
    if (taken.kind !== 'held') return { kind: taken.kind };
    held = taken;
    return { kind: 'held', lastSeq: taken.state.lastSeq };
  };
  const serve = async (request: Request): Promise<Reply> => {
    if (request.op === 'create')
      return take(await store.create(request.name, { ...request.start, mask: text => text }));
    if (request.op === 'hold') return take(await store.hold(request.name));
    if (request.op === 'count') {
      let entries = 0;
      const { kind } = await store.read(request.name, () => {
        entries += 1;
      });
      return { kind, entries };
    }
    if (request.op === 'release') {
      await held?.lease.release();
      return { kind: 'released' };
    }
    const { seq } = await held!.journal.append(request.record);
    return { kind: 'appended', seq };
  };
  const answer = (reply: Reply): void => console.log(JSON.stringify(reply));
  answer({ kind: 'ready' });
  for await (const line of createInterface({ input: process.stdin }))
    answer(await serve(JSON.parse(line) as Request).catch(error => ({ kind: `rejected: ${error}` })));
}
