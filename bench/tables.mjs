/** What was measured, as Markdown, each bound with whether it is met. */
export function tables({ cold, inProcess, memoryMb, loop, rounds, machine }) {
  const [inOrder, hooksInOrder, atOnce, hooksAtOnce] = inProcess.rows;
  return [
    `${machine}; medians of ${rounds} rounds, all cases in turn within each round.`,
    '',
    '### Whole processes',
    '',
    ...table(
      ['what', 'ms', 'x `node -e 0`', 'bound', 'met'],
      cold.rows.map(({ name, ms, ratio, bound }) => [
        `\`${name}\``.replace(/^`(hookloop|shell|lefthook)(.*)`$/, '$1$2'),
        ms.toFixed(1),
        ratio.toFixed(2),
        bound === undefined ? '' : `<= ${bound}`,
        verdict(ratio, bound),
      ]),
    ),
    ...cold.notes.flatMap(note => ['', note]),
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
        ...(memoryMb === undefined ? [] : [amountRow('memory while a hook prints 1 GB', memoryMb, 'MB', 100)]),
      ],
    ),
    '',
    ...loopTables(loop),
  ].join('\n');
}

function loopTables({ iteration, long, resume }) {
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
      ],
    ),
  ];
}

const ratioRow = ({ name, ms, ratio }, bound) => [
  name,
  ms.toFixed(1),
  ratio.toFixed(2),
  bound === undefined ? '' : `<= ${bound}`,
  verdict(ratio, bound),
];

const amountRow = (name, value, unit, bound) => [
  name,
  `${value.toPrecision(2)} ${unit}`,
  `< ${bound} ${unit}`,
  verdict(value, bound),
];

const verdict = (value, bound) => (bound === undefined ? '' : value <= bound ? 'yes' : '**no**');

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`);
