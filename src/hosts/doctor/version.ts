import type { Stage } from './stage.ts';

const mostMs = 10_000;

/** What a program says its version is; null where it says nothing that looks like one. */
export async function versionOf(
  program: string,
  stage: Stage,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<string | null> {
  const args = ['--version'];
  const { outcome } = await stage.run({ file: program, args, timeoutMs: Math.min(timeoutMs, mostMs), signal });
  const said = 'stdout' in outcome ? `${outcome.stdout}\n${outcome.stderr}` : '';
  return /\d+\.\d+(\.\d+)?[\w.+-]*/.exec(said)?.[0] ?? null;
}
