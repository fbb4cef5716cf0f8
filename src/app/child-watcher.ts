import type { Notice, Remark, Watcher } from '../model/notice.ts';
import { pauseWords } from '../model/words.ts';

/** Tells whoever watches the parent of a child's milestones, one line each, and of what went wrong in it. */
export function createChildWatcher(watcher: Watcher, label: string): Watcher {
  const say = (level: Remark['level'], text: string): void => watcher.remark({ level, text: `${label}: ${text}` });
  return {
    notice(notice) {
      const told = milestone(notice);
      if (told) say(told.level, told.text);
    },
    remark({ level, text }) {
      if (level !== 'info') say(level, text);
    },
  };
}

function milestone(notice: Notice): Remark | undefined {
  switch (notice.type) {
    case 'session.starting':
      return info(`child pipeline starts${notice.agent === undefined ? '' : ` with ${notice.agent}`}`);
    case 'session.paused': {
      const { until = '', kind = '', agent = '', reason = '' } = notice;
      return info(`paused ${pauseWords({ until, kind, agent, reason }, Date.parse(notice.at))}`);
    }
    case 'session.resumed':
      return info('goes on after the pause');
    case 'stage.completed':
      return info(`stage ${notice.stage} completed (${notice.status ?? ''})`);
    case 'iteration.failed':
      return {
        level: 'warning',
        text: `iteration ${notice.iteration} of stage ${notice.stage} failed: ${notice.error}`,
      };
    case 'hook.finished': {
      const { name, result } = notice;
      if (result.status !== 'finished' || result.verdict.kind !== 'failed') return undefined;
      return { level: 'warning', text: `hook ${name} failed: ${result.verdict.reason}` };
    }
    case 'approval.requested':
      if (notice.approval === undefined) return undefined;
      return info(`asks a person: ${notice.question ?? ''} (hookloop approve ${notice.approval})`);
    case 'session.summary': {
      const { status, reason, durationMs } = notice;
      const how = `child pipeline ${status} after ${(durationMs / 1000).toFixed(1)} s`;
      return {
        level: status === 'failed' ? 'warning' : 'info',
        text: reason === undefined ? how : `${how}: ${reason}`,
      };
    }
    default:
      return undefined;
  }
}

const info = (text: string): Remark => ({ level: 'info', text });
