export function median(values: readonly number[]): number;
export function measureInTurn(
  cases: readonly { name: string; run: () => number | Promise<number> }[],
  options: { rounds: number; base: string },
): Promise<{ name: string; ms: number; ratio: number }[]>;
