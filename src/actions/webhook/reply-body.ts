import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The beginning of what a receiver answered. */
export interface ReplyBody {
  text: string;
  /** Read and decoded; `cut` says why there may have been more. */
  bytes: number;
  cut?: 'long' | 'broken';
}

const maxBytes = 64 * 1024;

/** Reads at most 64 KiB of the decoded body, until the signal is aborted: the status has said what matters. */
export async function readBody(body: Readable, encoding: string | undefined, signal: AbortSignal): Promise<ReplyBody> {
  const decoded = decode(body, encoding);
  const stop = (): void => void body.destroy(new Error('not read to its end'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let cut: ReplyBody['cut'];
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      bytes = Math.min(maxBytes, bytes + chunk.length);
      if (bytes === maxBytes) {
        cut = 'long';
        break;
      }
    }
  } catch {
    cut = 'broken';
  } finally {
    signal.removeEventListener('abort', stop);
    body.destroy();
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { text, bytes, ...(cut !== undefined && { cut }) };
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

function decode(body: Readable, encoding: string | undefined): Readable {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (!Object.hasOwn(decoders, name)) return body;
  // Whoever reads the decoder hears of errors on either side.
  return pipeline(body, decoders[name as keyof typeof decoders](), () => {});
}
