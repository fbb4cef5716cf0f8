import type { AgentListener } from '../../model/agent.ts';
import { createChangeWatch, toldEdits } from '../changes.ts';

/** Finds what shell commands have edited. Of commands that run side by side each edit is told with the first that ends. */
export interface ShellEdits {
  begin(sinceMs: number): Promise<void>;
  /** No command runs that anybody knows of, but one that waits for leave: whatever is there is known. */
  anew(): Promise<void>;
  end(listener: AgentListener): Promise<readonly string[]>;
  /** A command that was announced and never ran. */
  leave(): Promise<void>;
  /** The file's present state is known to everybody. */
  taken(path: string): void;
}

export function createShellEdits(root: string, hurry: () => AbortSignal): ShellEdits {
  const watch = createChangeWatch(root, hurry);
  let running = 0;
  const leave = async (): Promise<void> => {
    running -= 1;
  };
  return {
    async begin(sinceMs) {
      running += 1;
      if (running > 1) return;
      await watch.begin(sinceMs);
    },
    async anew() {
      if (running <= 1) await watch.begin();
    },
    async end(listener) {
      await leave();
      return toldEdits(await watch.changedSince(), listener);
    },
    leave,
    taken: path => watch.taken(path),
  };
}
