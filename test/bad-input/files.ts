import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

type Format = 'json' | 'yaml' | 'toml';

/** One hook file of each dialect that reads files, and what a bad one means for `dispatch`. */
export interface HookFile {
  dialect: string;
  path: string;
  format: Format;
  bad: 'refused' | 'left out';
  /** A file of the right form with a hook that leaves `ran-file` behind when `event` is dispatched. */
  good: string;
  event: string;
  /** Valid in its format, and not what the dialect expects. */
  wrongTop: string;
  /** Keys that lead to an object's prototype. */
  prototype: string;
}

const pipelineHook = '- { type: shell, command: "touch ran-file", await: true, on_failure: abort }';

export const hookFiles: readonly HookFile[] = [
  {
    dialect: 'native',
    path: 'hookloop.yaml',
    format: 'yaml',
    bad: 'refused',
    good: `hooks:\n  iteration.starting:\n    ${pipelineHook}\n`,
    event: 'iteration.starting',
    wrongTop: '- hooks\n',
    prototype: `hooks:\n  iteration.starting:\n    - { type: shell, command: "touch ran-file", on_failure: abort, __proto__: { await: true } }\n`,
  },
  {
    dialect: 'sauna',
    path: '.sauna/hooks.json',
    format: 'json',
    bad: 'refused',
    good: '["touch ran-file"]',
    event: 'task.completing',
    wrongTop: '"touch ran-file"',
    prototype: '[{ "command": "touch ran-file", "__proto__": { "timeout": 1 } }]',
  },
  {
    dialect: 'nyzhi',
    path: '.nyzhi/config.toml',
    format: 'toml',
    bad: 'refused',
    good: '[[agent.hooks]]\nevent = "after_turn"\ncommand = "touch ran-file"\nblock = true\n',
    event: 'after_turn',
    wrongTop: '[agent]\nhooks = "touch ran-file"\n',
    prototype:
      '[[agent.hooks]]\nevent = "after_turn"\ncommand = "touch ran-file"\nblock = true\n__proto__ = { x = 1 }\n',
  },
  {
    dialect: 'pipelines',
    path: '~/.config/agent-pipelines/hooks.yaml',
    format: 'yaml',
    bad: 'refused',
    good: `hooks:\n  on_iteration_start:\n    ${pipelineHook}\n`,
    event: 'on_iteration_start',
    wrongTop: 'hooks\n',
    prototype: `hooks:\n  on_iteration_start:\n    - { type: shell, command: "touch ran-file", on_failure: abort, constructor: { a: 1 } }\n`,
  },
  {
    dialect: 'iteratr',
    path: '.iteratr.hooks.yml',
    format: 'yaml',
    bad: 'left out',
    good: 'hooks:\n  pre_iteration:\n    - command: touch ran-file\n',
    event: 'pre_iteration',
    wrongTop: '- command: touch ran-file\n',
    prototype: 'hooks:\n  pre_iteration:\n    - { command: touch ran-file, __proto__: { timeout: 1 } }\n',
  },
  {
    dialect: 'claude',
    path: '.claude/settings.json',
    format: 'json',
    bad: 'left out',
    good: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch ran-file"}]}]}}',
    event: 'Stop',
    wrongTop: '["touch ran-file"]',
    prototype:
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch ran-file","__proto__":{"timeout":1}}]}]}}',
  },
];

/** Puts something bad in the place of a hook file; `says` is part of what a person is told. */
export interface Badness {
  name: string;
  formats?: readonly Format[];
  says: RegExp;
  make(path: string, file: HookFile): void;
  /** Only other users than root are kept from reading it. */
  unprivileged?: true;
}

const depth = 100_000;
const text = (of: (file: HookFile) => string | Uint8Array) => (path: string, file: HookFile) =>
  writeFileSync(path, of(file));
const comment = { json: ' ', yaml: '#', toml: '#' };
const malformed = { json: '{"hooks": ', yaml: 'hooks: [', toml: '[[agent.hooks' };
const bomb = Array.from({ length: 40 }, (_, level) =>
  level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
);

export const badnesses: readonly Badness[] = [
  { name: 'malformed text', says: /not valid/, make: text(({ format }) => malformed[format]) },
  { name: 'another type at the top', says: /expected|is not/, make: text(({ wrongTop }) => wrongTop) },
  {
    name: 'ten megabytes',
    says: /larger than 1 MiB/,
    make: text(({ good, format }) => `${good}\n${comment[format].repeat(10 * 1024 * 1024)}\n`),
  },
  {
    name: 'brackets nested without end',
    says: /nested too deeply/,
    make: text(({ format }) => `${format === 'toml' ? 'a = ' : ''}${'['.repeat(depth)}`),
  },
  {
    name: 'closed brackets nested too deeply',
    says: /nested too deeply/,
    make: text(({ format }) => `${format === 'toml' ? 'a = ' : ''}${'['.repeat(400)}${']'.repeat(400)}`),
  },
  {
    name: 'lists in lists in lists',
    formats: ['yaml'],
    says: /nested too deeply/,
    make: text(() => `${'- '.repeat(depth)}x`),
  },
  {
    name: 'an alias bomb',
    formats: ['yaml'],
    says: /values|nested too deeply/,
    make: text(({ good }) => `${bomb.join('\n')}\n${good}`),
  },
  { name: 'a key that leads to a prototype', says: /"(__proto__|constructor)"/, make: text(file => file.prototype) },
  { name: 'a NUL byte', says: /NUL/, make: text(({ good }) => `${good}\0`) },
  {
    name: 'binary data',
    says: /not a text file|not valid/,
    make: text(() => Uint8Array.from({ length: 4096 }, (_, at) => (at * 7919 + 1) % 255 || 1)),
  },
  { name: 'bytes that are not UTF-8', says: /UTF-8/, make: text(({ good }) => Buffer.from(`${good}\xff`, 'latin1')) },
  {
    name: 'a file that may not be read',
    says: /permission denied/,
    unprivileged: true,
    make: (path, { good }) => {
      writeFileSync(path, good);
      chmodSync(path, 0);
    },
  },
  { name: 'a folder', says: /is a folder/, make: path => mkdirSync(path) },
  { name: 'a link to itself', says: /form a loop/, make: path => symlinkSync(basename(path), path) },
  { name: 'a link to nothing', says: /link/, make: path => symlinkSync('nowhere', path) },
  {
    name: 'a pipe that no one writes to',
    says: /not a regular file/,
    make: path => void execFileSync('mkfifo', [path]),
  },
  { name: 'a device', says: /not a regular file/, make: path => symlinkSync('/dev/zero', path) },
];

export const makeBad = (path: string, file: HookFile, { make }: Badness): void => {
  mkdirSync(dirname(path), { recursive: true });
  make(path, file);
};
