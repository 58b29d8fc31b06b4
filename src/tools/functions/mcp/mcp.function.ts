import { AppError, type JsonObject, type Principal, isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { OutboundClient } from '../../../infrastructure/outbound';
import { type McpServerRuntime, OrganizationsService } from '../../../organizations';
import {
  type ConfigGap,
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type OfferContext,
  type ToolDefinition,
  ToolFailure,
} from '../../contract';
import { cleanText, cutText } from '../../read-output';
import { type RemoteTool, ToolListings, connected } from './remote-tools';
import type { Outbound } from './server-connection';

/** UTF-16 units; the invoker cuts again at its own limit. */
const MAX_CHARS = 60_000;
const MAX_PARTS = 100;
const LABEL_CHARS = 300;

/** The result of a remote tool as text for a model. Images, audio and files are named, not included. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const parts = Array.isArray(content) ? content.slice(0, MAX_PARTS).map(textOfPart) : [];
  const texts = parts.filter((text) => text !== '');
  if (texts.length === 0 && isJsonObject(structuredContent)) texts.push(JSON.stringify(structuredContent));
  return cleanText(cutText(texts.join('\n\n'), MAX_CHARS));
}

function textOfPart(part: unknown): string {
  if (!isJsonObject(part)) return '';
  switch (part['type']) {
    case 'text':
      return textIn(part['text']) ?? '';
    case 'resource':
      return textOfResource(part['resource']);
    case 'resource_link':
      return `[resource ${label(part['name'])} ${label(part['uri'])}]`;
    case 'image':
    case 'audio':
      return `[${part['type']} ${label(part['mimeType'])}]`;
    default:
      return '';
  }
}

function textOfResource(resource: unknown): string {
  if (!isJsonObject(resource)) return '';
  return textIn(resource['text']) ?? `[resource ${label(resource['uri'])} ${label(resource['mimeType'])}]`;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? cutText(value, MAX_CHARS) : null);

const label = (value: unknown): string => (typeof value === 'string' ? cutText(value, LABEL_CHARS) : 'unnamed');

export interface McpConfig extends JsonObject {
  /** Name of a server in the organization's settings; empty while none is chosen. */
  readonly server: string;
  /** Tools to offer, by the server's names; all when absent. */
  readonly tools?: readonly string[];
}

const PROGRESS_MS = 500;

/** Offers the tools of an MCP server that an administrator of the organization enabled. They run on that server. */
@Injectable()
export class McpFunction implements FunctionPlugin<McpConfig> {
  readonly definition = DEFINITION;
  private readonly listings: ToolListings;

  constructor(
    @Inject(OutboundClient) private readonly outbound: Outbound,
    @Inject(OrganizationsService) private readonly organizations: Pick<OrganizationsService, 'runtime'>,
  ) {
    this.listings = new ToolListings(outbound);
  }

  async offer(config: McpConfig, { owner, signal }: OfferContext): Promise<readonly FunctionDeclaration[]> {
    const tools = await this.chosen(config, owner, signal);
    return tools.map(({ declaration }) => declaration);
  }

  async call(name: string, args: JsonObject, config: McpConfig, context: FunctionContext): Promise<FunctionOutput> {
    const { owner, signal } = context;
    const server = await this.serverOf(config, owner);
    const tools = await this.chosen(config, owner, signal);
    const tool = tools.find(({ declaration }) => declaration.name === name);
    if (server === null || tool === undefined) throw new ToolFailure('tool.unavailable', 'tool_unavailable');
    const result = await this.result(server, tool, args, context);
    if (result['isError'] === true) throw new ToolFailure('tool.failed', `the tool of ${server.name} reports an error`);
    return { content: resultText(result) };
  }

  async gaps({ server }: McpConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    if (server === '') return [{ path: 'server', message: 'a server must be chosen', code: 'tool.config_incomplete' }];
    if ((await this.serverNamed(server, owner)) !== null) return [];
    const message = `there is no enabled MCP server called ${server} in this organization`;
    return [{ path: 'server', message, code: 'tool.inaccessible' }];
  }

  private async result(
    server: McpServerRuntime,
    { name }: RemoteTool,
    args: JsonObject,
    { signal, progress }: FunctionContext,
  ): Promise<JsonObject> {
    let lastTold = -Infinity;
    const onprogress = ({ progress: done, total }: { progress: number; total?: number }): void => {
      const now = performance.now();
      if (now - lastTold < PROGRESS_MS) return;
      lastTold = now;
      // Numbers only: the server's texts are untrusted.
      progress(`${server.name}: ${total === undefined ? done : `${done} of ${total}`}`);
    };
    try {
      return await connected(server, this.outbound, signal, (connection) =>
        connection.request({ method: 'tools/call', params: { name, arguments: args } }, { signal, onprogress }),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, server.name);
    }
  }

  private async chosen(config: McpConfig, owner: Principal, signal: AbortSignal): Promise<readonly RemoteTool[]> {
    const server = await this.serverOf(config, owner);
    if (server === null) return [];
    const tools = await this.listings.toolsOf(owner.organizationId, server, signal);
    const wanted = config.tools === undefined ? null : new Set(config.tools);
    return wanted === null ? tools : tools.filter(({ name }) => wanted.has(name));
  }

  private serverOf({ server }: McpConfig, owner: Principal): Promise<McpServerRuntime | null> {
    return server === '' ? Promise.resolve(null) : this.serverNamed(server, owner);
  }

  private async serverNamed(name: string, { organizationId }: Principal): Promise<McpServerRuntime | null> {
    const { mcpServers, features } = await this.organizations.runtime(organizationId);
    return features.functions ? (mcpServers.get(name) ?? null) : null;
  }
}

/** Names the kind of failure, without any text of the server. */
function failureOf(error: unknown, server: string): ToolFailure {
  // The SDK is loaded for a call only, so its class cannot be asked here.
  if (error instanceof Error && error.name === 'McpError' && 'code' in error)
    return new ToolFailure('tool.failed', `${server} refused the call (${String(error.code)})`);
  if (error instanceof AppError && error.code === 'upstream_timeout')
    return new ToolFailure('tool.timeout', `${server} did not answer in time`);
  if (error instanceof AppError && error.code === 'upstream_bad_response')
    return new ToolFailure('tool.failed', `${server} gave an answer that cannot be used`);
  return new ToolFailure('tool.failed', `${server} cannot be reached now`);
}

const DEFINITION: ToolDefinition = {
  name: 'mcp',
  aliases: [],
  display_name: 'MCP server',
  description: 'Lets the model call the tools of an MCP server that the organization has enabled.',
  texts: {
    es: {
      name: 'Servidor MCP',
      about: 'El modelo puede usar las herramientas de un servidor MCP que la organización ha activado.',
    },
    ca: {
      name: 'Servidor MCP',
      about: 'El model pot fer servir les eines d’un servidor MCP que l’organització ha activat.',
    },
    eu: { name: 'MCP zerbitzaria', about: 'Ereduak erakundeak gaitutako MCP zerbitzari baten tresnak erabil ditzake.' },
  },
  placeholder: null,
  category: 'integrations',
  version: '1.0.0',
  kind: 'function',
  icon: 'plug',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      server: {
        type: 'string',
        title: 'Server',
        description: "Name of a server in the organization's settings.",
        pattern: '^([a-z][a-z0-9-]{0,23})?$',
        default: '',
      },
      tools: {
        type: 'array',
        title: 'Tools',
        description: 'Tools to offer, by the names that the server gives them. Without this list, all are offered.',
        items: { type: 'string', minLength: 1, maxLength: 128 },
        maxItems: 128,
        uniqueItems: true,
      },
    },
    additionalProperties: false,
  },
  parameters: {},
  examples: [
    {
      query: 'Is the book available in the library?',
      parameters: { server: 'library', tools: ['find_book'] },
      expected_result: 'The model calls mcp_library_find_book and answers with what the library says.',
    },
  ],
  capabilities: ['external_tools'],
  limitations: [
    'Off until an administrator of the organization enables the server',
    'Descriptions and results are untrusted text: they are shortened and cleaned',
    'Pictures, sounds and files in results are named, not passed on',
  ],
  cost: { unit: 'request', estimate: 1 },
};
