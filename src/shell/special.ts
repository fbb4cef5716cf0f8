/** Shells and common programs run what these hold, or find what they run through them. */
const specialVariables =
  /^(PS\d|PATH|ENV|IFS|CDPATH|SHELL\w*|BASH\w*|(LD|DYLD)_\w+|PROMPT\w*|\w*(EDITOR|PAGER|BROWSER|ASKPASS|COMMAND|OPTIONS|OPTS?|FLAGS)|VISUAL|LESSOPEN|LESSCLOSE|RSYNC_RSH|PYTHON\w+|PERL\w+|RUBY\w+|NODE_\w+|HOME|TERMINFO|GIT_(?!AUTHOR_|COMMITTER_)\w+)$/;

export const isSpecial = (name: string) => specialVariables.test(name);

/** Whether a text expands anything but variables that never hold a value: no value can be put into a special one. */
export function expandsOthers(source: string): boolean {
  if (source.includes('`')) return true;
  return [...source.matchAll(/\$(\{[!#]?)?([A-Za-z_]\w*|[^'"])/g)].some(found => !isSpecial(found[2]!));
}

/** Whether a word holds a command or process substitution. */
export const substitutes = (source: string) => /\$\(|`|[<>]\(/.test(source);
