import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMask } from './create-mask.ts';
import { maskUrls } from './shapes.ts';

const mask = createMask({});
/** In parts, so that no scanner of secrets takes this file for one. */
const token = (prefix: string, rest: string): string => prefix + rest;
const letters = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0';

describe('a token is hidden wherever it stands', () => {
  test.each([
    token('ghp_', letters.slice(0, 36)),
    token('gho_', letters.slice(0, 36)),
    token('ghs_', letters.slice(0, 36)),
    token('github_pat_', `11ABCDEFG0${letters}_${letters}`),
    token('sk-', letters.repeat(1)),
    token('sk-proj-', `${letters}-_${letters}`),
    token('sk-ant-api03-', `${letters}-${letters}_AA`),
    token('sk_live_', letters),
    token('xoxb-', '123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'),
    token('xoxp-', '123456789012-AbCdEfGhIj'),
    token('AKIA', 'IOSFODNN7EXAMPLE'),
    token('ASIA', 'IOSFODNN7EXAMPLE'),
    token('glpat-', 'AbCdEfGhIjKlMnOpQrSt'),
    token('npm_', letters.slice(0, 36)),
    token('AIza', letters.slice(0, 35)),
    token('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0-sk-abcdefghijklmnopqrst1.AfterAnotherForm'),
    token('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'),
  ])('%s', text => {
    for (const [before, after] of [
      ['', ''],
      ['token=', '\n'],
      ['{"key":"', '"}'],
      ["Bearer '", "', next"],
      ['(', ').'],
    ] as const)
      expect(mask(before + text + after)).toBe(`${before}***${after}`);
  });
});

test.each([
  'the task-force-with-a-very-long-name-1 is ready',
  'sk-learn-pipelines-and-many-words',
  'ghp_short',
  'eyJ is how base64 of {" begins',
  'AKIAB and npm_config_registry and npm_lifecycle_event',
  'desk-12345678901234567890',
  'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=',
  '-----BEGIN CERTIFICATE-----\nMIIBkTCB+wIJAKHBfpE\n-----END CERTIFICATE-----',
  'it begins with -----BEGIN PRIVATE KEY----- and ends soon.',
])('%s is left as it is', text => {
  expect(mask(text)).toBe(text);
});

describe('a private key is hidden', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const frame = ['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----'] as const;

  test('as it is, its frame stays', () => {
    expect(mask(`key:\n${privateKey}done`)).toBe(`key:\n${frame[0]}***${frame[1]}\ndone`);
  });

  test('as JSON writes it', () => {
    expect(mask(JSON.stringify({ key: privateKey }))).toBe(`{"key":"${frame[0]}***${frame[1]}\\n"}`);
  });

  test('where its end is missing', () => {
    const cut = privateKey.slice(0, 900);
    const body = privateKey.split('\n').slice(1, -2);
    for (const text of [cut, `${JSON.stringify(cut).slice(0, -1)}`, `${cut}\n\nand then prose.`]) {
      const masked = mask(text);
      expect(body.filter(line => masked.includes(line.slice(0, 16)))).toEqual([]);
    }
    expect(mask(`${cut}\n\nand then prose.`)).toContain('and then prose.');
  });
});

test.each([
  ['sk-'.repeat(349_525)],
  ['-eyJ'.repeat(262_144)],
  ['eyJaaaaaa.'.repeat(104_857)],
  [' xoxb-'.repeat(174_762)],
  ['-----BEGIN PRIVATE KEY-----\n'.repeat(37_449)],
  ['-----BEGIN PRIVATE KEY-----x'.repeat(37_449)],
  ['-----BEGIN '.repeat(95_325)],
  [`-----BEGIN PRIVATE KEY-----${'Aa: '.repeat(262_144)}`],
  [`-----BEGIN PRIVATE KEY-----${'A'.repeat(1_048_576)}`],
  [`-----BEGIN PRIVATE KEY-----${'\\n \n'.repeat(262_144)}`],
])('1 MiB of %.30s takes no quadratic time', text => {
  const startMs = performance.now();
  mask(text);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

test.each([
  ['redis://cache:6379/0?password=s3cret', 'redis://cache:6379/0?***'],
  ['amqp://host/vhost?auth=abc&heartbeat=10', 'amqp://host/vhost?***'],
  ['mongodb+srv://cluster.example/db?authSource=admin&token=abc', 'mongodb+srv://cluster.example/db?***'],
  ['jdbc:mysql://db:3306/app?user=me&password=pw', 'jdbc:mysql://db:3306/app?***'],
  ['ftp://host/file?sig=abc and more', 'ftp://host/file?*** and more'],
  ['myapp://callback?code=abc', 'myapp://callback?***'],
  ['"myapp:\\/\\/callback?code=abc"', '"myapp:\\/\\/callback?***"'],
  ['git+ssh://me:pw@host/repo?ref=main', 'git+ssh://***@host/repo?***'],
])('the query of %s is hidden, whatever its scheme', (text, expected) => expect(maskUrls(text)).toBe(expected));

test.each(['is it redis://cache:6379/0?', 'file:///etc/hosts', 'a ? b : c', 'std::string? yes'])(
  '%s has no query to hide',
  text => expect(maskUrls(text)).toBe(text),
);
