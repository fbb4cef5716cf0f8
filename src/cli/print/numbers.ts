/** How long something took: `0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`. */
export function durationWords(ms: number): string {
  const tenths = Math.round(Math.max(0, ms) / 100);
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : wholeWords(Math.round(ms / 1000));
}

/** How long something has been going on, in whole seconds: tenths would never stand still. */
export const elapsedWords = (ms: number): string => wholeWords(Math.floor(Math.max(0, ms) / 1000));

/** The time since the start at the head of a line: `00:12`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const hours = Math.floor(seconds / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** `1 line`, `3 lines`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function wholeWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

const two = (value: number): string => String(value).padStart(2, '0');
