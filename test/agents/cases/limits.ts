import type { HttpAnswer } from '../../../src/hosts/doctor/model-server.ts';
import type { LimitKind } from '../../../src/model/agent.ts';

/** What a provider answers, and how the turn of an agent ends that gets nothing else. */
export interface LimitCase {
  name: string;
  answer(): HttpAnswer;
  limit: LimitKind;
  /** In how many seconds it says that it may go on. */
  seconds?: number;
  /** It retries by itself and says nothing: its silence is what ends the turn. */
  isSilent?: true;
  /** Variables of the agent beside those that it signs in with; an empty one is left out. */
  env?: Readonly<Record<string, string>>;
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const anthropic = (type: string, message: string): object => ({ type: 'error', error: { type, message } });
const openai = (code: string, message: string): object => ({ error: { message, type: 'requests', param: null, code } });
const google = (code: number, status: string, message: string, details: readonly object[] = []): object => ({
  error: { code, message, status, details },
});

const tooMany: Pick<LimitCase, 'answer'> = {
  answer: () => ({
    status: 429,
    headers: { 'retry-after': '20', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s' },
    body: openai(
      'rate_limit_exceeded',
      'Rate limit reached for scripted on requests per min (RPM). Please try again in 20s.',
    ),
  }),
};

export const limitCases: Readonly<Record<string, readonly LimitCase[]>> = {
  claude: [
    {
      name: '529 overloaded_error',
      answer: () => ({ status: 529, body: anthropic('overloaded_error', 'Overloaded') }),
      limit: 'overload',
    },
    {
      name: '429 rate_limit_error',
      answer: () => ({
        status: 429,
        headers: { 'retry-after': '47', 'anthropic-ratelimit-requests-remaining': '0' },
        body: anthropic('rate_limit_error', "This request would exceed your organization's rate limit."),
      }),
      limit: 'overload',
      isSilent: true,
    },
    {
      name: 'the end of a plan',
      answer: () => ({
        status: 429,
        headers: {
          ...{ 'retry-after': '7200', 'anthropic-ratelimit-unified-reset': String(inSeconds(7200)) },
          ...{ 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-5h-status': 'rejected' },
          'anthropic-ratelimit-unified-representative-claim': 'five_hour',
          'anthropic-ratelimit-unified-overage-status': 'rejected',
        },
        body: anthropic('rate_limit_error', "This request would exceed your account's rate limit."),
      }),
      limit: 'usage',
      seconds: 7200,
      env: { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-scripted', TZ: 'Asia/Kolkata' },
    },
  ],
  codex: [
    {
      name: '429 usage_limit_reached',
      answer: () => ({
        status: 429,
        body: {
          error: {
            ...{ type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' },
            ...{ resets_at: inSeconds(7500), resets_in_seconds: 7500 },
          },
        },
      }),
      limit: 'usage',
      seconds: 7500,
    },
    { name: '429 rate_limit_exceeded', ...tooMany, limit: 'rate' },
    {
      name: '503',
      answer: () => ({ status: 503, body: openai('server_error', 'The engine is currently overloaded.') }),
      limit: 'overload',
    },
  ],
  gemini: [
    {
      name: '429 RESOURCE_EXHAUSTED that is over in minutes',
      answer: () => ({
        status: 429,
        body: google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.\nPlease retry in 10m12s.', [
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '612s' },
        ]),
      }),
      limit: 'rate',
      seconds: 612,
    },
    {
      name: '503 UNAVAILABLE',
      answer: () => ({ status: 503, body: google(503, 'UNAVAILABLE', 'The model is overloaded.') }),
      limit: 'overload',
      isSilent: true,
    },
  ],
  qwen: [{ name: '429 rate_limit_exceeded', ...tooMany, limit: 'overload', isSilent: true }],
  opencode: [{ name: '429 rate_limit_exceeded', ...tooMany, limit: 'overload', isSilent: true }],
};
