import { spawnSync } from 'node:child_process';

/** A command or the path of a script, and the shell that shall read it; empty: none. */
export interface Question {
  shell: string;
  kind: 'command' | 'file';
  text: string;
}

export interface ShellFlaw {
  line: number;
  message: string;
}

/**
 * Lets shells read texts without running them, and gives what they complain of, in the order of the questions.
 * undefined where a shell has nothing to say, or is not there.
 */
export function askShells(questions: readonly Question[]): (ShellFlaw | undefined)[] {
  const answers = new Map<string, ShellFlaw | undefined>();
  for (const batch of batchesOf(questions.filter(needsAsking))) {
    const flaws = askOnce(batch);
    for (const [at, question] of batch.entries()) answers.set(keyOf(question), flaws[at]);
  }
  return questions.map(question => answers.get(keyOf(question)));
}

/** Parts that no shell can misread: words, quoted texts and plain variables, between `;`, `|`, `&&` and `||`. */
const word = String.raw`(?:[\w./=:,@%+~*?-]|'[^'\n]*'|"(?:[^"$\x60\\\n]|\$[A-Za-z_]\w*)*"|\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\})+`;
const plainLine = new RegExp(`^\\s*(?:${word}(?:(?: +| *(?:&&|\\|\\||[|;]) *)${word})*)? *(?:(?<=^|\\s)#.*)?$`);
const reserved =
  /(?<![^\s;|&])(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|time|coproc)(?![^\s;|&])/;
const maxPlainChars = 1000;

/** Most commands are so simple that no shell need be asked: to start one takes a hundred times as long. */
export const isPlain = (script: string): boolean =>
  script.length <= maxPlainChars && !reserved.test(script) && script.split('\n').every(line => plainLine.test(line));

const needsAsking = ({ shell, kind, text }: Question): boolean => shell !== '' && (kind === 'file' || !isPlain(text));

const keyOf = ({ shell, kind, text }: Question): string => `${shell} ${kind} ${text}`;

/** All of a batch are for one shell, and together they fit on a command line. */
const maxBatchBytes = 512 * 1024;
const maxBatch = 1000;
/** Linux refuses a longer argument; such a command runs from a file, and nobody has written one by hand. */
const maxTextBytes = 128 * 1024 - 1;

function batchesOf(questions: readonly Question[]): Question[][] {
  const batches: Question[][] = [];
  const open = new Map<string, { batch: Question[]; bytes: number }>();
  for (const question of new Map(questions.map(one => [keyOf(one), one])).values()) {
    const bytes = Buffer.byteLength(question.text);
    if (bytes > maxTextBytes || question.text.includes('\0')) continue;
    const kind = `${question.shell} ${question.kind}`;
    let place = open.get(kind);
    if (!place || place.batch.length >= maxBatch || place.bytes + bytes > maxBatchBytes) {
      place = { batch: [], bytes: 0 };
      batches.push(place.batch);
      open.set(kind, place);
    }
    place.batch.push(question);
    place.bytes += bytes;
  }
  return batches;
}

/** One small shell starts the shells that read: from here each would cost five times as much. */
const driver = `
end=$1 shell=$2 kind=$3
shift 3
for text do
  if [ "$kind" = file ]; then "$shell" -n "$text"; else "$shell" -n -c -- "$text"; fi
  printf '\\n%s %s\\n' "$end" $?
done 2>&1 </dev/null`;

function askOnce(batch: readonly Question[]): (ShellFlaw | undefined)[] {
  const { shell, kind } = batch[0]!;
  // Nothing that a shell says about a command can be taken for it.
  const end = `end-${process.hrtime.bigint()}`;
  // BASH_ENV and the like would run something; and messages come in one language.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const args = ['-c', driver, 'sh', end, shell, kind, ...batch.map(({ text }) => text)];
  const { stdout } = spawnSync('sh', args, { env, encoding: 'utf8', timeout: 60_000, maxBuffer: 64 * 1024 * 1024 });
  const answers = (stdout ?? '').split(new RegExp(`\\n${end} (\\d+)\\n`));
  return batch.map((_, at) => flawIn(answers[2 * at] ?? '', Number(answers[2 * at + 1] ?? 0)));
}

/** From 126 on the shell itself could not be started. */
function flawIn(said: string, status: number): ShellFlaw | undefined {
  if (status === 0 || status >= 126) return undefined;
  const [, line, message] = /: (?:-c: )?(?:line )?(\d+): (?:syntax error:? ?)?(.*)/i.exec(said) ?? [];
  return { line: Number(line ?? 1), message: message ?? said.trim() };
}
