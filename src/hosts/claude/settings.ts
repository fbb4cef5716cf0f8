import { join } from 'node:path';
import { fieldsOf } from '../../model/json.ts';
import { jsonText } from '../../platform/files.ts';
import { withFoldersAbove } from '../../platform/folders.ts';
import { anthropicMessages } from '../doctor/model-protocols.ts';
import { type AgentFolders, folderIn } from '../host.ts';
import { claudeEntry, claudeShellCall, type HostSettings } from '../settings.ts';
import { allHooksOff, readSettings, sandboxedSettings, switchedOff } from '../settings-files.ts';
import { claude } from './host.ts';

const system = `${process.platform}-${process.arch}`;

export const settings: HostSettings = {
  holds: { kind: 'json', entry: claudeEntry },
  http: {
    // Around tools: many, and someone waits. The others come once a turn, or are understood by their exit code alone.
    natives: ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'],
    first: 'UserPromptSubmit',
    entry: ({ event, url, variable }) => ({
      hooks: [
        {
          type: 'http',
          url,
          headers: { Authorization: `Bearer $${variable}` },
          allowedEnvVars: [variable],
          timeout: event.timeoutMs / 1000,
          ...(event.closed && { onFailure: 'block' }),
        },
      ],
    }),
  },
  program: 'claude',
  broughtAlong: [system, `${system}-musl`].map(name => `@anthropic-ai/claude-agent-sdk-${name}/claude`),
  shellCall: claudeShellCall('Bash'),
  headless: {
    protocol: anthropicMessages,
    shell: command => ({ name: 'Bash', args: { command, description: 'run a command' } }),
    args: prompt => [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'],
    ],
    env: url => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: (user, sandbox) =>
      sandboxedSettings(claude, user, sandbox, ({ disableAllHooks, allowManagedHooksOnly }) => ({
        disableAllHooks,
        allowManagedHooksOnly,
      })),
    trust: user => (withFoldersAbove(user.root).some(isAccepted(user)) ? 'trusted' : 'untrusted'),
    switches: user => switchedOff(claude, user, allHooksOff),
    howToTrust: 'start claude in this folder once and accept the question whether you trust it',
  },
  inSession: ({ hooks, keep }) => ({
    hooksTell: true,
    meta: { claudeCode: { options: { settings: keep('claude.json', jsonText({ hooks: hooks() })) } } },
  }),
};

/** Its dialog asks once for a folder and what is below it. */
function isAccepted(user: AgentFolders): (folder: string) => boolean {
  const folder = folderIn(user, 'CLAUDE_CONFIG_DIR') ?? user.home;
  const projects = fieldsOf(readSettings(join(folder, '.claude.json'))['projects']);
  return path => Object.hasOwn(projects, path) && fieldsOf(projects[path])['hasTrustDialogAccepted'] === true;
}
