import { expect, test } from 'vitest';
import { childEnv } from './session-environment.ts';

test('a child gets what programs need and what is named, and nothing else', () => {
  const needed = { PATH: '/bin', HOME: '/h', USER: 'u', LC_ALL: 'C', XDG_RUNTIME_DIR: '/r', no_proxy: 'x', TZ: 'UTC' };
  const certificates = { SSL_CERT_FILE: '/c', NODE_EXTRA_CA_CERTS: '/d' };
  const other = { API_TOKEN: 's', AWS_PROFILE: 'p', NODE_OPTIONS: '-r x', LD_PRELOAD: 'x', BASH_ENV: 'x', LCX: 'x' };
  const env = { ...needed, ...certificates, ...other, NAMED: 'n', NOT_SET: undefined, HOOKLOOP_MARK: 'm' };
  expect(childEnv(env, ['NAMED', 'NOT_SET', 'NOT_THERE'])).toEqual({
    ...needed,
    ...certificates,
    NAMED: 'n',
    HOOKLOOP_MARK: 'm',
  });
});

test("the parent's place is not handed on, even where it is named", () => {
  const own = { HOOKLOOP_SESSION_DIR: '/parent', SPAWN_OUTPUT_FILE: '/parent/output.json' };
  expect(childEnv(own, Object.keys(own))).toEqual({});
});
