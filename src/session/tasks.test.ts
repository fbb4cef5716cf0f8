import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TaskRecord } from '../model/record.ts';
import { parseChecklist, readChecklist, untickedCount } from './checklist.ts';
import {
  addTask,
  changeTask,
  claimedTasks,
  foldTask,
  isSettled,
  isTaskRecord,
  listTasks,
  newTasks,
  openTasks,
  type TaskStore,
} from './tasks.ts';

const idsOf = (text: string): string[] => parseChecklist(text).map(({ id }) => id);

/** What is given stays as it is. */
function foldTasks(records: readonly TaskRecord[], before: TaskStore = newTasks()): TaskStore {
  const store = structuredClone(before);
  for (const record of records) foldTask(store, record);
  return store;
}

describe('a checklist', () => {
  test('has a task for every box in the first column', () => {
    const text = '# To do\r\n- [ ] one\r\n- [x] two\r\n* [X] three\r\n+ [ ] four\r\n1. [ ]  five  \r\n2) [x]\tsix\r\n';
    expect(parseChecklist(text).map(({ content, ticked, line }) => [content, ticked, line])).toEqual([
      ['one', false, 2],
      ['two', true, 3],
      ['three', true, 4],
      ['four', false, 5],
      ['five', false, 6],
      ['six', true, 7],
    ]);
  });

  test.each([
    ' - [ ] indented',
    '\t- [ ] indented',
    '- [] no space',
    '- [  ] two spaces',
    '- [-] cancelled',
    '- [ ]no space behind',
    '- [ ]',
    '- [ ]   ',
    '-[ ] no space before',
    'text - [ ] inside',
    '> - [ ] quoted',
    '<!-- - [ ] hidden -->',
    '<!--\n- [ ] hidden\n-->',
    '```\n- [ ] example\n```',
    '~~~~md\n```\n- [ ] example\n```\n~~~~',
  ])('has no task in %j', text => expect(parseChecklist(`${text}\n- [ ] real`)).toMatchObject([{ content: 'real' }]));

  test('a block that is never closed hides no task', () => {
    expect(parseChecklist('```\n- [ ] one\n').length).toBe(1);
    expect(parseChecklist('<!-- oops\n- [ ] one\n').length).toBe(1);
  });

  test('a task has the indented lines below it as details', () => {
    const text = '- [ ] one\n\n  more\n  - [ ] part\n\nA new paragraph\n  indented\n- [ ] two\n';
    expect(parseChecklist(text).map(({ details }) => details)).toEqual([['  more', '  - [ ] part'], []]);
  });

  test('ids stay when others are ticked, edited, moved, added or removed', () => {
    const [one, two, three] = idsOf('- [ ] one\n- [ ] two\n- [ ] three\n');
    expect(idsOf('- [x] one\n- [x] two\n- [ ] three')).toEqual([one, two, three]);
    expect(idsOf('- [ ] three\n- [ ]   two \n')).toEqual([three, two]);
    expect(idsOf('- [ ] zero\n- [ ] one, edited\n- [ ] two\n').at(2)).toBe(two);
    expect(new Set([one, two, three]).size).toBe(3);
    expect(one).toMatch(/^c[0-9a-f]{10}$/);
  });

  test('tasks of the same text are told apart by their order', () => {
    const [first, second, third] = idsOf('- [ ] same\n- [ ] same\n- [ ] same\n');
    expect([second, third]).toEqual([`${first}-2`, `${first}-3`]);
    expect(idsOf('- [x] same\n- [ ] other\n- [ ] same\n')).toEqual([first, expect.anything(), second]);
  });

  test('gives the first open task and how many are left', () => {
    const tasks = parseChecklist('- [x] one\n- [ ] two\n- [ ] three\n');
    const [one, two] = tasks.map(({ id }) => id);
    const found = foldTasks([{ kind: 'tasks.found', ticked: [one!], after: {} }]);
    expect([openTasks(found, tasks)[0]?.content, untickedCount(tasks)]).toEqual(['two', 2]);
    expect(openTasks(found, tasks).find(({ id }) => id !== two)?.content).toBe('three');
    expect(openTasks(found, parseChecklist('- [x] one'))).toEqual([]);
  });

  test('of 100,000 lines is read in linear time', () => {
    const started = performance.now();
    expect(parseChecklist('```js\n- [ ] task with ` and <!-- \n'.repeat(50_000)).length).toBe(50_000);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  describe('in a file', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'hookloop-tasks-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    test('is read anew on every look', () => {
      const file = join(folder, 'tasks.md');
      writeFileSync(file, '\uFEFF- [ ] one\n- [ ] caf\u00e9\n');
      const before = readChecklist(file);
      writeFileSync(file, '- [x] one\n- [ ] caf\u00e9\n');
      const after = readChecklist(file);
      expect([before, after]).toMatchObject([
        { tasks: [{ ticked: false }, { content: 'caf\u00e9' }] },
        { tasks: [{ ticked: true }, { ticked: false }] },
      ]);
    });

    test('that cannot be read says why, and is not an empty one', () => {
      expect(readChecklist(join(folder, 'none.md'))).toEqual({
        kind: 'unreadable',
        reason: `${join(folder, 'none.md')} does not exist`,
      });
      expect(readChecklist(folder)).toMatchObject({
        kind: 'unreadable',
        reason: expect.stringContaining('is a folder'),
      });
    });
  });
});

describe('the tasks of a session', () => {
  const apply = (store: TaskStore, change: ReturnType<typeof addTask>): TaskStore =>
    change.kind === 'record' ? foldTasks([change.record], store) : store;
  const two = ['one', ' two '].reduce((store, content) => apply(store, addTask(store, content)), newTasks());
  const done = (id: string, summary?: string): TaskRecord & { kind: 'task.done' } => ({
    ...{ kind: 'task.done', id, ...(summary !== undefined && { summary }) },
  });

  test('get ids in order and are listed in order', () => {
    expect([...two.tasks.values()]).toEqual([
      { id: 'T1', content: 'one', status: 'open' },
      { id: 'T2', content: 'two', status: 'open' },
    ]);
    expect(newTasks().tasks.size).toBe(0);
  });

  test('go from open over started to done or dropped', () => {
    const records: TaskRecord[] = [
      { kind: 'task.started', id: 'T1' },
      done('T1', 'it works'),
      { kind: 'task.dropped', id: 'T2', reason: 'not needed' },
    ];
    const steps = records.map((_, index) => foldTasks(records.slice(0, index + 1), two));
    expect(steps.map(store => [...store.tasks.values()].map(({ status }) => status))).toEqual([
      ['started', 'open'],
      ['done', 'open'],
      ['done', 'dropped'],
    ]);
    expect(steps[2]!.tasks.get('T1')).toEqual({ id: 'T1', content: 'one', status: 'done', note: 'it works' });
    expect([two, ...steps].map(store => openTasks(store)[0]?.id)).toEqual(['T1', 'T1', 'T2', undefined]);
    expect(foldTasks(records.slice(1), foldTasks(records.slice(0, 1), two))).toEqual(steps[2]);
  });

  test('an id is not given twice, though records are lost', () => {
    const store = foldTasks([{ kind: 'task.added', id: 'T7', content: 'x' }]);
    expect(addTask(store, 'y')).toMatchObject({ record: { id: 'T8' } });
  });

  test('the same change again changes nothing, one that cannot be is refused', () => {
    const store = foldTasks([done('T1')], two);
    expect(changeTask(store, done('T1'))).toEqual({ kind: 'unchanged' });
    expect(changeTask(store, { kind: 'task.started', id: 'T1' })).toEqual({
      kind: 'refused',
      reason: 'task T1 is already done',
    });
    expect(changeTask(store, done('T9'))).toEqual({ kind: 'refused', reason: 'there is no task "T9"' });
    expect(changeTask(store, done('__proto__'))).toMatchObject({ kind: 'refused' });
    expect(addTask(store, ' \n ')).toEqual({ kind: 'refused', reason: 'a task needs a text' });
    expect(changeTask(store, done('T2'))).toEqual({ kind: 'record', record: done('T2') });
  });

  test('task_done settles a task of a checklist whose box is not ticked', () => {
    const tasks = parseChecklist('- [ ] one\n- [ ] two\n');
    const id = tasks[0]!.id;
    const isKnown = (known: string): boolean => tasks.some(task => task.id === known);
    const store = apply(newTasks(), changeTask(newTasks(), done(id), isKnown));
    expect([openTasks(store, tasks)[0]?.content, isSettled(store, id)]).toEqual(['two', true]);
    expect([store.tasks.size, changeTask(store, done(id), isKnown)]).toEqual([0, { kind: 'unchanged' }]);
  });

  test('a ticked box counts once its gates passed, and no longer when they refuse it, it is reopened or given up', () => {
    const ticked = parseChecklist('- [x] one\n- [ ] two\n');
    const id = ticked[0]!.id;
    const statusAfter = (...records: TaskRecord[]) => {
      const store = foldTasks([{ kind: 'tasks.found', ticked: [], after: {} }, ...records]);
      return [listTasks(store, ticked)[0]!.status, claimedTasks(store, ticked).length];
    };
    const passed = { kind: 'task.passed', id } as const;
    const refused = { kind: 'task.refused', id, text: 'no' } as const;
    expect(statusAfter()).toEqual(['open', 1]);
    expect(statusAfter({ kind: 'tasks.found', ticked: [id], after: {} })).toEqual(['done', 0]);
    expect(statusAfter(passed)).toEqual(['done', 0]);
    expect(statusAfter(done(id))).toEqual(['done', 0]);
    expect(statusAfter(passed, refused)).toEqual(['started', 1]);
    expect(statusAfter(done(id), refused)).toEqual(['started', 1]);
    expect(statusAfter(refused, passed)).toEqual(['done', 0]);
    expect(statusAfter(passed, { kind: 'task.reopened', id })).toEqual(['open', 1]);
    expect(statusAfter(refused, { kind: 'task.failed', id, reason: 'no', inRun: 1 })).toEqual(['failed', 1]);
    expect(statusAfter({ kind: 'task.done', id, unchecked: true })).toEqual(['started', 1]);
    expect(statusAfter({ kind: 'task.done', id, unchecked: true }, passed)).toEqual(['done', 0]);
  });

  test('their records are told from others in the journal', () => {
    const records = [done('T1'), { kind: 'task.added' }, { kind: 'hook.started' }, { kind: 'toString' }, {}];
    expect(records.map(isTaskRecord)).toEqual([true, true, false, false, false]);
  });
});
