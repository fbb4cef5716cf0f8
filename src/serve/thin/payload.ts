import type { Socket } from 'node:net';

/** As much as the program itself reads. */
const maxBytes = 64 * 1024 * 1024;

/** What comes before NUL and the agreed end; undefined where the connection ends earlier. */
export function readPayload(socket: Socket, end: string): Promise<string | undefined> {
  const mark = Buffer.from(`\0${end}`);
  const chunks: Buffer[] = [];
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  return new Promise(resolve => {
    socket.on('close', () => resolve(undefined));
    const take = (chunk: Buffer): void => {
      // Too much is an error in any case; it need not be kept for that.
      if (size <= maxBytes + mark.length) chunks.push(chunk);
      size += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-mark.length)]).subarray(-mark.length);
      if (!tail.equals(mark)) {
        // The client's last bytes wait in its kernel until these have been acknowledged, which something to send hurries.
        socket.write('\n');
        return;
      }
      socket.off('data', take);
      socket.resume();
      resolve(
        Buffer.concat(chunks)
          .subarray(0, Math.max(0, size - mark.length))
          .toString('utf8'),
      );
    };
    socket.on('data', take);
  });
}
