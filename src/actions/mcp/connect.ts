import { lookup } from 'node:dns/promises';
import {
  Client,
  deserializeMessage,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { McpServer } from '../../model/mcp-server.ts';
import { version } from '../../platform/build.ts';
import { createLineRelay } from '../process/line-relay.ts';
import { addressFlaw, type Reach, urlFlaw } from '../webhook/request.ts';
import { startServer } from './server-process.ts';

export interface ConnectOptions {
  server: Exclude<McpServer, { via: 'none' }>;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** How far a server over http may be away. */
  reach: Reach;
  /** Whoever waits no longer ends the attempt. */
  signal: AbortSignal;
  onClose(): void;
}

export interface Connection {
  /** Contract: rejects as the protocol has it. */
  call(
    tool: string,
    input: Record<string, unknown>,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<Said>;
  close(): Promise<void>;
}

/** What a tool has said: its texts, and whether they are an error. */
export interface Said {
  text: string;
  isError: boolean;
}

/** How long a server may take to say what it is. */
const helloMs = 30_000;

/** Connects to an MCP server. Contract: rejects with the reason, and then nothing of it is left. */
export async function connectServer({ onClose, ...options }: ConnectOptions): Promise<Connection> {
  const { transport, stop, whyGone } =
    options.server.via === 'stdio' ? overStdio(options.server, options) : await overHttp(options.server, options);
  const client = new Client({ name: 'hookloop', version });
  client.onclose = onClose;
  const close = async (): Promise<void> => {
    await client.close().catch(() => {});
    await stop();
  };
  try {
    await client.connect(transport, { timeout: helloMs, signal: options.signal });
  } catch (error) {
    const reason = whyGone() ?? (error as Error).message;
    await close();
    throw new Error(reason);
  }
  return {
    async call(name, input, { signal, timeoutMs }) {
      try {
        const limits = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs };
        const { content, isError } = await client.callTool({ name, arguments: input }, limits);
        const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
        return { text: texts.join('\n'), isError: isError === true };
      } catch (error) {
        throw new Error(whyGone() ?? (error as Error).message);
      }
    },
    close,
  };
}

interface Way {
  transport: Transport;
  stop(): Promise<void>;
  /** Why there is no one any more; undefined while there is. */
  whyGone(): string | undefined;
}

/** A message that is longer is cut, and what is left of it is no message. */
const maxMessageBytes = 4 * 1024 * 1024;

function overStdio(
  { command, args, env: own }: Extract<McpServer, { via: 'stdio' }>,
  { cwd, env }: Pick<ConnectOptions, 'cwd' | 'env'>,
): Way {
  let running: ReturnType<typeof startServer> | undefined;
  let gone: string | undefined;
  const transport: Transport = {
    async start() {
      const lines = createLineRelay(line => {
        const message = messageIn(line);
        if (message) transport.onmessage?.(message);
      }, maxMessageBytes);
      running = startServer({
        ...{ command, args, cwd, env: { ...env, ...own }, onData: lines.take },
        onEnd(reason) {
          gone = reason;
          transport.onclose?.();
        },
      });
    },
    async send(message) {
      running?.write(serializeMessage(message));
    },
    async close() {
      await running?.stop();
      transport.onclose?.();
    },
  };
  return { transport, stop: async () => running?.stop(), whyGone: () => gone };
}

/** Some servers print more than messages. */
function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}

async function overHttp(
  { url: text, headers }: Extract<McpServer, { via: 'http' }>,
  { reach }: Pick<ConnectOptions, 'reach'>,
): Promise<Way> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Error('its url is not a URL');
  const flaw = urlFlaw(url, reach) ?? (await hostFlaw(url, reach));
  if (flaw !== undefined) throw new Error(flaw);
  // Where a redirect leads no one has looked.
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers, redirect: 'error' } });
  return { transport, stop: async () => {}, whyGone: () => undefined };
}

async function hostFlaw({ hostname, protocol }: URL, reach: Reach): Promise<string | undefined> {
  const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  if (addresses.length === 0) return 'its host is not known';
  return addresses.map(({ address }) => addressFlaw(address, protocol, reach)).find(flaw => flaw !== undefined);
}
