type Env = Readonly<Record<string, string | undefined>>;

/**
 * What the environment of an agent tells Node to load is for its hooks, not for the Node that holds it to gates: the
 * launcher takes it out of the way of ours and hands it on in this variable.
 */
export const nodeOptionsCarrier = 'HOOKLOOP_NODE_OPTIONS';

/** The environment as the agent gave it, for hooks. */
export const withNodeOptions = (env: Env): Env => renamed(env, nodeOptionsCarrier, 'NODE_OPTIONS');

/** The same for a Node of ours. */
export const withoutNodeOptions = (env: Env): Env => renamed(env, 'NODE_OPTIONS', nodeOptionsCarrier);

/** A copy in which every other name stays what it is, `__proto__` too. */
function renamed(env: Env, from: string, to: string): Env {
  const copy: Record<string, string | undefined> = { ...env };
  if (copy[from] === undefined) return copy;
  copy[to] = copy[from];
  delete copy[from];
  return copy;
}
