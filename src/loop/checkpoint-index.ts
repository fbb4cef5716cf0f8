import { join } from 'node:path';

/** The private index of a session's checkpoints, in its folder. */
export const checkpointIndex = (folder: string): string => join(folder, 'checkpoints', 'index');
