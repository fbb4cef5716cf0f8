export const placeVariable: string;
export function processesOf(beginning: string): number[];
export function endProcessesOf(run: string): void;
