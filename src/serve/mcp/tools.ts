import type { Method } from '../../model/control.ts';

/** A tool as the agent's model reads it. `arguments` has a line for each field of the request. */
export interface ToolText {
  name: string;
  title: string;
  description: string;
  method: Method;
  arguments: Readonly<Record<string, string>>;
  /** It changes nothing. */
  readOnly?: true;
}

export const instructions =
  'Tools of the Hookloop session you work in. Hookloop runs you in iterations and runs the checks of the project around ' +
  'your work. Keep the task list true: task_start when you begin a task, task_done when it is finished. ' +
  'Call finish as the last thing you do in an iteration.';

export const tools: readonly ToolText[] = [
  {
    name: 'task_add',
    title: 'Add a task',
    description:
      'Adds a task to the task list of this session, for work that you have found and that is not on the list yet. ' +
      'Returns the id of the new task.',
    method: 'task.add',
    arguments: { content: 'What is to be done, in a sentence that can be understood without this conversation.' },
  },
  {
    name: 'task_list',
    title: 'List the tasks',
    description:
      'Lists the tasks of this session with id, status (open, started, done, failed, dropped) and text. ' +
      'The other task tools take an id from this list.',
    method: 'task.list',
    arguments: {},
    readOnly: true,
  },
  {
    name: 'task_start',
    title: 'Start a task',
    description: 'Says that you begin to work on a task. Call it before the first change you make for that task.',
    method: 'task.start',
    arguments: { id: 'The id of the task, as task_list shows it.' },
  },
  {
    name: 'task_done',
    title: 'Finish a task',
    description:
      'Marks a task as done. The checks of the project run first, which may take minutes. If one of them fails, the task ' +
      'is not done: the result says what is wrong. Fix that, then call task_done again. Call it only when the work for ' +
      'the task is complete.',
    method: 'task.done',
    arguments: {
      id: 'The id of the task, as task_list shows it.',
      summary: 'What you have done, in one or two sentences.',
    },
  },
  {
    name: 'record_score',
    title: 'Record a score',
    description:
      'Records how good the result is, as a number that you have measured or judged: a test coverage, a benchmark, a ' +
      'rating. It is kept with the session and shown to people. Use the same scale each time.',
    method: 'score',
    arguments: { score: 'The value.', target: 'The value to reach, on the same scale.' },
  },
  {
    name: 'request_approval',
    title: 'Ask a person',
    description:
      'Asks a person to approve something, and waits for the answer, which may take long. Use it before a step that is ' +
      'hard to undo or that you were told to have approved. The result says whether it was approved; if it was not, do ' +
      'not take the step.',
    method: 'approval',
    arguments: {
      question: 'What the person decides, with all that is needed to answer yes or no.',
      title: 'A few words for the heading.',
      files: 'Paths of files the person should read first, relative to the root of the project.',
    },
  },
  {
    name: 'finish',
    title: 'Finish the iteration',
    description:
      'Says how this iteration ended and what is to happen next. Call it once, as the last thing you do; it does not end ' +
      'your turn by itself. continue: there is more to do, another iteration is useful. stop: the work is complete, ' +
      'nothing is left. error: you cannot go on and the iteration has failed.',
    method: 'finish',
    arguments: {
      decision: 'continue, stop or error.',
      reason: 'Why, in one sentence.',
      summary: 'What was done in this iteration, for whoever does the next one.',
    },
  },
];
