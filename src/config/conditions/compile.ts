import type { ASTNode, Environment, Limits } from '@marcbachmann/cel-js';

/** A condition is one line in a hook; one beyond these limits was made to hurt. */
export const maxConditionLength = 4096;
export const limits: Partial<Limits> = {
  maxAstNodes: 1000,
  maxDepth: 50,
  maxListElements: 100,
  maxMapEntries: 100,
  maxCallArguments: 8,
};

/** A parsed condition with every name in it. Contract: throws what the library throws for a text that is no CEL. */
export function compile(cel: string, environment: Environment) {
  const program = environment.parse(cel);
  const nodes = allNodes(program.ast);
  return {
    program,
    names: new Set(nodes.filter(node => node.op === 'id').map(node => node.args as string)),
    // A regular expression over text that a model wrote can run for hours.
    comprehensions: nodes.filter(node => node.op === 'rcall' && comprehensions.has(node.args[0] as string)),
    regex: nodes.find(node => (node.op === 'rcall' || node.op === 'call') && node.args[0] === 'matches'),
  };
}

/** What goes through a list: one inside or beside another multiplies, so a condition has one at most. */
const comprehensions: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

function allNodes(root: ASTNode): ASTNode[] {
  const nodes: ASTNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      nodes.push(value);
      visit(value.args);
    }
  };
  visit(root);
  return nodes;
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;
