import fc from 'fast-check';
import { test } from 'vitest';
import { doubleBraces } from './fixtures/grammars.ts';
import { openWorkshop } from './fixtures/real-shells.ts';
import { canaryValue, skeleton } from './fixtures/skeletons.ts';
import { compileCommand } from './placeholder.ts';
const P = ['sh','bash','dash','env','cat','xargs','nice','nohup','timeout','find','python3','perl','awk','sed','expr','true'];
test('x', () => {
  let w = openWorkshop(P); let total = 0; const end = Date.now() + Number(process.env['SECS'] ?? 60) * 1000; let found = 0;
  while (Date.now() < end && found < 12) {
    const texts = fc.sample(skeleton, 400);
    const [e, t] = fc.sample(canaryValue, 2) as [string, string];
    const items = texts.map(x => [x, compileCommand(x, doubleBraces)] as const).flatMap(([x, r]) => r.kind === 'compiled' && r.variables.length ? [[x, r.script] as const] : []);
    total += items.length;
    const env = { HOOK_ERROR: e, HOOK_TASK_ID: t };
    for (const sh of ['dash', 'bash']) {
      w.run(sh, items.map(i => i[1]), env);
      if (w.damage().length) {
        w.close();
        for (const [x, s] of items) { const o = openWorkshop(P); o.run(sh, [s], env); if (o.damage().length) { found++; console.log(sh, JSON.stringify({ x, e, t }), o.damage()); } o.close(); }
        w = openWorkshop(P);
      }
    }
  }
  console.log('total', total);
}, 600000);
