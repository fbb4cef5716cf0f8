import type { ModelProtocol, ToolUse } from '../../../src/hosts/doctor/model-server.ts';

/** A real agent, and what must be known of it to script its model. */
export interface RealAgent {
  /** Its preset. */
  name: string;
  protocol: ModelProtocol;
  /** Files of its home, by path. */
  files(modelUrl: string): Readonly<Record<string, string>>;
  env(modelUrl: string): Readonly<Record<string, string>>;
  /** How its model calls the shell. */
  shell(command: string): ToolUse;
  /** How its model writes a new file; the path is absolute. */
  write(path: string, content: string): ToolUse;
  /** How its model reads a file, for which the agent asks no one; the path is absolute. */
  read(path: string): ToolUse;
  /** What it does with its turn in a loop when that is refused. */
  readRefusal: 'goes-on' | 'ends';
  /** Without hooks of its own it asks no one about edits inside the project. */
  editsUnasked?: true;
  /** How its model calls a tool of an MCP server. */
  mcp(server: string, tool: string, args: Readonly<Record<string, unknown>>): ToolUse;
  /** Makes its conversations look older than they are, where their age matters. */
  age?(home: string): void;
  /** What it does with its turn when a call is refused over the protocol. */
  afterRefusal: 'goes-on' | 'ends' | 'cancels';
  /** In a loop its own hooks ask first, and a refusal there is one more result for its model. */
  ownHooksAskFirst?: true;
}
