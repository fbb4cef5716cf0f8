const againMs = 250;

/** Tries until it works, for as long as the process has something else to live for. What it returns ends that. */
export function tryAgain(works: () => Promise<boolean>): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    if (!isOver) timer = setTimeout(() => void attempt(), againMs).unref();
  };
  const attempt = async (): Promise<void> => {
    if (!(await works().catch(() => false))) wait();
  };
  wait();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
