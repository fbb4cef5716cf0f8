import { counted } from '../../model/words.ts';
import { shortened } from '../print/foreign.ts';
import { flat } from '../print/table.ts';

/** Joins the pieces of what an agent says to lines; of a long message only the first ones are shown. */
export interface MessageLines {
  /** The lines that are whole now. */
  add(piece: string): readonly string[];
  /** What is left when the agent does something else. */
  end(): readonly string[];
}

export function createMessageLines(maxLines: number): MessageLines {
  let begun = '';
  let count = 0;
  const take = (line: string): readonly string[] => {
    if (flat(line) === '') return [];
    count += 1;
    return count <= maxLines ? [shortened(line)] : [];
  };
  return {
    add(piece) {
      const [first = '', ...others] = piece.split('\n');
      // What is not shown need not be kept.
      begun = (begun + first).slice(0, maxLineLength);
      if (others.length === 0) return [];
      const whole = [begun, ...others.slice(0, -1)];
      begun = others.at(-1)!.slice(0, maxLineLength);
      return whole.flatMap(take);
    },
    end() {
      const last = take(begun);
      const more = count - maxLines;
      [begun, count] = ['', 0];
      return more > 0 ? [...last, `... ${counted(more, 'more line')}`] : last;
    },
  };
}

const maxLineLength = 2000;
