import { bundleInto, type World } from './program.ts';

/** The program that agents' hook entries call. */
export const bundleHostProgram = async (folder: string): Promise<string> => (await bundleInto(folder)).program;

/** What agents call by themselves runs only hooks that the user has trusted. */
export function trust(world: World): void {
  const { exit, stderr } = world.run(['trust', '--yes']);
  if (exit !== 0) throw new Error(`hookloop trust failed: ${stderr}`);
}
