/** What an option is: alone, with a value behind it or glued to it, with program text, with a file that is run. */
type OptionKind = 'flag' | 'value' | 'glued' | 'code' | 'file';

/** How a program is called. */
export interface Usage {
  options: ReadonlyMap<string, OptionKind>;
  /** Words of its own before the command that it starts. */
  operands: number;
  /** `NAME=VALUE` may stand before that command. */
  assigns: boolean;
}

/** Runs program text: from a code option, from a file, or from stdin. */
export interface Interpreter extends Usage {
  /** Without a code option or `file` option the first operand is program text. */
  program?: true;
  /** After a code option all that follows is arguments. */
  endsOptions?: true;
  /** Takes options behind operands too. */
  permutes?: true;
  /** With these options, or with code like this, it runs what the names of its files say. */
  opens?: { options: RegExp; code: RegExp };
}

const marks: Readonly<Record<string, OptionKind>> = { ':': 'value', '?': 'glued', '!': 'code', '<': 'file' };

/**
 * As getopt has it, with `?`, `!` and `<` beside its `:`, and usage words for what follows. A line is read when a command
 * first needs it: reading all of them takes longer than most commands.
 */
function usage(line: string, more: Partial<Interpreter> = {}): Usage {
  let options: Usage['options'] | undefined;
  return {
    ...more,
    get options() {
      options ??= optionsOf(line);
      return options;
    },
    operands: line.endsWith('OPERAND') ? 1 : 0,
    assigns: line.endsWith('NAME=VALUE'),
  };
}

function optionsOf(line: string): Usage['options'] {
  const options = new Map<string, OptionKind>();
  for (const word of line.split(' ').filter(word => !/^[A-Z=]{4,}$/.test(word)))
    for (const [, long, letter, mark] of word.matchAll(/(?:--([\w-]+)|(\w))([:?!<]?)/g))
      options.set(long ?? letter!, marks[mark!] ?? 'flag');
  return options;
}

/** The same entry under several names. */
const each = <Entry>(names: string, entry: Entry): [string, Entry][] => names.split(', ').map(name => [name, entry]);

export const interpreters: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  ...each('python, pypy', usage('bBdEhiIOPqsSuvVxW:X:c!m!', { endsOptions: true })),
  ...each(
    'node, nodejs, bun, tsx',
    usage(
      'chivr:C:e!p! --enable-source-maps --no-warnings --no-deprecation --test --watch --trace-warnings --trace-uncaught --experimental-strip-types --experimental-transform-types --inspect --inspect-brk --check --throw-deprecation --unhandled-rejections --preserve-symlinks --require: --import: --loader: --experimental-loader: --conditions: --env-file: --input-type: --title: --eval! --print!',
    ),
  ),
  ['ts-node', usage('TPHhr:O:C:e!p! --require: --project: --eval! --print!')],
  ['deno run', usage('Aqr --allow-all --allow-net --allow-read --allow-write --allow-env --allow-run --quiet')],
  ...each('mongosh, mongo', usage('--eval!')),
  [
    'perl',
    usage('acfhlnpsStTuUvwWX0123456789I:i?F?x?C?D?d?V?e!E!M!m!', {
      opens: { options: /^-(?!-)[a-zA-Z0-9]*[npaF]/, code: /<\s*(ARGV|STDIN)?\s*>|readline|eof/ },
    }),
  ],
  ['ruby', usage('acdhlnpsSvwyUr:I:C:i?K?F?T?x?0?E?W?e!')],
  ['php', usage('aChilmnqsvwc:d:z:S:t:r!B!R!E!f<')],
  ...each('lua, luajit', usage('ivEl:e!')),
  ['osascript', usage('ihl:s:e!')],
  ['psql', usage('abeELnqtwWxXd:h:p:U:v:o:f:F:P:R:c! --command!')],
  ['mysql', usage('h:P:u:D:e! --execute! --init-command!')],
  ...each('R, Rscript, julia, elixir, groovy, scala', usage('e!E!')),
  ['tclsh', usage('')],
  ['expect', usage('c!')],
  ...each('awk, gawk, mawk, nawk', usage('F:v:e!f<E< --field-separator: --assign: --source!', { program: true })),
  ...each(
    'sed, gsed',
    usage(
      'nErsuzl:i?e!f< --quiet --silent --regexp-extended --posix --null-data --separate --unbuffered --in-place --debug --sandbox --expression!',
      { program: true, permutes: true },
    ),
  ),
]);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const shells = wordSet('sh bash dash zsh ksh mksh ksh93 ash fish rbash yash csh tcsh posh');

/** All their arguments are, or may become, program text. */
export const codeRunners = wordSet(
  'eval ssh slogin autossh mosh watch parallel su runuser sg script tmux screen concurrently entr at batch crontab make gmake pwsh powershell sqlite3 nix-shell nix gdb lldb adb',
);

/** The same of builtins that no other program can start. */
export const codeBuiltins = wordSet('trap alias compgen complete bind mapfile readarray fc enable');

/** These subcommands read all that follows as program text. */
export const codeCommands: ReadonlySet<string> = new Set(['deno eval', 'deno repl']);

/** Code runners whose literal text runs on this machine, with the variables of this command. */
export const localRunners = wordSet('su runuser sg script watch parallel entr');

/** Code runners that read commands from stdin: in any case, and where no command is given. */
export const alwaysReads = wordSet('at batch crontab pwsh powershell script gdb lldb');
export const readsWithoutCommand = wordSet('ssh slogin autossh su runuser sg sqlite3 adb nix-shell');

/** Builtins that put what they read into variables. */
export const readers = wordSet('read mapfile readarray getopts');

/** They read commands from stdin, from `+...` and from options. */
export const editors = wordSet('ed red ex vim vi nvim view vimdiff gvim emacs emacsclient');

/** Programs that run other programs when one of their options says so. */
export const optionRisks = wordSet('tar bsdtar gtar rsync scp sftp sort zip rg fd fdfind less man go wget ctags deno');

/** Their arguments are text, whatever they look like. */
export const plainPrograms = wordSet(
  'echo : true false logger notify-send cat grep egrep fgrep ls rm cp mv ln mkdir rmdir touch head tail wc tee cut tr uniq diff cmp basename dirname realpath readlink stat chmod chown date sleep cd pwd which type jq',
);

/** They write what they read, or what other files hold, to the files that they name. */
export const copiers = wordSet('tee cp mv ln install dd rsync sponge split');

/** Beside the plain ones: they read, write or ask about the files that they name, and run none of them. */
export const dataPrograms = wordSet(
  'test [ [[ printf read return exit shift local git find curl sed gsed awk gawk mawk nawk pushd popd eslint prettier biome oxlint dprint stylelint tsc ruff black isort flake8 pylint mypy pyright shellcheck shfmt gofmt goimports rustfmt clang-format rubocop markdownlint yamllint hadolint tar gtar bsdtar rsync scp sort zip unzip rg less wget ctags sha256sum md5sum shasum file du',
);

/** Subcommands that look as if they started a program, and take plain text. */
export const plainCommands: ReadonlySet<string> = new Set(['codex exec']);

/** They run the command that follows their own options. */
export const wrappers: ReadonlyMap<string, Usage> = new Map(
  Object.entries({
    env: 'i0vu:C:S! --ignore-environment --null --debug --unset: --chdir: --split-string! NAME=VALUE',
    sudo: 'AbEeHnPkKBNSu:g:C:p:r:t:D:R:T:U: --preserve-env --set-home --non-interactive --background --user: --group: --chdir: --prompt: NAME=VALUE',
    doas: 'nu:C: NAME=VALUE',
    exec: 'cla:',
    'command, unbuffer': 'p',
    setsid: 'cfw --ctty --fork --wait',
    time: 'pvaqlVf:o: --portability --verbose --append --quiet --format: --output:',
    gtime: 'pvaqf:o:',
    nice: '0123456789n: --adjustment:',
    ionice: 'tc:n: --ignore --class: --classdata:',
    taskset: 'acp --all-tasks --cpu-list --pid OPERAND',
    chrt: 'abdfiomprRvT:P:D: --batch --fifo --idle --other --rr --deadline OPERAND',
    numactl: 'alC:N:i:m:p: --interleave: --membind: --cpunodebind: --physcpubind: --preferred:',
    sshpass: 'evp:f:d:P:',
    'systemd-run':
      'GPqrtSdp:H:M:u:E: --user --system --scope --pty --pipe --wait --quiet --collect --remain-after-exit --same-dir --no-block --unit: --property: --description: --slice: --uid: --gid: --nice: --working-directory: --setenv: --host: --machine:',
    'systemd-inhibit': '--what: --who: --why: --mode:',
    'ip netns exec, direnv exec': 'OPERAND',
    firejail: '--noprofile --quiet --private --net: --profile:',
    strace: 'fFcCdhikqrtTvVwxyYzZa:b:e:E:I:o:O:p:P:s:S:u:U:X:',
    ltrace: 'cCfhiLrStTVa:A:d:D:e:F:l:n:o:p:s:u:w:x:X:',
    jobs: 'lnprsx',
    stdbuf: 'i:o:e: --input: --output: --error:',
    chronic: 've',
    caffeinate: 'disut:w:',
    chroot: '--userspec: --groups: OPERAND',
    flock:
      'sxenuoFw:E:c! --shared --exclusive --nonblock --nb --unlock --close --no-fork --timeout: --wait: --conflict-exit-code: --command! OPERAND',
    xargs:
      '0rtpxon:P:L:s:d:E:I:J:R:S:a:i?l?e? --null --no-run-if-empty --verbose --interactive --exit --open-tty --max-args: --max-procs: --max-lines: --max-chars: --delimiter: --eof: --arg-file:',
    'conda run': 'vn:p: --no-capture-output --live-stream --name: --prefix: --cwd:',
    bunx: '--bun',
    uvx: 'p: --from: --with: --python:',
    'timeout, gtimeout': 'vfpk:s: --foreground --preserve-status --verbose OPERAND',
    'npx, npm exec, npm x': 'yqp:c! --yes --no --no-install --quiet --package: --call!',
    'uv run, uv tool run':
      'qvnp:m! --no-sync --frozen --locked --isolated --no-project --all-extras --quiet --with: --python: --extra: --group: --package: --project: --directory: --env-file: --from: --module! --script!',
    'docker exec, podman exec, nerdctl exec':
      'itde:u:w: --interactive --tty --detach --privileged --env: --env-file: --user: --workdir: --detach-keys: OPERAND',
    'docker run, podman run, nerdctl run':
      'itdPe:v:w:u:p:m:l:h: --interactive --tty --detach --rm --init --privileged --read-only --env: --env-file: --user: --workdir: --volume: --mount: --name: --network: --platform: --memory: --cpus: --publish: --hostname: --add-host: --label: OPERAND',
    'docker compose exec, docker compose run, docker-compose exec, docker-compose run, podman compose exec':
      'dTie:u:w:v:p: --detach --no-TTY --rm --no-deps --privileged --interactive --build --env: --user: --workdir: --index: --volume: --name: --entrypoint: OPERAND',
    'kubectl exec, oc exec':
      'itqc:n:f: --stdin --tty --quiet --container: --namespace: --context: --kubeconfig: --filename: OPERAND',
    'builtin, nohup, nsenter, unshare, bwrap, valgrind, perf stat, perf record, xvfb-run, dbus-run-session, setpriv, prlimit, with-contenv, proot, fakeroot, busybox, toybox, pnpm exec, pnpm dlx, yarn dlx, yarn exec, poetry run, pdm run, hatch run, rye run, pipenv run, pixi run, bundle exec, mise exec, op run, pnpx':
      '',
  }).flatMap(([names, line]) => each(names, usage(line))),
);
