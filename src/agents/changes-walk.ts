import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isQuiet, type Listing, listing, type Signature, toSignature } from './changes-listing.ts';

const maxFiles = 20_000;
const maxDepth = 16;

/** Every file under the root, by the times the file system keeps. Links are not followed. */
export async function walk(root: string): Promise<Listing> {
  const files = new Map<string, Signature>();
  let isWhole = true;
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > maxDepth || files.size >= maxFiles) {
      isWhole = false;
      return;
    }
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    const inside = entries.filter(entry => !isQuiet(entry.name));
    await Promise.all(
      inside
        .filter(entry => !entry.isDirectory())
        .map(async ({ name }) => {
          const path = join(folder, name);
          const stats = await lstat(join(root, path)).catch(() => undefined);
          if (stats) files.set(path, toSignature(stats, join(root, path)));
        }),
    );
    for (const entry of inside) if (entry.isDirectory()) await visit(join(folder, entry.name), depth + 1);
  };
  await visit('', 0);
  return listing(files, isWhole);
}
