/** Session names become folders, arguments and parts of URLs. */
const sessionName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export type NameCheck = { kind: 'good' } | { kind: 'bad'; reason: string };

export function checkSessionName(name: string): NameCheck {
  if (sessionName.test(name)) return { kind: 'good' };
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}...` : name);
  const reason =
    name.length > 64
      ? `the session name ${shown} is longer than 64 characters`
      : `${shown} is not a session name: write letters, digits, "_" and "-", the first a letter or digit`;
  return { kind: 'bad', reason };
}

/** What events outside of sessions ask and start is kept under this name. */
export const sessionWithoutName = 'dispatch';

/** For a session that is yet to begin. */
export const checkNewName = (name: string): NameCheck =>
  name === sessionWithoutName
    ? { kind: 'bad', reason: `"${name}" is kept for what events outside of sessions start: take another name` }
    : checkSessionName(name);

/** `release-20261115-221758`, in local time. A further `attempt` in the same second gets `-2`, `-3`. */
export function makeSessionName(pipeline: string, now: Date, attempt = 1): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('');
  const suffix = `-${day}-${time}${attempt > 1 ? `-${attempt}` : ''}`;
  const plain = pipeline.replaceAll(/[^A-Za-z0-9_]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return `${plain.slice(0, 64 - suffix.length).replace(/-+$/, '') || 'session'}${suffix}`;
}

/** Names of stages were checked when the pipeline was read; here a wrong one is a bug that must not reach the disk. */
export function stageFolderName(index: number, id: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id)) throw new RangeError(`not a stage name: ${JSON.stringify(id)}`);
  return `stage-${String(index).padStart(2, '0')}-${id}`;
}
