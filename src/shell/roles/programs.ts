/** Options of a program: letters, and long names between spaces. `glues`: the rest of the word is its value. */
export interface Options {
  flags?: string;
  takes?: string;
  glues?: string;
  code?: string;
  longFlags?: string;
  longTakes?: string;
  longCode?: string;
}

/** Runs the command that follows its own options and operands. */
export interface Wrapper extends Options {
  operands?: number;
  assigns?: true;
}

/** Runs program text: from a code option, from a file, or from stdin. */
export interface Interpreter extends Options {
  /** Without a code option or `file` option the first operand is program text. */
  program?: true;
  file?: string;
  /** After a code option all that follows is arguments. */
  endsOptions?: true;
  /** Takes options behind operands too. */
  permutes?: true;
  /** With these options, or with code like this, it runs what the names of its files say. */
  opens?: { options: RegExp; code: RegExp };
}

/** The same entry under several names. */
const each = <Entry>(names: string, entry: Entry): Record<string, Entry> =>
  Object.fromEntries(names.split(', ').map(name => [name, entry]));

const awk: Interpreter = {
  takes: 'Fv',
  file: 'fE',
  code: 'e',
  longTakes: 'field-separator assign',
  longCode: 'source',
  program: true,
};
const sed: Interpreter = {
  flags: 'nErsuz',
  takes: 'l',
  glues: 'i',
  file: 'f',
  code: 'e',
  longFlags: 'quiet silent regexp-extended posix null-data separate unbuffered in-place debug sandbox',
  longCode: 'expression',
  program: true,
  permutes: true,
};
const node: Interpreter = {
  flags: 'chiv',
  takes: 'rC',
  code: 'ep',
  longFlags:
    'enable-source-maps no-warnings no-deprecation test watch trace-warnings trace-uncaught experimental-strip-types experimental-transform-types inspect inspect-brk check throw-deprecation unhandled-rejections preserve-symlinks',
  longTakes: 'require import loader experimental-loader conditions env-file input-type title',
  longCode: 'eval print',
};
const python: Interpreter = { flags: 'bBdEhiIOPqsSuvVx', takes: 'WX', code: 'cm', endsOptions: true };

export const interpreters: Readonly<Record<string, Interpreter>> = {
  ...each('python, pypy', python),
  ...each('node, nodejs, bun, tsx', node),
  'ts-node': { flags: 'TPHh', takes: 'rOC', code: 'ep', longTakes: 'require project', longCode: 'eval print' },
  'deno run': { flags: 'Aqr', longFlags: 'allow-all allow-net allow-read allow-write allow-env allow-run quiet' },
  ...each('mongosh, mongo', { longCode: 'eval' }),
  perl: {
    flags: 'acfhlnpsStTuUvwWX0123456789',
    takes: 'I',
    glues: 'iFxCDdV',
    code: 'eEMm',
    opens: { options: /^-(?!-)[a-zA-Z0-9]*[npaF]/, code: /<\s*(ARGV|STDIN)?\s*>|readline|eof/ },
  },
  ruby: { flags: 'acdhlnpsSvwyU', takes: 'rIC', glues: 'iKFTx0EW', code: 'e' },
  php: { flags: 'aChilmnqsvw', takes: 'cdzSt', file: 'f', code: 'rBRE' },
  ...each('lua, luajit', { flags: 'ivE', takes: 'l', code: 'e' }),
  osascript: { flags: 'ih', takes: 'ls', code: 'e' },
  psql: { flags: 'abeELnqtwWxX', takes: 'dhpUvofFPR', code: 'c', longCode: 'command' },
  mysql: { takes: 'hPuD', code: 'e', longCode: 'execute init-command' },
  ...each('R, Rscript, julia, elixir, groovy, scala', { code: 'eE' }),
  tclsh: {},
  expect: { code: 'c' },
  ...each('awk, gawk, mawk, nawk', awk),
  ...each('sed, gsed', sed),
};

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const shells = wordSet('sh bash dash zsh ksh mksh ksh93 ash fish rbash yash csh tcsh posh');

/** All their arguments are, or may become, program text. */
export const codeRunners = wordSet(
  'eval ssh slogin autossh mosh watch parallel trap alias su runuser sg script tmux screen concurrently entr at batch crontab make gmake compgen complete bind pwsh powershell sqlite3 nix-shell nix gdb lldb adb mapfile readarray fc enable',
);

/** These subcommands read all that follows as program text. */
export const codeCommands: ReadonlySet<string> = new Set(['deno eval', 'deno repl']);

/** Code runners whose literal text runs on this machine, with the variables of this command. */
export const localRunners = wordSet('su runuser sg script watch parallel entr');

/** Builtins: no other program can start them. */
export const shellOnly = wordSet('trap alias compgen complete bind mapfile readarray fc enable set jobs');

/** They read commands from stdin, from `+...` and from options. */
export const editors = wordSet('ed red ex vim vi nvim view vimdiff gvim emacs emacsclient');

/** Programs that run other programs when one of their options says so. */
export const optionRisks = wordSet(
  'tar bsdtar gtar rsync scp sftp sort zip rg fd fdfind less man go wget ctags deno set',
);

/** Their arguments are text, whatever they look like. */
export const plainPrograms = wordSet(
  'echo : true false logger notify-send cat grep egrep fgrep ls rm cp mv ln mkdir rmdir touch head tail wc tee cut tr uniq diff cmp basename dirname realpath readlink stat chmod chown date sleep cd pwd which type jq',
);

/** Subcommands that look as if they started a program, and take plain text. */
export const plainCommands: ReadonlySet<string> = new Set(['codex exec']);

const timeout: Wrapper = { flags: 'vfp', takes: 'ks', longFlags: 'foreground preserve-status verbose', operands: 1 };
const dockerExec: Wrapper = {
  flags: 'itd',
  takes: 'euw',
  longFlags: 'interactive tty detach privileged',
  longTakes: 'env env-file user workdir detach-keys',
  operands: 1,
};
const dockerRun: Wrapper = {
  flags: 'itdP',
  takes: 'evwupmlh',
  longFlags: 'interactive tty detach rm init privileged read-only',
  longTakes: 'env env-file user workdir volume mount name network platform memory cpus publish hostname add-host label',
  operands: 1,
};
const kubectlExec: Wrapper = {
  flags: 'itq',
  takes: 'cnf',
  longFlags: 'stdin tty quiet',
  longTakes: 'container namespace context kubeconfig filename',
  operands: 1,
};

const composeExec: Wrapper = {
  flags: 'dTi',
  takes: 'euwvp',
  longFlags: 'detach no-TTY rm no-deps privileged interactive build',
  longTakes: 'env user workdir index volume name entrypoint',
  operands: 1,
};
const npx: Wrapper = {
  flags: 'yq',
  takes: 'p',
  code: 'c',
  longFlags: 'yes no no-install quiet',
  longTakes: 'package',
  longCode: 'call',
};
const uvRun: Wrapper = {
  flags: 'qvn',
  takes: 'p',
  code: 'm',
  longFlags: 'no-sync frozen locked isolated no-project all-extras quiet',
  longCode: 'module script',
  longTakes: 'with python extra group package project directory env-file from',
};

/** Two or three words are a program and its subcommand. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: 'i0v',
    takes: 'uC',
    code: 'S',
    longFlags: 'ignore-environment null debug',
    longTakes: 'unset chdir',
    longCode: 'split-string',
    assigns: true,
  },
  sudo: {
    flags: 'AbEeHnPkKBNS',
    takes: 'ugCprtDRTU',
    longFlags: 'preserve-env set-home non-interactive background',
    longTakes: 'user group chdir prompt',
    assigns: true,
  },
  doas: { flags: 'n', takes: 'uC', assigns: true },
  exec: { flags: 'cl', takes: 'a' },
  command: { flags: 'p' },
  setsid: { flags: 'cfw', longFlags: 'ctty fork wait' },
  time: { flags: 'pvaqlV', takes: 'fo', longFlags: 'portability verbose append quiet', longTakes: 'format output' },
  gtime: { flags: 'pvaq', takes: 'fo' },
  nice: { flags: '0123456789', takes: 'n', longTakes: 'adjustment' },
  ionice: { flags: 't', takes: 'cn', longFlags: 'ignore', longTakes: 'class classdata' },
  taskset: { flags: 'acp', longFlags: 'all-tasks cpu-list pid', operands: 1 },
  chrt: { flags: 'abdfiomprRv', takes: 'TPD', longFlags: 'batch fifo idle other rr deadline', operands: 1 },
  numactl: { flags: 'al', takes: 'CNimp', longTakes: 'interleave membind cpunodebind physcpubind preferred' },
  sshpass: { flags: 'ev', takes: 'pfdP' },
  'systemd-run': {
    flags: 'GPqrtSd',
    takes: 'pHMuE',
    longFlags: 'user system scope pty pipe wait quiet collect remain-after-exit same-dir no-block',
    longTakes: 'unit property description slice uid gid nice working-directory setenv host machine',
  },
  'systemd-inhibit': { longTakes: 'what who why mode' },
  'ip netns exec': { operands: 1 },
  firejail: { longFlags: 'noprofile quiet private', longTakes: 'net profile' },
  strace: { flags: 'fFcCdhikqrtTvVwxyYzZ', takes: 'abeEIoOpPsSuUX' },
  ltrace: { flags: 'cCfhiLrStTV', takes: 'aAdDeFlnopsuwxX' },
  jobs: { flags: 'lnprsx' },
  stdbuf: { takes: 'ioe', longTakes: 'input output error' },
  unbuffer: { flags: 'p' },
  chronic: { flags: 've' },
  caffeinate: { flags: 'disu', takes: 'tw' },
  chroot: { operands: 1, longTakes: 'userspec groups' },
  flock: {
    flags: 'sxenuoF',
    takes: 'wE',
    code: 'c',
    longFlags: 'shared exclusive nonblock nb unlock close no-fork',
    longTakes: 'timeout wait conflict-exit-code',
    longCode: 'command',
    operands: 1,
  },
  xargs: {
    flags: '0rtpxo',
    takes: 'nPLsdEIJRSa',
    glues: 'ile',
    longFlags: 'null no-run-if-empty verbose interactive exit open-tty',
    longTakes: 'max-args max-procs max-lines max-chars delimiter eof arg-file',
  },
  'conda run': { flags: 'v', takes: 'np', longFlags: 'no-capture-output live-stream', longTakes: 'name prefix cwd' },
  'direnv exec': { operands: 1 },
  bunx: { longFlags: 'bun' },
  uvx: { takes: 'p', longTakes: 'from with python' },
  ...each('timeout, gtimeout', timeout),
  ...each('npx, npm exec, npm x', npx),
  ...each('uv run, uv tool run', uvRun),
  ...each('docker exec, podman exec, nerdctl exec', dockerExec),
  ...each('docker run, podman run, nerdctl run', dockerRun),
  ...each(
    'docker compose exec, docker compose run, docker-compose exec, docker-compose run, podman compose exec',
    composeExec,
  ),
  ...each('kubectl exec, oc exec', kubectlExec),
  ...each(
    'builtin, nohup, nsenter, unshare, bwrap, valgrind, perf stat, perf record, xvfb-run, dbus-run-session, setpriv, prlimit, with-contenv, proot, fakeroot, busybox, toybox, pnpm exec, pnpm dlx, yarn dlx, yarn exec, poetry run, pdm run, hatch run, rye run, pipenv run, pixi run, bundle exec, mise exec, op run, pnpx',
    {},
  ),
};
