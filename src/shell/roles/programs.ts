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
  'ts-node': { flags: 'TPHh', takes: 'rOC', code: 'ep', longTakes: 'require project', longCode: 'eval print' },
  'deno run': { flags: 'Aqr', longFlags: 'allow-all allow-net allow-read allow-write allow-env allow-run quiet' },
  mongosh: { longCode: 'eval' },
  mongo: { longCode: 'eval' },
  perl: {
    flags: 'acfhlnpsStTuUvwWX0123456789',
    takes: 'I',
    glues: 'iFxCDdV',
    code: 'eEMm',
    opens: { options: /^-(?!-)[a-zA-Z0-9]*[npaF]/, code: /<\s*(ARGV|STDIN)?\s*>|readline|eof/ },
  },
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
  'eval ssh slogin autossh mosh watch parallel trap alias su runuser sg script tmux screen concurrently entr at batch crontab make gmake compgen complete bind pwsh powershell sqlite3 nix-shell nix gdb lldb adb mapfile readarray fc enable'.split(
    ' ',
  ),
);

/** These subcommands read all that follows as program text. */
export const codeCommands: ReadonlySet<string> = new Set(['deno eval', 'deno repl']);

/** Code runners whose literal text runs on this machine, with the variables of this command. */
export const localRunners: ReadonlySet<string> = new Set('su runuser sg script watch parallel entr'.split(' '));

/** Builtins: no other program can start them. */
export const shellOnly: ReadonlySet<string> = new Set(
  'trap alias compgen complete bind mapfile readarray fc enable set jobs'.split(' '),
);

/** They read commands from stdin, from `+...` and from options. */
export const editors: ReadonlySet<string> = new Set(
  'ed red ex vim vi nvim view vimdiff gvim emacs emacsclient'.split(' '),
);

/** Programs that run other programs when one of their options says so. */
export const optionRisks: ReadonlySet<string> = new Set(
  'tar bsdtar gtar rsync scp sftp sort zip rg fd fdfind less man go wget ctags deno set'.split(' '),
);

/** Their arguments are text, whatever they look like. */
export const plainPrograms: ReadonlySet<string> = new Set(
  'echo : true false logger notify-send cat grep egrep fgrep ls rm cp mv ln mkdir rmdir touch head tail wc tee cut tr uniq diff cmp basename dirname realpath readlink stat chmod chown date sleep cd pwd which type jq'.split(
    ' ',
  ),
);

/** Subcommands that look as if they started a program, and take plain text. */
export const plainCommands: ReadonlySet<string> = new Set(['codex exec']);
