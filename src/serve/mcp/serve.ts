import { version } from '../../platform/build.ts';
import { callTool } from './call.ts';
import { argumentSchema } from './schema.ts';
import { speakStdio } from './sdk.ts';
import { instructions, tools } from './tools.ts';

export interface McpOptions {
  /** Absolute. */
  sessionFolder: string;
  beatMs?: number;
}

/** Offers the tools of a session on stdin and stdout until the client has gone. */
export async function serveMcp({ sessionFolder, beatMs = 10_000 }: McpOptions): Promise<void> {
  const gone = clientGone();
  const served = speakStdio({
    version,
    instructions,
    beatMs,
    tools: tools.map(tool => ({
      ...tool,
      schema: argumentSchema(tool),
      readOnly: tool.readOnly ?? false,
      call: (given, signal) => callTool(sessionFolder, tool, given, signal),
    })),
  });
  await gone;
  await served.close();
}

function clientGone(): Promise<unknown> {
  return Promise.race(
    [process.stdin, process.stdout].flatMap(stream =>
      ['end', 'close', 'error'].map(name => new Promise(resolve => stream.once(name, resolve))),
    ),
  );
}
