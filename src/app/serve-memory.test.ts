import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readPlan } from '../hooks/plan/plan-cache.ts';
import { createSandbox } from '../hooks/trust/fixtures/sandbox.ts';
import { keepCached, readCached } from '../platform/cache.ts';
import { cacheFolder } from '../platform/folders.ts';
import { plansOnDisk } from './plan-source.ts';
import { createPlans } from './serve-memory.ts';

test('a plan that a caller has written into a cache of its own is not believed, by no one', async () => {
  const { project, env, write } = createSandbox();
  write('hookloop.yaml', 'hooks: { tool.calling: [{ type: shell, command: exit 1 }] }\n');
  const request = { cwd: project, only: undefined, env: { ...env } };
  const own = { ...request, env: { ...env, XDG_CACHE_HOME: join(project, 'cache') } };
  // Files that were written just now may still change without showing it, and their plan is not kept.
  for (; !readPlan(own); await delay(10)) await plansOnDisk(own);
  const folder = join(cacheFolder(own.env)!, 'plans');
  for (const file of readdirSync(folder).map(name => join(folder, name))) {
    const kept = JSON.parse(readCached(file)!.toString());
    expect(kept.plan.hooks).toHaveLength(1);
    keepCached(file, Buffer.from(JSON.stringify({ ...kept, plan: { ...kept.plan, hooks: [] } })));
  }
  expect((await plansOnDisk(own)).hooks).toEqual([]);
  const plans = createPlans(cacheFolder(env));
  for (const asked of [own, request]) expect((await plans(asked)).hooks).toHaveLength(1);
});
