import { expect, test } from 'vitest';
import { createGrant, dashboardLink, isGrant, lifeMs } from './grants.ts';

test('a grant counts for its kind, its serve and its time', () => {
  const nowMs = Date.now();
  const grant = createGrant('link', 'secret', nowMs);
  expect(isGrant('link', grant, 'secret', nowMs)).toBe(true);
  expect(isGrant('link', grant, 'secret', nowMs + lifeMs.link - 1000)).toBe(true);
  expect(isGrant('link', grant, 'secret', nowMs + lifeMs.link)).toBe(false);
  expect(isGrant('cookie', grant, 'secret', nowMs)).toBe(false);
  expect(isGrant('link', grant, 'other', nowMs)).toBe(false);
  const later = `${(Math.floor(nowMs / 1000) + 99_999).toString(36)}${grant.slice(grant.indexOf('.'))}`;
  for (const wrong of ['', '.', later, `${grant}=`, grant.toUpperCase(), `${grant}.${grant}`])
    expect({ wrong, is: isGrant('link', wrong, 'secret', nowMs) }).toEqual({ wrong, is: false });
  expect(dashboardLink({ url: 'http://127.0.0.1:1', token: 'secret' })).toMatch(
    /^http:\/\/127\.0\.0\.1:1\/enter\/\w+\.[\w-]{43}$/,
  );
});
