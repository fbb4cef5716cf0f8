import { describe, expect, test } from 'vitest';
import { accepted, refused } from './fixtures/commands.ts';
import { compiled, doubleBraces, singleBraces } from './fixtures/grammars.ts';
import { compileCommand, type Grammar, quoteReferences } from './placeholder.ts';

describe('a placeholder becomes a reference quoted for where it stands', () => {
  // `@` is the placeholder, V the reference to its variable.
  test.each([
    ['printf %s @', 'printf %s "V"'],
    ['printf %s "@"', 'printf %s "V"'],
    [`printf %s '@'`, `printf %s ''"V"''`],
    ['printf %s "id: @!"', 'printf %s "id: V!"'],
    ['echo a@b', 'echo a"V"b'],
    ['echo --id=@', 'echo --id="V"'],
    ['echo @@', 'echo "V""V"'],
    [`echo "a"@'b @ c'`, `echo "a""V"'b '"V"' c'`],
    ['echo "$(basename "@")"', 'echo "$(basename "V")"'],
    ['echo "$(basename @)"', 'echo "$(basename "V")"'],
    ['echo $(echo $(echo @))', 'echo $(echo $(echo "V"))'],
    ['cat <<EOF\nid @ "@"\nEOF', 'cat <<EOF\nid V "V"\nEOF'],
    ['cat <<-EOF\n\tid $(echo @)\n\tEOF\necho @', 'cat <<-EOF\n\tid $(echo "V")\n\tEOF\necho "V"'],
    ['cat <<A <<"B"\n@\nA\nb\nB\necho @', 'cat <<A <<"B"\nV\nA\nb\nB\necho "V"'],
    ['cat <<< @', 'cat <<< "V"'],
    ['echo a # @', 'echo a # {{task_id}}'],
    [`# don't @\necho @`, `# don't {{task_id}}\necho "V"`],
    ['echo a#@', 'echo a#"V"'],
    ['echo \\"@', 'echo \\""V"'],
    ['echo "\\\\@"', 'echo "\\\\V"'],
    [`echo '\\@'`, `echo '\\'"V"''`],
    ['echo ${HOME} $1 "$@" @'.replace('"$@"', '"$*"'), 'echo ${HOME} $1 "$*" "V"'],
  ])('%j', (text, script) => expect(compiled(text)).toBe(script));
});

describe('values are arguments, targets and words wherever that is exact', () => {
  test.each(accepted.flatMap(({ commands }) => commands))('%j', text => {
    expect(compiled(text)).not.toContain('refused');
  });

  test.each([
    'python {file}',
    'cargo fmt -- {file}',
    'prettier --write {file}',
    'eslint --fix {file}',
    'black {file}',
    'sed -i s/a/b/ {file}',
    'bash {file}',
    'python {file} > out',
    'git add {file}',
    'shfmt -ln bash -w {file}',
    'git diff {file}',
    'perl -c {file}',
    'find {file} -name x',
    'vim {file} < keys',
  ])('%j, since a path never starts with a dash', text =>
    expect(compiled(text, singleBraces)).toBe(text.replace('{file}', '"${HOOK_FILE}"')),
  );
});

describe('a value that could be more than one exact word is refused', () => {
  test.each(refused)('$title', ({ commands }) => {
    expect(commands.filter(text => !compiled(text).startsWith('refused'))).toEqual([]);
    expect(commands.length).toBeGreaterThan(0);
  });
});

describe('compileCommand', () => {
  test.each([
    '',
    'echo "',
    'echo {{nothing}} $((',
    'sh -c "echo ${file}" \'',
    'eval {{unknown}}',
    '`((((',
    '\0',
    'echo {task_id} \uE000',
  ])('leaves %j alone: it has no placeholder', text =>
    expect(compileCommand(text, doubleBraces)).toMatchObject({ kind: 'compiled', script: text, variables: [] }),
  );

  test('names the variables once and reports unknown placeholders with their place', () => {
    expect(compileCommand('echo {{task_id}} {{tsak}} {{error}} {{task_id}}', doubleBraces)).toEqual({
      kind: 'compiled',
      script: 'echo "${HOOK_TASK_ID}" {{tsak}} "${HOOK_ERROR}" "${HOOK_TASK_ID}"',
      variables: ['HOOK_TASK_ID', 'HOOK_ERROR'],
      plain: {},
      unknown: [{ name: 'tsak', offset: 17, length: 8 }],
    });
  });

  test('leaves ${file} to the shell', () => {
    expect(compiled('echo ${file} {file} {other}', singleBraces)).toBe('echo ${file} "${HOOK_FILE}" {other}');
  });

  test('says why it refuses and shows the safe way for this command', () => {
    expect(compileCommand('set -e; sh -c "echo {{task_content}}" && ls', doubleBraces)).toEqual({
      kind: 'refused',
      offset: 20,
      length: 16,
      message: '{{task_content}} is or becomes program text for `sh`: its value would run as code',
      hint: `write set -e; sh -c 'echo "\${HOOK_TASK_CONTENT}"' && ls`,
    });
  });

  test.each([
    ['node -e "f(@)"', 'process.env.HOOK_TASK_ID'],
    ['python3 -c "f(@)"', 'os.environ["HOOK_TASK_ID"]'],
    ["cat <<'EOF'\n@\nEOF", '<<EOF'],
    ['perl -e x @', '-- {{task_id}}'],
    ['git log @', '--end-of-options {{task_id}}'],
    ['curl -d @ http://127.0.0.1', '--data-raw {{task_id}}'],
    ['curl -F a=@ http://127.0.0.1', '--form-string'],
    ['bash @', './script.sh {{task_id}}'],
    ['echo @ > x.sh; sh x.sh', './script.sh {{task_id}}'],
    ['printf @ a', 'printf %s {{task_id}}'],
    ['echo `echo @`', '$(...)'],
    ['echo @ | sh', '"$HOOK_TASK_ID"'],
    ['eval @', '"$HOOK_TASK_ID"'],
    ['@ a', "printf '%s\\n' {{task_id}}"],
  ])('hints at the way out of %j', (text, hint) => {
    const result = compileCommand(text.replaceAll('@', '{{task_id}}'), doubleBraces);
    expect(result).toMatchObject({ kind: 'refused', hint: expect.stringContaining(hint) });
  });

  test('the way it shows is itself accepted', () => {
    const result = compileCommand(`bash -lc 'grep "{{error}}" log'`, doubleBraces);
    const shown = result.kind === 'refused' ? result.hint.replace('write ', '') : '';
    expect(shown).toBe(`bash -lc 'grep "\${HOOK_ERROR}" log'`);
    expect(compileCommand(shown, doubleBraces)).toMatchObject({ kind: 'compiled', script: shown });
  });
});

describe('numbers and ids hold no code', () => {
  const grammar: Grammar = {
    ...doubleBraces,
    plainOf: variable => ({ HOOK_ITERATION: 'number' as const, HOOK_SESSION: 'id' as const })[variable],
  };
  const needs = (plain: Readonly<Record<string, string>>): string =>
    Object.entries(plain)
      .map(([name, kind]) => (kind === 'id' ? name : `${name}:${kind}`))
      .join(' ');
  const scriptOf = (text: string): string => {
    const result = compileCommand(text, grammar);
    return result.kind === 'compiled' ? `${result.script} needs ${needs(result.plain)}` : `refused: ${result.message}`;
  };

  // `#` is the number, `@` the id.
  test.each([
    ['echo $(( # + 1 ))', 'echo $(( ${HOOK_ITERATION} + 1 )) needs HOOK_ITERATION'],
    ['sed -n #p f', 'sed -n "${HOOK_ITERATION}"p f needs HOOK_ITERATION'],
    ['make ITER=# NAME=@', 'make ITER="${HOOK_ITERATION}" NAME="${HOOK_SESSION}" needs HOOK_ITERATION HOOK_SESSION'],
    ['sh -c "seq #; echo @"', 'sh -c "seq ${HOOK_ITERATION}; echo ${HOOK_SESSION}" needs HOOK_ITERATION HOOK_SESSION'],
    [`sh -c 'seq #'`, `sh -c 'seq '"\${HOOK_ITERATION}"'' needs HOOK_ITERATION`],
    ['echo `seq #`', 'echo `seq "${HOOK_ITERATION}"` needs HOOK_ITERATION'],
    ['python3 -c "print(#)"', 'python3 -c "print(${HOOK_ITERATION})" needs HOOK_ITERATION'],
    ['echo $(( @ + 1 ))', 'echo $(( ${HOOK_SESSION} + 1 )) needs HOOK_SESSION:number'],
    ['[[ @ -eq 3 ]]', '[[ "${HOOK_SESSION}" -eq 3 ]] needs HOOK_SESSION:number'],
    ['x=@; echo $((x + 1))', 'x="${HOOK_SESSION}"; echo $((x + 1)) needs HOOK_SESSION:number'],
    ['x=@; echo $((y + 1))', 'x="${HOOK_SESSION}"; echo $((y + 1)) needs HOOK_SESSION'],
    ['echo # @', 'echo "${HOOK_ITERATION}" "${HOOK_SESSION}" needs '],
  ])('%j', (text, script) =>
    expect(scriptOf(text.replaceAll('#', '{{iteration}}').replaceAll('@', '{{session}}'))).toBe(script),
  );

  test.each([
    ['as the name of a program', '@ x'],
    ['as the name of a program inside code', 'sh -c "@ x"'],
    ['where the shell fills in nothing', "cat <<'E'\n@\nE"],
    ['beside a text that would run', 'sh -c "echo @ {{error}}"'],
  ])('an id is refused %s', (_, text) => expect(scriptOf(text.replaceAll('@', '{{session}}'))).toMatch(/^refused/));
});

describe('${NAME} in a command', () => {
  const quoted = (text: string): string => {
    const result = quoteReferences(text, {
      isKnown: name => name === 'ERROR' || name === 'ITERATION',
      plainOf: name => (name === 'ITERATION' ? 'number' : undefined),
    });
    return result.kind === 'compiled' ? result.script : `refused: ${result.message}`;
  };

  test.each([
    ['echo ${ERROR}', 'echo "${ERROR}"'],
    ['echo a${ERROR}b "${ERROR}" $ERROR ${OTHER}', 'echo a"${ERROR}"b "${ERROR}" $ERROR ${OTHER}'],
    ['X=${ERROR}; test -n ${ERROR}', 'X="${ERROR}"; test -n "${ERROR}"'],
    ['sh -c \'echo "${ERROR}"\'', 'sh -c \'echo "${ERROR}"\''],
    ["cat <<'E'\n${ERROR}\nE", "cat <<'E'\n${ERROR}\nE"],
    ['cat <<E\n${ERROR}\nE', 'cat <<E\n${ERROR}\nE'],
    ['echo $(( ${ITERATION} + 1 ))', 'echo $(( ${ITERATION} + 1 ))'],
    ['echo $(basename ${ERROR}) # ${ERROR}', 'echo $(basename "${ERROR}") # ${ERROR}'],
    ['echo ${ERROR} "', 'echo ${ERROR} "'],
    ['sh -c "seq ${ITERATION}"', 'sh -c "seq ${ITERATION}"'],
  ])('%j', (text, script) => expect(quoted(text)).toBe(script));

  test.each(['sh -c "echo ${ERROR}"', 'eval "echo ${ERROR}"', 'python3 -c "print(${ERROR})"', 'make V=${ERROR}'])(
    '%j is refused: the value would run',
    text => expect(quoted(text)).toMatch(/^refused: \$\{ERROR\} is or becomes program text/),
  );
});
