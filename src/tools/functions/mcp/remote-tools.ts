import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../kernel';
import type { FunctionDeclaration } from '../../contract';
import { cleanLine } from './clean-line';
import { cleanParameters } from './clean-schema';

/** A tool of a server, as declared to the model. */
export interface RemoteTool {
  /** The server's own name for it. */
  readonly name: string;
  readonly declaration: FunctionDeclaration;
}

/** OpenAI API reference, "function": `name`. */
const NAME_CHARS = 64;
const HASH_CHARS = 8;
/** MCP specification, "Tool Names". */
const TOOL_NAME_CHARS = 128;
const DESCRIPTION_CHARS = 600;

/**
 * `mcp_{server}_{tool}`, unique per server and tool. Names that vendors refuse are shortened and end in a hash of the
 * original. Server names hold no underscore, so names of two servers never collide.
 */
export function functionName(server: string, tool: string): string {
  const prefix = `mcp_${server}_`;
  const plain = tool.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  if (plain === tool && prefix.length + tool.length <= NAME_CHARS) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARS);
  return `${prefix}${plain.slice(0, NAME_CHARS - prefix.length - HASH_CHARS - 1)}_${hash}`;
}

/** The tools of a server's `tools/list`, cleaned; malformed, unusable and repeated ones are left out. */
export function readTools(server: string, listed: readonly unknown[]): RemoteTool[] {
  const tools = new Map<string, RemoteTool>();
  for (const each of listed) {
    const tool = readTool(server, each);
    if (tool !== null && !tools.has(tool.declaration.name)) tools.set(tool.declaration.name, tool);
  }
  return [...tools.values()];
}

function readTool(server: string, listed: unknown): RemoteTool | null {
  const { name, description, inputSchema }: JsonObject = isJsonObject(listed) ? listed : {};
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_CHARS || !name.isWellFormed()) return null;
  const parameters = cleanParameters(inputSchema);
  if (parameters === null) return null;
  const text = typeof description === 'string' ? cleanLine(description, DESCRIPTION_CHARS) : '';
  return {
    name,
    declaration: {
      name: functionName(server, name),
      // Attributes the text to the server, because the model must not take it for our instructions.
      description: `Tool of the external server "${server}". Its own description: ${text === '' ? 'none' : text}`,
      parameters,
    },
  };
}
