/**
 * How a conversation reaches a program that remembers nothing. The first message stands alone, exactly as it is.
 * With every later one all earlier messages come again:
 *
 *     [conversation so far]
 *     [user]
 *     first message
 *     [assistant]
 *     first answer
 *     [end of conversation so far]
 *
 *     second message
 */
export interface Transcript {
  withNext(message: string): string;
  add(message: string, answer: string): void;
}

const maxLength = 256 * 1024;

export function createTranscript(): Transcript {
  const turns: string[] = [];
  let length = 0;
  let isCut = false;
  return {
    withNext(message) {
      if (turns.length === 0) return message;
      const start = isCut ? ['[conversation so far, the oldest messages left out]'] : ['[conversation so far]'];
      return [...start, ...turns, '[end of conversation so far]', '', message].join('\n');
    },
    add(message, answer) {
      const turn = `[user]\n${message}\n[assistant]\n${answer}`;
      turns.push(turn);
      length += turn.length;
      while (length > maxLength && turns.length > 1) {
        length -= turns.shift()!.length;
        isCut = true;
      }
    },
  };
}
