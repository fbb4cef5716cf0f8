export function cleanMemory(): void;
