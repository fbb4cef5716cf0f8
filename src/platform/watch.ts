import { watch } from 'node:fs';

/** Some file systems and full watch tables give no notices, so whoever waits also looks now and then. Returns what ends it. */
export function watchPath(path: string, onChange: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** `rung` settles once it was rung since it last settled, or after the time. */
export function createBell(): { ring(): void; rung(withinMs: number): Promise<void> } {
  let isRung = false;
  let wake = (): void => {};
  return {
    ring() {
      isRung = true;
      wake();
    },
    async rung(withinMs) {
      if (!isRung)
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, withinMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      isRung = false;
    },
  };
}
