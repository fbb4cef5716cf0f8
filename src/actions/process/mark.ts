/** The variable by which processes are found that left their group with setsid. */
export const markVariable = 'HOOKLOOP_MARK';

let count = 0;

export function createMark(): string {
  count += 1;
  return `${process.pid}-${Date.now()}-${count}`;
}

/** A hook of a hook carries both marks, so stopping the outer one reaches it too. */
export const markedEnv = (
  env: Readonly<Record<string, string | undefined>>,
  mark: string,
): Record<string, string | undefined> => {
  const outer = env[markVariable];
  return layer(env, { [markVariable]: outer ? `${outer}/${mark}` : mark });
};

/** One environment on top of another. */
export const layer = (
  below: Readonly<Record<string, string | undefined>>,
  above: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => ({ ...below, ...above });

/** Whether an environment, as NAME=VALUE, carries the mark. */
export function carriesMark(env: readonly string[], mark: string): boolean {
  const start = `${markVariable}=`;
  const pair = env.find(one => one.startsWith(start));
  return pair?.slice(start.length).split('/').includes(mark) ?? false;
}
