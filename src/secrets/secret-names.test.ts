import { expect, test } from 'vitest';
import { isSecret } from './secret-names.ts';

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
  ['USE_TOKEN', 'disabled'],
  ['SHORT_TOKEN', 'abc12'],
])('%s=%s is not', (name, value) => {
  expect(isSecret(name, value)).toBe(false);
});
