import { join } from 'node:path';
import { quoted } from '../install/launcher.ts';
import type { Files } from './headless.ts';

/** Files and words by which a canary is known. */
export const canaryName = {
  log: 'canary.log',
  /** Made by the command that the hook only looks at. */
  observed: 'hookloop-canary-observed',
  /** Would be made by the command that the hook refuses. */
  refused: 'hookloop-canary-refused',
  /** Its name, which stands in every refusal. */
  reason: 'canary of hookloop doctor',
} as const;

/** A hook of the user's own, so that nobody has to trust it: it notes every call, and refuses one of them. */
export function canaryFiles(home: string): Files {
  const script = join(home, 'canary.sh');
  return {
    [join(home, '.config/hookloop/hooks.yaml')]: JSON.stringify({
      hooks: {
        'tool.calling': [{ type: 'shell', name: canaryName.reason, command: `sh ${quoted(script)}`, block: true }],
      },
    }),
    [script]: `call=$(cat)
printf '%s\\n' "$call" >> ${quoted(join(home, canaryName.log))}
case $call in
  *${canaryName.refused}*) exit 1 ;;
esac
`,
  };
}
