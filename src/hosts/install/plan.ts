import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Flaw } from '../../config/located.ts';
import type { HeldJson, HostConfig, HttpCalls, InstallPlaces, InstallScope } from '../config.ts';
import type { Host } from '../host.ts';
import { ownCommand } from '../own-entry.ts';
import { addEntries, type Edit, ownEntries, removeEntries } from './entries.ts';
import { httpAddress } from './http-address.ts';
import { isSameBut } from './same-but.ts';
import { addTables, holdsHooks, ownTables, removeTables } from './toml-text.ts';

/** One way to hold our entries: what the file is with them and without them. */
export interface Holding {
  file: string;
  /** `text` has no entries of ours, or is undefined. */
  add(text: string | undefined): Edit;
  remove(text: string): Edit | { kind: 'foreign' };
  /** All that there should be is there already. */
  isDone(text: string): boolean;
}

export interface Wanted {
  host: Host;
  config: HostConfig;
  scope: InstallScope;
  places: InstallPlaces;
  /** How to start our program: an absolute path, or a name on PATH. */
  program: string;
  /** Calls go to serve where the agent can make them itself. */
  http?: { calls: HttpCalls; port: number; variable: string };
}

export function holdingOf(wanted: Wanted, quote: (word: string) => string): Holding {
  const { config, scope, places, program } = wanted;
  const file = config.file(scope, places);
  const { holds } = config;
  if (holds.kind === 'code') {
    const text = holds.text(program);
    return {
      file,
      add: () => ({ kind: 'text', text }),
      remove: current => (current.startsWith(holds.firstLine) ? { kind: 'text', text: '' } : { kind: 'foreign' }),
      isDone: current => current === text,
    };
  }
  const toml = holds.toml === undefined ? undefined : join(dirname(file), holds.toml);
  return toml !== undefined && !existsSync(file) && existsSync(toml) && holdsHooks(readFileSync(toml, 'utf8'))
    ? inToml(toml, entriesOf(wanted, holds, toml, quote))
    : inJson(file, holds.header(scope), entriesOf(wanted, holds, file, quote));
}

type Entries = readonly (readonly [native: string, entry: unknown])[];

function entriesOf(wanted: Wanted, holds: HeldJson, file: string, quote: (word: string) => string): Entries {
  const { host, scope, program, places, http } = wanted;
  const shown = scope === 'user' ? file.replace(places.home, '~') : relative(places.root, file);
  return Object.entries(host.events).map(([native, event]) => {
    if (http?.calls.natives.includes(native)) {
      const url = httpAddress(http.port, `/hook/${host.name}/${native}`, places.root);
      return [native, http.calls.entry({ event, url, variable: http.variable })];
    }
    const isFirst = native === http?.calls.first;
    const command = ownCommand({
      program,
      words: `hook ${host.name} ${native}${isFirst ? ' --http' : ''}`,
      ...{ file: shown, quote, refuses: event.closed === true || isFirst },
    });
    return [native, holds.entry({ native, event, command })];
  });
}

function inJson(file: string, header: Readonly<Record<string, unknown>>, entries: Entries): Holding {
  const wanted = entries.map(([native, entry]) => `${native} ${JSON.stringify(entry)}`).sort();
  return {
    file,
    add: text => withMark(text ?? '', bare => checked(bare, addEntries(bare, header, entries))),
    remove: text => withMark(text, bare => checked(bare, removeEntries(bare))),
    isDone: text => {
      const own = ownEntries(text.replace(/^\ufeff/, '')).map(([native, entry]) => `${native} ${entry}`);
      return own.sort().join('\n') === wanted.join('\n');
    },
  };
}

function inToml(file: string, entries: Entries): Holding {
  return {
    file,
    add: text => addTables(text ?? '', entries),
    remove: removeTables,
    isDone: text => {
      const fresh = addTables('', entries);
      return fresh.kind === 'text' && ownTables(text) === ownTables(fresh.text);
    },
  };
}

/** The mark of the byte order is no part of the text. */
function withMark(text: string, edit: (bare: string) => Edit): Edit {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const edited = edit(text.slice(mark.length));
  if (edited.kind === 'text') return { kind: 'text', text: mark + edited.text };
  const { start, end } = edited.flaw.span;
  return { kind: 'flaw', flaw: { ...edited.flaw, span: { start: start + mark.length, end: end + mark.length } } };
}

/** Whatever the text is made of: nothing but our entries may have changed. */
function checked(before: string, edit: Edit): Edit {
  if (edit.kind === 'flaw' || isSameBut(before, edit.text)) return edit;
  const flaw: Flaw = { message: 'it is written in a way that cannot be edited safely', span: { start: 0, end: 1 } };
  return { kind: 'flaw', flaw };
}
