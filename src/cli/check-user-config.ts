import { read } from '../config/read.ts';
import { createReport, fileProblem } from '../config/report.ts';
import { flag, record } from '../config/shape.ts';
import { parseYaml } from '../config/yaml.ts';
import type { Look } from '../hooks/discovery/look.ts';
import { shownPath } from '../hooks/discovery/places.ts';
import type { Places, Problem } from '../model/index.ts';
import { userConfigFile } from './protect-hooks.ts';

const shape = record(
  { protect_hooks: flag('Whether agents are kept from changing hook files (default true)') },
  { closed: true },
);

/** What is wrong with the user's own settings: a typo there counts as not written. */
export function userConfigProblems(places: Places, look: Look): readonly Problem[] {
  const path = userConfigFile(places);
  const file = shownPath(path, places);
  const content = look.text(path);
  if (content.kind === 'absent') return [];
  if (content.kind !== 'text') return [fileProblem(file, content.reason, false)];
  const report = createReport(file, content.text, false);
  const parsed = parseYaml(content.text);
  for (const flaw of parsed.flaws) report.flaw(flaw);
  if (parsed.kind === 'parsed' && parsed.root) read(parsed.root, shape, report);
  return report.problems;
}
