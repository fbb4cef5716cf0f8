import { childOf, itemsOf, type Located } from '../../config/located.ts';

/** Whether an entry, or a list of them, is or may be a gate, judged without trusting any of it. */
export function mayRefuse(node: Located): boolean {
  if (node.kind === 'list') return itemsOf(node).some(mayRefuse);
  if (node.kind !== 'map') return false;
  return (
    !isOneOf(node, 'on_failure', undefined, 'continue', 'retry') ||
    !isOneOf(node, 'then', undefined, 'continue') ||
    !isOneOf(node, 'block', undefined, false) ||
    (isOneOf(node, 'type', 'prompt', 'agent') && !isOneOf(node, 'await', false)) ||
    (!isOneOf(node, 'type', 'shell', 'spawn', 'prompt', 'agent') && !isOneOf(node, 'await', undefined, false))
  );
}

function isOneOf(node: Located, key: string, ...values: readonly unknown[]): boolean {
  const child = childOf(node, key);
  if (child === undefined) return values.includes(undefined);
  return child.kind === 'scalar' && values.includes(child.value);
}
