export function isQuick(file: string): boolean;
