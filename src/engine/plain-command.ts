/** A shell text of words without quotes and expansions, and the words of each of its commands. */
export interface PlainText {
  text: string;
  commands: readonly (readonly string[])[];
  /** Something in it runs what it reads, or adds words to a command. */
  feeds: boolean;
}

/** Most calls are plain, and to load the shell's grammar takes longer than all else that a rule needs. undefined: it is needed. */
export function plainText(script: string): PlainText | undefined {
  const text = script.toLowerCase().replaceAll(harmlessRedirection, ' ');
  if (!/^[\w \t\n./=:@,+%;&|-]+$/.test(text) || hasGrammar.test(text)) return undefined;
  const commands = text.split(/[;&|\n]/).map(command => command.trim().split(/[ \t]+/));
  return { text, commands, feeds: feeds.test(text) };
}

/** What the shell may refuse as a whole, and then runs none of it. */
const hasGrammar = /(?:^|[\s;&|])(?:for|case|select|function|coproc)(?:$|[\s;&|])|;[ \t]*[;&]/;

/** Whether a plain text runs a command; undefined where only the grammar can tell. */
export function plainPattern(pattern: string): (plain: PlainText) => 'matches' | 'differs' | undefined {
  const words = pattern.toLowerCase().trim().split(/\s+/);
  const literal = words.filter(word => /^\w[\w.-]*$/.test(word));
  return plain => {
    // Without expansions a text runs only what is written in it.
    if (!plain.feeds && literal.some(word => !plain.text.includes(word))) return 'differs';
    if (literal.length < words.length) return undefined;
    return plain.commands.some(given => words.every((word, at) => given[at] === word)) ? 'matches' : undefined;
  };
}

/** `2>&1`, `>/dev/null`: what follows them is no word of a command. */
const harmlessRedirection = /(?<=^|[ \t])[12]?>(?:&[12]|[ \t]*\/dev\/null)(?=$|[ \t\n;&|])/g;

/** A pipe into anything but programs that only read, and what adds words of its own to a command. */
const feeds =
  /\|(?!\|)(?<!\|\|)&?[ \t\n]*(?![ \t\n&]|(?:head|tail|grep|wc|sort|uniq|cat|cut|tr)(?:$|[ \t\n;&|]))|xargs|parallel/;
