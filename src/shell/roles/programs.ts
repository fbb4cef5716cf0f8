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
}

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
  builtin: {},
  nohup: {},
  setsid: { flags: 'cfw', longFlags: 'ctty fork wait' },
  time: { flags: 'pvaqlV', takes: 'fo', longFlags: 'portability verbose append quiet', longTakes: 'format output' },
  gtime: { flags: 'pvaq', takes: 'fo' },
  nice: { flags: '0123456789', takes: 'n', longTakes: 'adjustment' },
  ionice: { flags: 't', takes: 'cn', longFlags: 'ignore', longTakes: 'class classdata' },
  timeout,
  gtimeout: timeout,
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
  busybox: {},
  toybox: {},
  npx: {
    flags: 'yq',
    takes: 'p',
    code: 'c',
    longFlags: 'yes no no-install quiet',
    longTakes: 'package',
    longCode: 'call',
  },
  bunx: { longFlags: 'bun' },
  pnpx: {},
  uvx: { takes: 'p', longTakes: 'from with python' },
  'docker exec': dockerExec,
  'podman exec': dockerExec,
  'nerdctl exec': dockerExec,
  'docker run': dockerRun,
  'podman run': dockerRun,
  'nerdctl run': dockerRun,
  'kubectl exec': kubectlExec,
  'oc exec': kubectlExec,
};

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
const dashE: Interpreter = { code: 'eE' };
const python: Interpreter = { flags: 'bBdEhiIOPqsSuvVx', takes: 'WX', code: 'cm', endsOptions: true };

export const interpreters: Readonly<Record<string, Interpreter>> = {
  python,
  pypy: python,
  node,
  nodejs: node,
  bun: node,
  tsx: node,
  perl: { flags: 'acfhlnpsStTuUvwWX0123456789', takes: 'I', glues: 'iFxCDdV', code: 'eEMm' },
  ruby: { flags: 'acdhlnpsSvwyU', takes: 'rIC', glues: 'iKFTx0EW', code: 'e' },
  php: { flags: 'aChilmnqsvw', takes: 'cdzSt', file: 'f', code: 'rBRE' },
  lua: { flags: 'ivE', takes: 'l', code: 'e' },
  luajit: { flags: 'ivE', takes: 'l', code: 'e' },
  osascript: { flags: 'ih', takes: 'ls', code: 'e' },
  psql: { flags: 'abeELnqtwWxX', takes: 'dhpUvofFPR', code: 'c', longCode: 'command' },
  mysql: { takes: 'hPuD', code: 'e', longCode: 'execute init-command' },
  R: dashE,
  Rscript: dashE,
  julia: dashE,
  elixir: dashE,
  groovy: dashE,
  scala: dashE,
  tclsh: {},
  expect: { code: 'c' },
  ed: {},
  ex: {},
  gdb: { code: 'x', longCode: 'eval-command ex' },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
};

export const shells: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh mksh ksh93 ash fish rbash yash csh tcsh posh'.split(' '),
);

/** All their arguments are, or may become, program text. */
export const codeRunners: ReadonlySet<string> = new Set(
  'eval ssh slogin autossh mosh watch parallel trap alias su runuser sg script tmux screen concurrently entr at batch crontab make gmake compgen complete bind pwsh powershell sqlite3 nix-shell mapfile readarray fc enable'.split(
    ' ',
  ),
);

/** Programs that run other programs when one of their options says so. */
export const optionRisks: ReadonlySet<string> = new Set(
  'tar bsdtar gtar rsync scp sftp sort zip rg fd fdfind vim vi nvim view emacs less man go wget ctags deno set'.split(
    ' ',
  ),
);

export const gitRisks: ReadonlySet<string> = new Set(
  'grep fetch clone ls-remote pull push archive rebase difftool mergetool send-email remote'.split(' '),
);

/** Their arguments are text, whatever they look like. */
export const plainPrograms: ReadonlySet<string> = new Set('echo : true logger notify-send cat'.split(' '));
