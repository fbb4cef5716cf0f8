import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskDeep } from '../../model/mask.ts';
import { createByteMask, createLineMask, createMask } from './create-mask.ts';

const secret = 'p@ss "wörd"/+?&\\x';
const mask = createMask({ API_TOKEN: secret, HOME: '/home/someone' });

test('a secret is hidden wherever it stands, other values are not', () => {
  expect(mask(`a ${secret} b ${secret}${secret} /home/someone`)).toBe('a *** b *** /home/someone');
});

test.each([
  ['JSON', JSON.stringify({ token: secret }), '{"token":"***"}'],
  ['a URL component', `t=${encodeURIComponent(secret)}&x`, 't=***&x'],
  ['a form', `t=${new URLSearchParams({ t: secret }).toString().slice(2)}&x`, 't=***&x'],
  ['base64', `<${Buffer.from(secret).toString('base64')}>`, '<***>'],
  ['base64url', `<${Buffer.from(secret).toString('base64url')}>`, '<***>'],
])('a secret is hidden in %s', (_form, text, masked) => {
  expect(mask(text)).toBe(masked);
});

test.each([
  ['as a host', 'Hidden-Team.example.com', 'https://Hidden-Team.example.com/x', 'https://***/x'],
  ['as a part of a host', 'TeamAlpha77', 'https://TeamAlpha77.example.com/', 'https://***.example.com/'],
  ['as an address', 'https://Hooks.example.com/T0/AbC', 'https://Hooks.example.com/T0/AbC', '***'],
])('a secret is hidden %s, which whoever reads an address writes in small letters', (_, value, address, masked) => {
  const { href } = new URL(address);
  expect(href).not.toContain(value);
  expect(createMask({ WEBHOOK_SECRET: value })(href)).toBe(masked);
});

test.each(['', 'u:', 'me:', 'someone:'])('a secret after %o in base64 is hidden', prefix => {
  const encoded = Buffer.from(`${prefix}${secret}:and more`).toString('base64');
  const masked = mask(`Basic ${encoded}`);
  expect(masked).toContain('***');
  const core = Buffer.from(secret).toString('base64').slice(4, 12);
  expect(masked).not.toContain(core);
  const left = masked.slice(6).split('***');
  expect(left.join('').length).toBeLessThanOrEqual(encoded.length - Math.floor((secret.length * 8) / 6) + 4);
});

test('single lines of a secret of many lines are hidden, its frame is not', () => {
  const key = '-----BEGIN KEY-----\nMIIEowIBAAKCAQEA\r\nq7Zx9AbCdEfGhIjK\n-----END KEY-----\n';
  const maskKey = createMask({ SSH_KEY: key });
  expect(maskKey('1: -----BEGIN KEY-----\n2: q7Zx9AbCdEfGhIjK')).toBe('1: -----BEGIN KEY-----\n2: ***');
  expect(maskKey(`all:\n${key}`)).toBe('all:\n***\n');
});

test('of secrets that overlap or contain each other nothing stays', () => {
  const both = createMask({ A_TOKEN: 'abcdef', B_TOKEN: 'abcdefghij', C_TOKEN: 'defghiXYZ' });
  expect(both('1 abcdefghij 2 abcdef 3 abcdefghiXYZ 4')).toBe('1 *** 2 *** 3 *** 4');
});

test('signs with a meaning in patterns are taken as they are', () => {
  expect(createMask({ T_TOKEN: '.*+?^${}()|[]\\$&' })('x .*+?^${}()|[]\\$& y abcdefg')).toBe('x *** y abcdefg');
});

test('a secret with half a character does no harm', () => {
  expect(createMask({ T_TOKEN: 'abc\ud800def' })('nothing here')).toBe('nothing here');
});

test.each([
  ['https://user:pw@host/p?x=y', 'https://***@host/p?***'],
  ['see http://host/p?token=abc&b=c#frag, and more', 'see http://host/p?*** and more'],
  ['https://tok@host', 'https://***@host'],
  ['https://u:p@ss@host/x', 'https://***@host/x'],
  ['HTTPS://U:P@HOST?Q=1', 'HTTPS://***@HOST?***'],
  ['postgres://me:pw@db/app?sslmode=require', 'postgres://***@db/app?***'],
  ['ssh://git@host/repo.git', 'ssh://git@host/repo.git'],
  ['wss://host/socket?key=1', 'wss://host/socket?***'],
  ['{"url":"https://host/p?a=b\\u0026c=d"}', '{"url":"https://host/p?***"}'],
  ['"https:\\/\\/me:pw@host\\/p?a=b"', '"https:\\/\\/***@host\\/p?***"'],
  ['https://proxy/https://me:pw@host/?a=b', 'https://proxy/https://***@host/?***'],
  ['<https://host/p?a=b>', '<https://host/p?***>'],
  ['\x1b[4mhttps://host/p?a=b\x1b[0m', '\x1b[4mhttps://host/p?***\x1b[0m'],
  ['https://host/path is fine. Really?', 'https://host/path is fine. Really?'],
  ['have you seen https://host/path?', 'have you seen https://host/path?'],
  ['mail me@host or a://b', 'mail me@host or a://b'],
])('in %s credentials and queries are hidden', (text, masked) => {
  expect(createMask({})(text)).toBe(masked);
  expect(createMask({})(masked)).toBe(masked);
});

test('strings at any depth of a JSON value are masked, keys and the rest stay', () => {
  const value = { [secret]: [{ a: `x${secret}`, n: 1, b: null, c: true }], u: 'https://a:b@c/' };
  expect(maskDeep(value, mask)).toEqual({
    [secret]: [{ a: 'x***', n: 1, b: null, c: true }],
    u: 'https://***@c/',
  });
  const odd = maskDeep(JSON.parse('{"__proto__":{"a":1}}'), mask) as object;
  expect(Object.keys(odd)).toEqual(['__proto__']);
});

test('a JSON value of any depth does not break it', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  expect(JSON.stringify(maskDeep(deep, mask))).toContain('***');
});

const MiB = 1024 * 1024;
test.each([
  ['plain text', 'lorem ipsum dolor '.repeat(MiB / 18)],
  ['one letter', 'a'.repeat(MiB)],
  ['words and dots', 'a.'.repeat(MiB / 2)],
  ['beginnings of URLs', 'https://'.repeat(MiB / 8)],
  ['URLs without a query', 'https://a/'.repeat(MiB / 10)],
  ['colons and slashes', '://'.repeat(MiB / 3)],
  ['at signs', `https://${'@'.repeat(MiB)}`],
  ['user names', 'x://a:b'.repeat(MiB / 7)],
  ['one long query', `https://a/?${'b'.repeat(8 * MiB)}`],
  ['a query of escapes', `https://a/?b${'\\u0026'.repeat(MiB / 6)}`],
  ['many secrets', `${secret} `.repeat(MiB / 20)],
])('1 MiB of %s takes no quadratic time', (_what, text) => {
  const env = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`T${at}_TOKEN`, `${at}aaaaaaaaaaaaaaaaaaaa${at}`]),
  );
  const maskMany = createMask({ ...env, S_TOKEN: secret });
  const startMs = performance.now();
  maskMany(text);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

const ofStream = createMask({ API_TOKEN: 'secret-value-1' });

test('a secret that arrives in pieces is hidden, and lines come out whole', () => {
  const lines = createLineMask(ofStream);
  expect(lines.push('one sec')).toBe('');
  expect(lines.push('ret-value-1 two\nthree\nfo')).toBe('one *** two\nthree\n');
  expect(lines.push('ur secret-val')).toBe('');
  expect(lines.end()).toBe('four secret-val');
  expect(lines.end()).toBe('');
});

test('a line that never ends is let go in parts without telling a secret at the seams', () => {
  const lines = createLineMask(ofStream);
  const text = `${'x'.repeat(997)}secret-value-1`.repeat(1200);
  let out = '';
  let longestHeld = 0;
  for (let at = 0; at < text.length; at += 1000) {
    out += lines.push(text.slice(at, at + 1000));
    longestHeld = Math.max(longestHeld, at - out.length);
  }
  out += lines.end();
  expect(out).toBe(ofStream(text));
  expect(longestHeld).toBeLessThan(400 * 1024);
});

test.each([
  ['with a character between them', 'secret-value-1~'],
  ['with nothing between them', 'secret-value-1'],
])('a line of secrets alone, %s, is let go without telling half of one', (_how, text) => {
  const lines = createLineMask(ofStream);
  const whole = text.repeat(60_000);
  let out = '';
  for (let at = 0; at < whole.length; at += 4999) out += lines.push(whole.slice(at, at + 4999));
  out += lines.end();
  expect(out.replaceAll('***', '').replaceAll('~', '')).toBe('');
  expect(out.length).toBeGreaterThan(0);
});

test('what may be one secret of a mebibyte is not told at all', () => {
  const lines = createLineMask(text => text.replaceAll(/z+/g, '***'));
  let out = lines.push('a'.repeat(1000));
  for (let count = 0; count < 400; count += 1) out += lines.push('z'.repeat(5000));
  out += lines.push('zzb') + lines.push('z\nafter it\n') + lines.end();
  expect(out).toBe('***\nafter it\n');
});

test('a private key that arrives line by line is hidden, and prose about one is not held back', () => {
  const lines = createLineMask(ofStream);
  const out = key.split(/(?<=\n)/).map(line => lines.push(line));
  expect(out.join('')).toBe('-----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----\n');
  expect(lines.push('-----BEGIN PRIVATE KEY-----\n')).toBe('');
  expect(lines.push('is how a key begins, as you see.\n')).toBe(
    '-----BEGIN PRIVATE KEY-----\nis how a key begins, as you see.\n',
  );
});

test('a private key that never ends is hidden and let go', () => {
  const lines = createLineMask(ofStream);
  const [begin, first] = key.split(/(?<=\n)/) as [string, string];
  let out = lines.push(begin);
  for (let count = 0; count < 500; count += 1) out += lines.push(first);
  out += lines.push('that was it.\n') + lines.end();
  expect(out).not.toContain(first.slice(0, 16));
  expect(out).toMatch(/that was it\.\n$/);
});

test('bytes come out masked the same however they are cut into chunks', () => {
  const text = `a ${token} ü🙂 secret-value-1 é\n${key}${key.slice(0, 90)}\nrest https://u:p@host/?q=1 secret-va\n🙂${token}`;
  const bytes = Buffer.from(text);
  const whole = masked([bytes]);
  for (const word of ['secret-value-1', token, keyLine, 'u:p']) expect(whole).not.toContain(word);
  for (const word of ['ü🙂', 'é', 'rest https://***@host/?***', 'secret-va\n🙂***']) expect(whole).toContain(word);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), cuts => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(masked(at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toBe(whole);
    }),
    { numRuns: 300 },
  );
});

const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const keyLine = 'MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49';
const key = ['-----BEGIN EC PRIVATE KEY-----', keyLine, keyLine, 'AwEHoUQD==', '-----END EC PRIVATE KEY-----', ''].join(
  '\n',
);

function masked(chunks: readonly Buffer[]): string {
  const stream = createByteMask(ofStream);
  return Buffer.concat([...chunks.map(stream.take), stream.end()]).toString();
}

test('by the word, a line comes out as it grows, but never a part of a secret', () => {
  const spaced = createMask({ DB_PASSWORD: 'correct horse battery', API_TOKEN: 'secret-value-1' });
  const words = createLineMask(spaced, 'word');
  expect(words.push('I wi')).toBe('I ');
  expect(words.push('ll say secret-val')).toBe('will say ');
  expect(words.push('ue-1 and correct ')).toBe('*** and ');
  expect(words.push('horse bat')).toBe('');
  expect(words.push('tery is it\n')).toBe('*** is it\n');
  expect(words.push('correct answer ')).toBe('correct answer ');
  expect(words.push('-----BEGIN PRIVATE ')).toBe('');
});

test('by the word, however a text is cut, what comes out is the same', () => {
  const spaced = createMask({ DB_PASSWORD: 'correct horse battery', API_TOKEN: 'secret-value-1' });
  const text = `so correct horse battery, https://u:p@host/?q=1 ${token} correct horse\n${key}secret-value-1 end`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 40 }), cuts => {
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      const words = createLineMask(spaced, 'word');
      const out = at.slice(1).map((end, index) => words.push(text.slice(at[index], end)));
      expect(out.join('') + words.end()).toBe(spaced(text));
    }),
    { numRuns: 300 },
  );
});
