import { expect, test } from 'vitest';
import { isSignedOut, withSignIn } from './signed-out.ts';

test.each([
  ['any agent over ACP', 'Authentication required'],
  ['claude', 'Invalid API key · Please run /login'],
  ['claude', 'Not logged in · Please run /login'],
  ['claude', 'OAuth token has expired. Please obtain a new token or refresh your existing token.'],
  [
    'claude',
    'Failed to authenticate. API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
  ],
  ['codex', 'unexpected status 401 Unauthorized: Missing bearer or basic authentication in header'],
  ['codex', 'Your access token could not be refreshed. Please log out and sign in again.'],
  ['gemini', 'API key not valid. Please pass a valid API key.'],
  ['qwen', '401 Incorrect API key provided: sk-***'],
  ['opencode', 'Anthropic API key is missing. Pass it using the apiKey parameter'],
])('%s says that no one is signed in: %s', (_, text) => {
  expect(isSignedOut(text)).toBe(true);
  expect(withSignIn(text, 'run it once')).toBe(`${text}\nTo sign in: run it once`);
});

test.each([
  'the request failed: the field api_key of config.json could not be parsed',
  'tool Bash failed: 3 tests of the API key form failed',
  'src/login.ts: the login page does not compile',
  'Internal error: cannot read credentials.test.ts',
  'the sign-in button has no label',
  'expected 200, got 401 in test/auth.test.ts',
  'the model is not authorized for this region',
  'context window exceeded after 4010 tokens',
])('an ordinary failure that only mentions such things is none: %s', text => expect(isSignedOut(text)).toBe(false));
