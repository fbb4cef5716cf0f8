import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createMask, isSecret } from './create-mask.ts';
import { createSecrets, readSecrets } from './secrets.ts';

/** A config folder with secrets files of these texts. */
function configWith(files: Record<string, string>, mode = 0o600): { config: string; pathOf(folder: string): string } {
  const config = mkdtempSync(join(tmpdir(), 'hookloop-secrets-'));
  onTestFinished(() => rmSync(config, { recursive: true, force: true }));
  const pathOf = (folder: string): string => join(config, folder, 'secrets.env');
  for (const [folder, text] of Object.entries(files)) {
    mkdirSync(join(config, folder));
    writeFileSync(pathOf(folder), text);
    chmodSync(pathOf(folder), mode);
  }
  return { config, pathOf };
}

test('both files are read, ours last', () => {
  const { config } = configWith({ 'agent-pipelines': 'A=1\nB=2\n', hookloop: 'B=3\nC=4' });
  expect(readSecrets({ config })).toEqual({ values: { A: '1', B: '3', C: '4' }, warnings: [] });
});

test('without files there are no secrets', () => {
  expect(readSecrets({ config: '/nowhere/at/all' })).toEqual({ values: {}, warnings: [] });
});

test.each([
  ['A=b=c&d#e', 'b=c&d#e'],
  ['  export A = b c  # why', 'b c'],
  ['A="b # \\"c\\" \\$d\\\\" # why', 'b # "c" $d\\'],
  ["A='b \\n $c'", 'b \\n $c'],
  ['A=', ''],
  ['A=""', ''],
  ['A=b"c"', 'b"c"'],
  ['A=b\r', 'b'],
  ['\ufeffA=b', 'b'],
  ['# A=c\n\n  #x\nA=b', 'b'],
  ['A=$HOME `id`', '$HOME `id`'],
])('%j has the value %j', (text, value) => {
  const { config } = configWith({ hookloop: text });
  expect(readSecrets({ config })).toEqual({ values: { A: value }, warnings: [] });
});

test('a line that is not NAME=VALUE is told by its number alone', () => {
  const { config, pathOf } = configWith({ hookloop: 'A=1\nhidden\nB="hidden\n1C=hidden\nD=2' });
  const path = pathOf('hookloop');
  expect(readSecrets({ config })).toEqual({
    values: { A: '1', D: '2' },
    warnings: [2, 3, 4].map(line => `${path}:${line} is not NAME=VALUE`),
  });
});

test.each([0o644, 0o640, 0o604])('a file of mode %o is read with a warning', mode => {
  const { config, pathOf } = configWith({ hookloop: 'A=1' }, mode);
  const path = pathOf('hookloop');
  expect(readSecrets({ config })).toEqual({
    values: { A: '1' },
    warnings: [`${path} can be read by others: chmod 600 ${path}`],
  });
});

test('what is no file, or too long, is not read', () => {
  const { config, pathOf } = configWith({ hookloop: 'A=1\n'.repeat(300_000) });
  mkdirSync(join(config, 'agent-pipelines'));
  execFileSync('mkfifo', [pathOf('agent-pipelines')]);
  expect(readSecrets({ config })).toEqual({
    values: {},
    warnings: [
      `${pathOf('agent-pipelines')} is not read: it is not a file`,
      `${pathOf('hookloop')} is not read: it is over 1 MiB`,
    ],
  });
});

test('secrets are read when first asked for, warned about once, and masked whatever their name', () => {
  const { config, pathOf } = configWith({ hookloop: 'PLACE=one-two-three\nnonsense' });
  const warnings: string[] = [];
  const secrets = createSecrets({ config }, text => warnings.push(text));
  const mask = createMask({ HOME: '/home/someone' }, () => Object.values(secrets()));
  expect(warnings).toEqual([]);
  expect(mask('to one-two-three in /home/someone')).toBe('to *** in /home/someone');
  expect(secrets()).toEqual({ PLACE: 'one-two-three' });
  expect(warnings).toEqual([`${pathOf('hookloop')}:2 is not NAME=VALUE`]);
});

test.each([
  'GITHUB_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'OPENAI_API_KEY',
  'APIKEY',
  'apiKey',
  'DB_PASSWORD',
  'MYSQL_PWD',
  'SMTP_PASS',
  'SLACK_WEBHOOK_URL',
  'WEBHOOK',
  'CREDENTIALS',
  'npm_config__auth',
  'npm_config_//registry.example/:_authToken',
  'BASIC_AUTH',
  'HTTP_AUTHORIZATION',
  'SSH_PRIVATE_KEY',
  'SESSION_COOKIE',
  'JWT',
  'SIGNING_KEYS',
  'KEY',
  'GITHUB_PAT',
  'PAT',
  'AZURE_DEVOPS_EXT_PAT',
  'githubPat',
  'githubPatHash',
  'MYKEY',
  'mykey2',
  'DEPLOYKEY',
  'PASSKEY',
  'DBPASS',
  'PASS',
  'SMTP_PASSWD',
  'NPMAUTH',
  'OAUTH2',
  'SESSIONCOOKIE',
  'SENTRY_DSN',
  'DB_CONNECTION_STRING',
  'AzureWebJobsConnectionString',
  'CONNECTIONSTRING',
  'PG_CONN_STR',
])('%s is a secret', name => {
  expect(isSecret(name, '/aB3+secret=value')).toBe(true);
});

test.each([
  ['PATH', '/usr/bin:/bin'],
  ['PWD', '/home/someone'],
  ['OLDPWD', '/home/someone'],
  ['KEYBOARD', 'qwertz'],
  ['KEYBOARD_KEY', 'escape'],
  ['KEYMAP', 'de-latin1'],
  ['MONKEY', 'bananas'],
  ['SSH_AUTH_SOCK', '/run/user/1000/ssh-agent'],
  ['XAUTHORITY', '/home/someone/.Xauthority'],
  ['GIT_AUTHOR_NAME', 'Some One'],
  ['GIT_ASKPASS', '/usr/bin/askpass'],
  ['SSH_PUBLIC_KEY', 'ssh-ed25519 AAAA'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/someone/account.json'],
  ['PASSWORD_STORE_DIR', '/home/someone/.password-store'],
  ['TLS_KEY_FILE', '/etc/tls/server.pem'],
  ['MAX_OUTPUT_TOKENS', '200000'],
  ['TOKENIZERS_PARALLELISM', 'sometimes'],
  ['TOKEN_TYPE', 'bearer-token'],
  ['AUTH_METHOD', 'password'],
  ['AUTH_USER', 'someone'],
  ['TOKEN_URL', 'https://login.example/token'],
  ['GNOME_KEYRING_CONTROL', '/run/user/1000/keyring'],
  ['COMPASS', 'northwest'],
  ['GIT_COMPAT', 'something'],
  ['COMPAT', 'something'],
  ['COMPATIBILITY', 'something'],
  ['PATTERN', 'something'],
  ['PATIENT', 'someone'],
  ['PATH_INFO', '/some/where'],
  ['MANPATH', '/usr/share/man'],
  ['PASSENGER', 'someone'],
  ['PASSENGER_APP_ENV', 'production'],
  ['BYPASS', 'something'],
  ['TURKEY', 'istanbul'],
  ['MONKEY_NAME', 'george'],
  ['HOTKEY', 'ctrl-alt-x'],
  ['SORT_KEY', 'created_at'],
  ['CONNECTION', 'keep-alive'],
  ['CONNECTIONS', 'hundred'],
  ['DB_CONNECTION_LIMIT', 'hundred'],
  ['STRINGS', 'something'],
  ['AUTHOR', 'someone'],
  ['KEYRING', 'something'],
  ['COOKIECUTTER', 'template'],
  ['SPATIAL', 'something'],
  ['XAUTH', 'something'],
  ['GIT_AUTHOR_EMAIL', 'me@example.org'],
  ['USE_TOKEN', 'disabled'],
  ['SHORT_TOKEN', 'abc12'],
])('%s=%s is not', (name, value) => {
  expect(isSecret(name, value)).toBe(false);
});
