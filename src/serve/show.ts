import type { Dashboard, DashboardOptions } from '../dashboard/answer.ts';
import type { Work } from './work.ts';

/** Loaded when somebody looks: a process that holds much is slow to start others. Who looks keeps serve from ending. */
export function createShow(options: DashboardOptions, work: Work): Dashboard {
  let dashboard: Dashboard | undefined;
  return (request, response) =>
    work.take(new AbortController().signal, async () => {
      dashboard ??= (await import('../dashboard/answer.ts')).createDashboard(options);
      await dashboard(request, response);
    });
}
