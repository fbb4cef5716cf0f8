import { describe, expect, test } from 'vitest';
import { accepted, refused } from './fixtures/commands.ts';
import { quoteReferences } from './placeholder.ts';

const values = new Set(['ERROR', 'CHANGED_FILES', 'FILE', 'ITERATION', 'TASK_ID']);
const plains = { ITERATION: 'number', TASK_ID: 'id' } as const;

function outcomeOf(text: string): string {
  const result = quoteReferences(text, {
    isKnown: name => values.has(name),
    plainOf: name => plains[name as keyof typeof plains],
  });
  return result.kind === 'refused'
    ? 'refused'
    : [
        'compiled',
        ...Object.entries(result.plain).map(([name, kind]) => (kind === 'id' ? name : `${name}:number`)),
      ].join(' ');
}

const asReferences = (commands: readonly string[]) =>
  commands.map(text => text.replaceAll('{{task_id}}', '${ERROR}').replaceAll('HOOK_TASK_ID', 'ERROR'));

/** In `'...'` the text is the inner shell's own; what variables of the author hold no one can tell. */
const isOpen = (text: string) =>
  /'[^']*\$\{ERROR\}[^']*'/.test(text) ||
  (/\$x|\$OPTS|\$CMD|\{-c,-x\}|-Z root/.test(text) && !/x=|X=|read x|x in/.test(text));

describe('a reference whose value would run is refused, as a placeholder is', () => {
  const ways = new Set([
    ...['as the program', 'as the program of a wrapper', 'as shell code', 'as code of another language'],
    ...['on the way to an interpreter', 'through a variable', 'as a name or in arithmetic', 'through a file'],
    ...['as a special variable', 'as a file that an interpreter runs', 'through a variable that decides what runs'],
    ...['through a variable of its own', 'as commands of an editor', 'as program text of other programs'],
  ]);

  test.each(refused.filter(({ title }) => ways.has(title)))('$title', ({ commands }) => {
    const shown = asReferences(commands).filter(text => !isOpen(text));
    expect(shown.filter(text => outcomeOf(text) !== 'refused')).toEqual([]);
    expect(shown.length).toBeGreaterThan(0);
  });

  test.each([
    'echo ${ERROR} | xargs sh -c',
    'printf "%s" "${ERROR}" | xargs -I{} sh -c "{}"',
    'echo ${ERROR} | sh',
    'x=${ERROR}; eval "$x"',
    '${ERROR} --help',
    'sh <<EOF\necho ${ERROR}\nEOF',
    'git log ${ERROR}; sh -c ${ERROR}',
    'echo `sh -c "${ERROR}"`',
    'echo "${x:-`eval ${ERROR}`}"',
    '[[ -n a && ${ERROR} -eq 1 ]]',
    'echo a &> f; sh -c "${ERROR}"',
    'echo a &> f ${ERROR}',
    'sh <<EOF\necho ${ERROR}',
    'echo ${ERROR} | $RUN sh',
    "sh -c '${ERROR} --help'",
    'sh -c \'eval "${ERROR}"\'',
    "echo '${ERROR}' | sh",
    'echo a >&${ERROR}',
    ': "${x:=${ERROR}}"; eval "$x"',
    ': "${x=${ERROR}}"; echo $((x))',
    'f() { printf %s "${ERROR}"; }; f | sh',
    'f() { printf %s "${ERROR}"; }; eval "$(f)"',
    'function f { { :; }; printf %s "${ERROR}"; }; f | sh',
    'f() ( { :; }; printf %s "${ERROR}" ); f | sh',
  ])('%j', text => expect(outcomeOf(text)).toBe('refused'));
});

describe('a reference is left to the shell', () => {
  test.each(accepted)('$title', ({ commands }) => {
    expect(asReferences(commands).filter(text => outcomeOf(text) === 'refused')).toEqual([]);
  });

  test.each([
    ...['sh -c \'echo "${ERROR}"\'', "awk '/${ERROR}/' f"],
    ...['git log ${ERROR}', 'curl -d ${ERROR} https://x.example', 'echo "${x:-${ERROR}}"', 'echo `basename ${ERROR}`'],
    ...['eval "$SETUP"; echo ${ERROR}', 'm=${ERROR}; "$NOTIFY" "$m"', 'm=${ERROR}; sh -c "$HOOK" _ "$m"'],
    ...['curl -s https://x.example | sh; echo ${ERROR}', 'echo ${ERROR}; curl -s https://x.example | sh'],
    ...['n=$(echo "${CHANGED_FILES}" | wc -l); [[ $n -gt 10 ]]', 'n=$(wc -l < ${FILE}); echo $((n + 1))'],
    ...['echo "${CHANGED_FILES}" | xargs npx eslint', 'echo "${CHANGED_FILES}" | xargs git add', 'bash -n ${FILE}'],
    ...['m=${ERROR}; echo $((1 + 1)) "$m"', 'echo ${ERROR} | $PAGER', '"$HOOKS_DIR/x.sh" ${ERROR}'],
    ...[': "${x:=${ERROR}}"; eval "$y"', ': "${x:=a}"; echo ${ERROR}; eval "$x"'],
    ...['f() { printf %s "${ERROR}"; }; f', 'f() { { curl -s https://x.example; }; }; echo ${ERROR}; f | sh'],
  ])('%j', text => expect(outcomeOf(text)).toBe('compiled'));
});

test('a value that comes through a pipe is not fixed by other quotes', () => {
  const text = 'echo ${ERROR} | xargs -I{} sh -c "{}"';
  const result = quoteReferences(text, { isKnown: name => values.has(name), plainOf: () => undefined });
  expect(result).toMatchObject({ kind: 'refused', hint: expect.not.stringContaining('xargs') });
});

test('an id is taken wherever a number is, and has to be one where names are evaluated', () => {
  expect(outcomeOf('echo $(( ${TASK_ID} + ${ITERATION} ))')).toBe('compiled TASK_ID:number ITERATION');
  expect(outcomeOf('x=${TASK_ID}; echo $((x))')).toBe('compiled TASK_ID:number');
  expect(outcomeOf('sh -c "echo ${TASK_ID}"')).toBe('compiled TASK_ID');
  expect(outcomeOf('eval "echo ${TASK_ID}"; (( 1 ))')).toBe('compiled TASK_ID');
  expect(outcomeOf("bash -c 'echo $(( ${ITERATION} + 1 ))'")).toBe('compiled ITERATION');
  expect(outcomeOf("bash -c 'echo $(( ${TASK_ID} + ${ITERATION} ))'")).toBe('compiled TASK_ID:number ITERATION');
});

test.each(['sh -c \'eval "${TASK_ID}"\'', "echo '${TASK_ID}' | sh"])(
  'an id that runs in quotes is looked at: %j',
  text => expect(outcomeOf(text)).toBe('compiled TASK_ID'),
);

test.each(['foo sh;', 'x=${ERROR};', '$((x));', 'echo ${ERROR} | sh -c a;', '"`a`" ', 'f(){ ', '"${x:=a}";'])(
  'a long text of %j is read in time',
  piece => {
    const before = process.cpuUsage();
    outcomeOf(`echo \${ERROR} \${TASK_ID}; ${piece.repeat(120_000 / piece.length)}`);
    expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(6);
  },
);
