import { expect, test } from 'vitest';
import { createGrant, dashboardLink, isGrant, lifeMs } from './access.ts';

test('a pass counts for its kind, its serve and its time', () => {
  const nowMs = Date.now();
  const pass = createGrant('link', 'secret', nowMs);
  expect(isGrant('link', pass, 'secret', nowMs)).toBe(true);
  expect(isGrant('link', pass, 'secret', nowMs + lifeMs.link - 1000)).toBe(true);
  expect(isGrant('link', pass, 'secret', nowMs + lifeMs.link)).toBe(false);
  expect(isGrant('cookie', pass, 'secret', nowMs)).toBe(false);
  expect(isGrant('link', pass, 'other', nowMs)).toBe(false);
  const later = `${(Math.floor(nowMs / 1000) + 99_999).toString(36)}${pass.slice(pass.indexOf('.'))}`;
  for (const wrong of ['', '.', later, `${pass}=`, pass.toUpperCase(), `${pass}.${pass}`])
    expect({ wrong, is: isGrant('link', wrong, 'secret', nowMs) }).toEqual({ wrong, is: false });
  expect(dashboardLink({ url: 'http://127.0.0.1:1', token: 'secret' })).toMatch(
    /^http:\/\/127\.0\.0\.1:1\/enter\/\w+\.[\w-]{43}$/,
  );
});
