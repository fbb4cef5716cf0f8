type Named = Readonly<Record<string, string | undefined>>;

/** Where values of `${NAME}` come from, the first that has it. */
export interface ValueSources {
  event: Named;
  callbackUrl?: string;
  secrets: () => Named;
  env: Named;
}

export interface Value {
  text: string;
  /** `event`: data that models and tools may have written. `ours`: the callback URL. `user`: secrets and environment. */
  from: 'event' | 'ours' | 'user';
}

/** The values of one request, and what became of them. */
export interface Values {
  /** An unknown name is empty and remembered. */
  of(name: string): Value;
  missing(): readonly string[];
  /** Texts that no record of the request may tell. */
  secret(): readonly string[];
}

export function createValues({ event, callbackUrl, secrets, env }: ValueSources): Values {
  const missing = new Set<string>();
  const told = new Set<string>();
  const find = (name: string): Value | undefined => {
    if (name === 'CALLBACK_URL') {
      // Its own question's, else that of the one before it.
      const url = callbackUrl ?? own(event, name) ?? '';
      return url === '' ? undefined : { text: url, from: 'ours' };
    }
    const ofEvent = own(event, name);
    if (ofEvent !== undefined) return { text: ofEvent, from: 'event' };
    const ofUser = own(secrets(), name) ?? own(env, name);
    return ofUser === undefined ? undefined : { text: ofUser, from: 'user' };
  };
  return {
    of(name) {
      const value = find(name);
      if (value === undefined) missing.add(name);
      else if (value.from !== 'event') told.add(value.text);
      return value ?? { text: '', from: 'user' };
    },
    missing: () => [...missing],
    // The token is the last part of the callback URL.
    secret: () => [...told, ...(callbackUrl?.split('/').slice(-1) ?? [])],
  };
}

const own = (values: Named, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
