import type { Dashboard, DashboardOptions } from './dashboard/answer.ts';
import type { Work } from './work.ts';

/**
 * Loaded when somebody looks: a process that holds much is slow to start others. A person who looks keeps serve from
 * ending; whatever else sends requests does not, or a web page could keep it for ever.
 */
export function createShow(options: Omit<DashboardOptions, 'forPerson'>, work: Work): Dashboard {
  let dashboard: Dashboard | undefined;
  const forPerson: DashboardOptions['forPerson'] = show => work.take(new AbortController(), show);
  return async (request, response) => {
    dashboard ??= (await import('./dashboard/answer.ts')).createDashboard({ ...options, forPerson });
    await dashboard(request, response);
  };
}
