import { ruleBound } from './rules.mjs';

/** What was measured, as Markdown, each bound with whether it is met. */
export function tables({
  cold,
  nodes,
  rules,
  commands,
  serve,
  hasPeer,
  inProcess,
  memoryMb,
  loop,
  checkpoints,
  people,
  rounds,
  machine,
}) {
  const [inOrder, hooksInOrder, atOnce, hooksAtOnce] = inProcess.rows;
  return [
    `${machine}; medians of ${rounds} rounds, all cases in turn within each round.`,
    '',
    '### Whole processes',
    '',
    ...table(
      ['what', 'ms', 'x `node -e 0`', 'x bare Node', 'bound', 'met'],
      cold.map(({ name, ms, ratio, toRatio, bound }) => [
        `\`${name}\``.replace(/^`(hookloop|shell|lefthook|bare)(.*)`$/, '$1$2'),
        ms.toFixed(1),
        ratio.toFixed(2),
        toRatio?.toFixed(2) ?? '',
        bound === undefined ? '' : `<= ${bound}`,
        verdict(toRatio, bound),
      ]),
    ),
    ...(hasPeer ? [] : ['', 'lefthook is not in the tables: its package could not be installed.']),
    '',
    nodesTable(nodes),
    '',
    rulesTable(rules),
    '',
    commandsTable(commands),
    '',
    ...serveTables(serve),
    '',
    '### In process',
    '',
    ...table(
      ['what', 'ms', 'x plain `spawn`', 'bound', 'met'],
      [
        [inOrder.name, inOrder.ms.toFixed(1), '1', '', ''],
        ratioRow(hooksInOrder, 1.15),
        [atOnce.name, atOnce.ms.toFixed(1), '1', '', ''],
        ratioRow(hooksAtOnce),
      ],
    ),
    '',
    ...table(
      ['what', 'measured', 'bound', 'met'],
      [
        amountRow('an event without hooks', inProcess.noneMicroseconds, 'µs', 5),
        amountRow('an event without hooks beside 1,000 of another', inProcess.noneOfMany, 'µs', 5),
        ...inProcess.many.map(({ name, microseconds }) =>
          amountRow(
            `1,000 hooks of the event that match none (${name}), beyond no hooks`,
            (microseconds - inProcess.noneMicroseconds) / 1000,
            'ms',
            1,
          ),
        ),
        ...inProcess.rules.map(({ name, microseconds }) =>
          amountRow(
            `1,000 rules (${name}), beyond no hooks`,
            (microseconds - inProcess.noneMicroseconds) / 1000,
            'ms',
            1,
          ),
        ),
        ...(memoryMb === undefined ? [] : [amountRow('memory while a hook prints 1 GB', memoryMb, 'MB', 100)]),
      ],
    ),
    '',
    ...loopTables(loop),
    '',
    checkpoints,
    '',
    ...peopleTables(people),
  ].join('\n');
}

/** `dispatch` of one hook and of ten on each Node, beside a bare program on the same one. */
export const nodesTable = nodes =>
  [
    '### `dispatch` on each Node',
    '',
    ...table(
      ['Node', '`node -e 0`', 'hooks', 'bare, ms', 'dispatch, ms', 'x bare', 'bound', 'met'],
      nodes.flatMap(({ version, rows: [empty, ...rows] }) =>
        [0, 2].map(at => [
          version,
          `${empty.ms.toFixed(1)} ms`,
          at === 0 ? '1' : '10',
          rows[at].ms.toFixed(1),
          rows[at + 1].ms.toFixed(1),
          rows[at + 1].toRatio.toFixed(2),
          '<= 1.1',
          verdict(rows[at + 1].toRatio, 1.1),
        ]),
      ),
    ),
  ].join('\n');

/** What a person waits for, who counts in milliseconds. */
export const commandsTable = rows =>
  [
    '### Commands that a person waits for',
    '',
    ...table(
      ['what', 'ms', 'x `node -e 0`', 'bound', 'met'],
      rows.map(({ name, ms, ratio, boundMs }) => [
        /^(?:node|hookloop) /.test(name) ? `\`${name}\`` : name,
        ms.toFixed(1),
        ratio.toFixed(2),
        boundMs === undefined ? '' : `< ${boundMs} ms`,
        verdict(ms, boundMs),
      ]),
    ),
  ].join('\n');

/** `dispatch` of events that only meet rules, beside `node -e 0` on the same Node. */
export const rulesTable = measured =>
  [
    '### `dispatch` of an event that only meets rules',
    '',
    ...table(
      ['Node', 'what', 'ms', 'x `node -e 0`', 'bound', 'met'],
      measured.flatMap(({ version, rows: [empty, ...rows] }) => [
        [version, '`node -e 0`', empty.ms.toFixed(1), '1.00', '', ''],
        ...rows.map(({ name, ms, ratio }) => [
          version,
          name,
          ms.toFixed(1),
          ratio.toFixed(2),
          `<= ${ruleBound}`,
          verdict(ratio, ruleBound),
        ]),
      ]),
    ),
  ].join('\n');

const serveTables = rows => [
  '### A tool call, from the agent to the answer of a hook that does nothing',
  '',
  ...table(
    ['what', 'ms', 'ratio', 'bound', 'met'],
    rows.map(({ name, ms, to, ratio, bound }) => [
      name === 'sh -c true' || name === 'node -e 0' ? `\`${name}\`` : name,
      ms.toFixed(1),
      to === undefined ? '' : `${ratio.toFixed(2)} x ${to}`,
      bound === undefined ? '' : `<= ${bound}`,
      verdict(ratio, bound),
    ]),
  ),
];

function loopTables({ iteration, long, resume, view }) {
  return [
    '### The loop',
    '',
    ...table(
      ['what', 'measured', 'bound', 'met'],
      [
        ['an iteration of an agent that is one empty process', `${iteration.loopMs.toFixed(1)} ms`, '', ''],
        ['the same process alone', `${iteration.agentMs.toFixed(1)} ms`, '', ''],
        amountRow("the loop's own share of an iteration, no hooks", iteration.ownMs, 'ms', 5),
        [`an iteration among the first tenth of ${long.iterations}`, `${long.earlyMs.toFixed(2)} ms`, '', ''],
        amountRow('... among the last tenth, x the first', long.lateMs / long.earlyMs, 'x', 1.5),
        [`memory in the second third of them`, `${long.earlyMb.toFixed(0)} MB`, '', ''],
        amountRow('... at the end, x that', long.lateMb / long.earlyMb, 'x', 1.3),
        amountRow(
          `\`resume\` of a journal of ${resume.records} records, beyond one of 100`,
          (resume.largeMs - resume.smallMs) / 1000,
          's',
          1,
        ),
        amountRow('the live view at 100 events a second, share of one core', 100 * view.share, '%', 3),
      ],
    ),
  ];
}

const peopleTables = rows => [
  '### Webhooks and approvals',
  '',
  ...table(
    ['in one session', 'measured', 'bound', 'met'],
    rows.flatMap(({ name, lost, peakMb, hookMs, ratio }) => [
      [`${name}: lost`, String(lost), '0', verdict(lost, 0)],
      ...(peakMb === undefined
        ? []
        : [[`${name}: most memory`, `${peakMb.toFixed(0)} MB`, '< 200 MB', verdict(peakMb, 200)]]),
      amountRow(`${name}: a shell hook meanwhile, x its ${hookMs.toFixed(1)} ms without them`, ratio, 'x', 2),
    ]),
  ),
];

const ratioRow = ({ name, ms, ratio }, bound) => [
  name,
  ms.toFixed(1),
  ratio.toFixed(2),
  bound === undefined ? '' : `<= ${bound}`,
  verdict(ratio, bound),
];

const amountRow = (name, value, unit, bound) => [
  name,
  `${value < 100 ? value.toPrecision(2) : Math.round(value)} ${unit}`,
  `< ${bound} ${unit}`,
  verdict(value, bound),
];

const verdict = (value, bound) => (bound === undefined ? '' : value <= bound ? 'yes' : '**no**');

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
