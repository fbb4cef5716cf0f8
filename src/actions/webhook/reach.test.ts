import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundleInto, createWorld } from '../../../test/program.ts';
import { scopes } from '../../model/index.ts';
import { temporaryFolder } from '../fixtures/programs.ts';
import { keeping, type Received, receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';
import { kindOfAddress } from './request.ts';

test.each([
  ['loopback', '127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1'],
  ['unusable', '0.0.0.0 0.1.2.3 :: ::ffff:0.0.0.0 224.0.0.1 255.255.255.255 240.0.0.1 ff02::1 example 127.1 1.2.3'],
  [
    'private',
    '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 ' +
      '168.63.129.16 192.0.0.192 198.18.0.1 fd00:ec2::254 fc00::1 fe80::1 fe80::1%eth0 fec0::1 ::ffff:10.0.0.1 ' +
      '::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:a00:1:: 2001::1 ::a00:1 ::ffff:0:a00:1 2001:db8::1',
  ],
  ['public', '1.1.1.1 172.15.255.255 172.32.0.0 100.128.0.0 169.253.0.1 128.0.0.1 2606:4700::1111 ::ffff:1.1.1.1'],
])('%s addresses: %s', (kind, addresses) => {
  expect(addresses.split(' ').map(address => [address, kindOfAddress(address)])).toEqual(
    addresses.split(' ').map(address => [address, kind]),
  );
});

const privately = "its address is a private one; only hooks in the user's own files may send there";
const plainly = 'http is allowed only to this machine (localhost, 127.0.0.1, [::1]); use https';
const nowhere = 'its address cannot be sent to';
const scheme = 'only https URLs are allowed (http only to this machine)';

test.each([
  ['http://receiver.example/x', 'http://receiver.example', plainly],
  ['http://localhost./x', 'http://localhost.', plainly],
  ['http://a.localhost/x', 'http://a.localhost', plainly],
  ['http://127.0.0.1.example/x', 'http://127.0.0.1.example', plainly],
  ['http://0.0.0.0:80/x', 'http://0.0.0.0', plainly],
  ['http://[::]/x', 'http://[::]', plainly],
  ['http://10.0.0.1/x', 'http://10.0.0.1', plainly],
  ['http://1.1.1.1/x', 'http://1.1.1.1', plainly],
  ['http://user:pw@1.1.1.1/x', 'http://1.1.1.1', plainly],
  ['https://0/x', 'https://0.0.0.0', nowhere],
  ['https://10.0.0.1/x?token=t', 'https://10.0.0.1', privately],
  ['https://0xa9fea9fe/latest/meta-data', 'https://169.254.169.254', privately],
  ['https://[::ffff:169.254.169.254]/x', 'https://[::ffff:a9fe:a9fe]', privately],
  ['https://[fd00:ec2::254]:8443/x', 'https://[fd00:ec2::254]:8443', privately],
  ['ftp://127.0.0.1/x', 'ftp://127.0.0.1', scheme],
  ['file:///etc/passwd', 'file://', scheme],
  ['data:text/plain,x', 'data://', scheme],
])('a project file may not send to %s', async (url, told, why) => {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return [];
  };
  expect(await run(webhook(url), {}, { lookup })).toEqual({
    outcome: { kind: 'not-started', reason: `${told}: ${why}` },
    warnings: [],
  });
  expect(asked).toEqual([]);
});

test.each([['10.0.0.7'], ['169.254.169.254'], ['::ffff:10.0.0.7'], ['1.1.1.1', '192.168.0.1']])(
  'a name is refused to project files if it means %s %s',
  async (...addresses) => {
    const lookup = async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    for (const scope of scopes.filter(name => name !== 'user')) {
      const { outcome } = await run(webhook('https://inner.example/x?y=z', { retries: 2 }), { scope }, { lookup });
      expect(outcome).toEqual({ kind: 'not-started', reason: `https://inner.example: ${privately}` });
    }
  },
);

test('the built program refuses it as well, though its parts are bundles of their own', async () => {
  const folder = temporaryFolder();
  const { program } = await bundleInto(join(folder, 'bin'));
  const world = createWorld(folder, program);
  const lookup = "require('node:dns/promises').lookup = async () => [{ address: '10.0.0.7', family: 4 }];";
  const NODE_OPTIONS = `--require ${world.write('~/lookup.cjs', lookup)}`;
  const hook = '{ type: webhook, url: "https://inner.example/x", retries: 2 }';
  world.write('hookloop.yaml', `hooks: { session.completed: [${hook}] }`);
  const { stdout } = world.run(['dispatch', 'session.completed'], { env: { NODE_OPTIONS }, input: '{}' });
  expect(JSON.parse(stdout).results).toMatchObject([{ outcome: { reason: `https://inner.example: ${privately}` } }]);
});

test('the user may send to private addresses, in https and not to those that are none', async () => {
  const to = (url: string, address: string) =>
    run(webhook(url), { scope: 'user', timeoutMs: 300 }, { lookup: async () => [{ address, family: 4 }] }).then(
      ({ outcome }) => outcome,
    );
  expect(await to('http://10.0.0.7/', '')).toEqual({
    kind: 'not-started',
    reason: `http://10.0.0.7: ${plainly}`,
  });
  expect(await to('https://inner.example/', '0.0.0.0')).toEqual({
    kind: 'not-started',
    reason: `https://inner.example: ${nowhere}`,
  });
});

test('http to localhost reaches this machine, and nothing else if the name means something else', async () => {
  const { port, received } = await receiver();
  const url = `http://localhost:${port}/`;
  const here = async () => [{ address: '127.0.0.1', family: 4 }];
  expect((await run(webhook(url), {}, { lookup: here })).outcome).toMatchObject({ kind: 'replied', status: 200 });
  const away = async () => [{ address: '1.1.1.1', family: 4 }];
  expect((await run(webhook(url), { scope: 'user' }, { lookup: away })).outcome).toEqual({
    kind: 'not-started',
    reason: `http://localhost:${port}: ${plainly}`,
  });
  expect(received).toHaveLength(1);
});

test('a name without an address, or that no one knows, is not found', async () => {
  const unknown = () => Promise.reject(Object.assign(new Error('queryA secret.example'), { code: 'ENOTFOUND' }));
  for (const lookup of [async () => [], unknown]) {
    expect((await run(webhook('https://no.example/'), {}, { lookup })).outcome).toEqual({
      kind: 'not-started',
      reason: 'https://no.example: host not found',
    });
  }
});

/** A server with a certificate for receiver.example that no one but `ca` vouches for. */
async function tlsReceiver() {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=receiver.example'
      .split(' ')
      .concat(['-addext', 'subjectAltName=DNS:receiver.example', '-keyout', key, '-out', cert]),
    { stdio: 'ignore' },
  );
  const received: Received[] = [];
  const ca = readFileSync(cert, 'utf8');
  const server = createServer(
    { key: readFileSync(key), cert: ca },
    keeping(received, response => response.end('over TLS')),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ca, received };
}

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasOpenssl)('https: the name is asked for once, and the address that was checked is used', async () => {
  const { port, ca, received } = await tlsReceiver();
  const answers = ['127.0.0.1', '10.0.0.7'];
  let asked = 0;
  const lookup = async () => [{ address: answers[asked++]!, family: 4 }];
  const action = webhook(`https://receiver.example:${port}/x`, { body: { a: 1 } });
  expect((await run(action, {}, { lookup, ca })).outcome).toEqual({ kind: 'replied', status: 200, body: 'over TLS' });
  expect(asked).toBe(1);
  expect(received[0]).toMatchObject({ body: '{"a":1}', headers: { host: `receiver.example:${port}` } });
  expect((await run(action, {}, { lookup, ca })).outcome).toEqual({
    kind: 'not-started',
    reason: `https://receiver.example:${port}: ${privately}`,
  });
  expect(received).toHaveLength(1);
});

test.skipIf(!hasOpenssl)('https: a certificate that is not trusted, or of another name, ends it at once', async () => {
  const { port, ca, received } = await tlsReceiver();
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const to = (name: string, more: object) =>
    run(webhook(`https://${name}:${port}/x`, { retries: 3 }), {}, { lookup, ...more }).then(({ outcome }) => outcome);
  expect(await to('receiver.example', {})).toEqual({
    kind: 'not-started',
    reason: `https://receiver.example:${port}: its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  });
  expect(await to('other.example', { ca })).toEqual({
    kind: 'not-started',
    reason: `https://other.example:${port}: its certificate is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)`,
  });
  expect(received).toEqual([]);
});
