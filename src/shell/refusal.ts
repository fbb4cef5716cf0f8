import type { Danger } from './danger.ts';
import type { Hole } from './holes.ts';
import { shells } from './roles/programs.ts';
import type { Word } from './syntax/scan.ts';

/** What runs for another command; undefined where that would be refused as well. */
type Compile = (command: string) => string | undefined;

interface Explanation {
  message: string;
  hint: string;
}

/** Says why a command was refused and how this very command can be written instead. */
export function explain(text: string, danger: Danger, hole: Hole, compile: Compile): Explanation {
  const placeholder = text.slice(hole.start, hole.end);
  const variable = `"$${hole.variable}"`;
  switch (danger.kind) {
    case 'trouble':
      return {
        message: `${placeholder} cannot be filled in: the command is not clear, ${danger.why}`,
        hint: `fix the command, or move it to a script that uses ${variable}`,
      };
    case 'quoting':
      return explainQuoting(danger.quoting, placeholder, variable);
    case 'role':
      return explainRole(text, danger, hole, placeholder, compile);
    case 'flow':
      return {
        message: `the value of ${placeholder} could reach ${danger.into} through a variable and run as code`,
        hint: `move this to a script and pass the value as an argument: ./script.sh ${placeholder}`,
      };
    case 'stdin':
      return {
        message: `the value of ${placeholder} could become part of a program that an interpreter reads from stdin`,
        hint: `hand the program over as text and use the variable in it: sh -c 'printf "%s\\n" ${variable}'`,
      };
    case 'file':
      return {
        message: `the value of ${placeholder} could be written to a file that the command runs`,
        hint: `write to another file, or pass the value as an argument: ./script.sh ${placeholder}`,
      };
    case 'variable':
      return {
        message: `${danger.name} decides what programs run, so ${placeholder} cannot be its value`,
        hint: `pass the value as an argument, or read ${variable} where it is needed`,
      };
    case 'redirection':
      return {
        message: `${placeholder} cannot be used with ${danger.operator}, which shells read differently`,
        hint: 'write `> FILE 2>&1` at the end of the command',
      };
    case 'overwritten':
      return {
        message: `the command sets ${danger.name}, the variable that holds the value of ${placeholder}`,
        hint: 'use another name for the variable of your own',
      };
  }
}

function explainQuoting(quoting: string, placeholder: string, variable: string): Explanation {
  const assign = `put it in a variable first: value=${placeholder}`;
  const reasons: Record<string, Explanation> = {
    'quoted-heredoc': {
      message: `${placeholder} stands in a here-document with a quoted end mark, where the shell fills in nothing`,
      hint: 'write the end mark without quotes: <<EOF',
    },
    delimiter: { message: `${placeholder} is the end mark of a here-document`, hint: 'write a fixed end mark: <<EOF' },
    ansi: {
      message: `${placeholder} stands inside $'...', where nothing is filled in`,
      hint: `write "${placeholder}"`,
    },
    backquote: {
      message: `${placeholder} stands between backquotes, whose quoting differs from shell to shell`,
      hint: 'write $(...) instead of `...`',
    },
    arithmetic: {
      message: `${placeholder} stands in arithmetic, which runs code that it finds in a value`,
      hint: `let a program calculate: expr ${placeholder} + 1`,
    },
    parameter: {
      message: `${placeholder} stands inside \${...}, which evaluates it`,
      hint: `${assign}, or use ${variable}`,
    },
  };
  return reasons[quoting] ?? { message: `${placeholder} cannot be filled in here`, hint: assign };
}

type RoleDanger = Extract<Danger, { kind: 'role' }>;

function explainRole(text: string, danger: RoleDanger, hole: Hole, placeholder: string, compile: Compile): Explanation {
  const { role, program, word } = danger;
  const name = program === '' ? 'a program that is not known before it runs' : `\`${program}\``;
  if (role === 'code') {
    return {
      message: `${placeholder} is or becomes program text for ${name}: its value would run as code`,
      hint: codeHint(text, word, program, hole, compile),
    };
  }
  if (role === 'program') {
    return {
      message: `${placeholder} stands where a program is named: its value would be run`,
      hint: `name a program and pass the value as an argument: printf '%s\\n' ${placeholder}`,
    };
  }
  if (role === 'name') {
    return {
      message: `${name} evaluates ${placeholder} as a name or as arithmetic, which runs code that it finds in a value`,
      hint: `assign it to a variable of your own: value=${placeholder}`,
    };
  }
  if (role === 'option') {
    return {
      message: `a value that starts with a dash would be an option of ${name}`,
      hint: `write ${optionHint(program, placeholder)}`,
    };
  }
  if (role === 'content') {
    const plain = /F|form/.test(program) ? '--form-string NAME=' : '--data-raw ';
    return {
      message: `${name} reads a file where the value of ${placeholder} starts with @`,
      hint: `write ${plain}${placeholder}, or put text before it`,
    };
  }
  if (role === 'script') {
    return {
      message: `${placeholder} names the file that ${name} runs`,
      hint: `name a script and pass the value as an argument: ./script.sh ${placeholder}`,
    };
  }
  return {
    message: `it is impossible to tell what ${name} does with ${placeholder}: its value could run as code`,
    hint: `use a script that reads "$${hole.variable}", or pass the value as its argument: ./script.sh ${placeholder}`,
  };
}

function optionHint(program: string, placeholder: string): string {
  if (program === 'printf') return `printf %s ${placeholder}`;
  if (program === 'curl') return `--url ${placeholder}`;
  if (program.startsWith('git ')) return `-- ${placeholder} for a file, --end-of-options ${placeholder} for a name`;
  return `-- ${placeholder}, or ./${placeholder} for a file`;
}

const lookups: Record<string, (variable: string) => string> = {
  python: variable => `os.environ["${variable}"]`,
  node: variable => `process.env.${variable}`,
  bun: variable => `process.env.${variable}`,
  perl: variable => `$ENV{${variable}}`,
  ruby: variable => `ENV["${variable}"]`,
  php: variable => `getenv("${variable}")`,
  lua: variable => `os.getenv("${variable}")`,
  awk: variable => `ENVIRON["${variable}"]`,
  gawk: variable => `ENVIRON["${variable}"]`,
  osascript: variable => `(system attribute "${variable}")`,
};

function codeHint(text: string, word: Word | undefined, program: string, hole: Hole, compile: Compile): string {
  const lookup = lookups[program.replace(/[\d.]+$/, '')];
  if (lookup) return `the value is in the environment: write ${lookup(hole.variable)} in the program text`;
  if (program === 'sed') return `use awk and ENVIRON["${hole.variable}"]: the value is in the environment`;
  if (program === 'ssh') return `send it on stdin: printf %s ${text.slice(hole.start, hole.end)} | ssh HOST 'cat'`;
  const isShell = shells.has(program) || program === 'eval' || program === 'trap';
  // Only a word that holds the placeholder itself can be fixed by other quotes.
  const holds = word !== undefined && word.start <= hole.start && hole.start < word.end;
  const code = isShell && holds ? quotedText(text.slice(word.start, word.end)) : undefined;
  const safe = code === undefined ? undefined : compile(code);
  if (word && safe !== undefined && text.length < 400) {
    return `write ${text.slice(0, word.start)}'${safe.replaceAll("'", "'\\''")}'${text.slice(word.end)}`;
  }
  return `write the program text in single quotes and use the variable in it: sh -c 'echo "$${hole.variable}"'`;
}

/** What a word says if it is one quoted string without expansions. */
const quotedText = (source: string) => /^'([^']*)'$/.exec(source)?.[1] ?? /^"([^"$`\\]*)"$/.exec(source)?.[1];
