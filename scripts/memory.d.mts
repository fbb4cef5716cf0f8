export function watchMemory(): () => void;
