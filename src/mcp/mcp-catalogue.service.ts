import { Injectable } from '@nestjs/common';
import type { Prompt, Tool } from '@modelcontextprotocol/sdk/types.js';
import { AssistantsService, type RunnableAssistant, toolUse } from '../assistants';
import { isSwitchedOff } from '../completions';
import { AppError, type Caller, decodeCursor, encodeCursor } from '../kernel';
import { type OrganizationRuntime, OrganizationsService } from '../organizations';
import { describe, idOf, nameOf } from './assistant-names';
import { RPC, RpcError } from './rpc.errors';

/** Entries of one page of `tools/list` and `prompts/list`. */
export const PAGE_SIZE = 100;

const QUERY = 'What to ask, in full: nothing else of your conversation is passed on.';

/** Who asks at this door. */
export interface McpVisitor {
  readonly caller: Caller;
  /** True when the client is a run of an assistant, here or elsewhere: what may call others cannot be called by it. */
  readonly nested: boolean;
}

export interface McpPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** The caller's assistants as an MCP client sees them: the set that `GET /v1/models` lists, each by a name that stays. */
@Injectable()
export class McpCatalogue {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** @throws RpcError for a cursor that is none */
  async tools(visitor: McpVisitor, cursor: string | undefined): Promise<McpPage<Tool>> {
    return paged(await this.usable(visitor), cursor, presentTool);
  }

  /** Of those that the caller may edit: a filled prompt shows what they are made of. @throws RpcError */
  async prompts(visitor: McpVisitor, cursor: string | undefined): Promise<McpPage<Prompt>> {
    const usable = await this.usable(visitor);
    return paged(usable.filter(mayReadPrompt), cursor, presentPrompt);
  }

  /** @throws RpcError, the same for what is missing, foreign, invisible or switched off */
  async tool(visitor: McpVisitor, name: string): Promise<RunnableAssistant> {
    const assistant = await this.find(visitor, name);
    if (assistant === null) throw unknown('tool', name);
    return assistant;
  }

  /** @throws RpcError, the same for what the caller may use and not edit */
  async prompt(visitor: McpVisitor, name: string): Promise<RunnableAssistant> {
    const assistant = await this.find(visitor, name);
    if (assistant === null || !mayReadPrompt(assistant)) throw unknown('prompt', name);
    return assistant;
  }

  private async usable({ caller, nested }: McpVisitor): Promise<RunnableAssistant[]> {
    const [assistants, organization] = await Promise.all([
      this.assistants.listRunnable(caller),
      this.organizations.runtime(caller.organizationId),
    ]);
    return assistants.filter((assistant) => isOffered(assistant, organization, nested));
  }

  private async find({ caller, nested }: McpVisitor, name: string): Promise<RunnableAssistant | null> {
    const id = idOf(name);
    if (id === null) return null;
    try {
      const assistant = await this.assistants.runnable(caller, id);
      const organization = await this.organizations.runtime(assistant.organizationId);
      return isOffered(assistant, organization, nested) ? assistant : null;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

/** An assistant that uses tools is nobody's function (as within this service), or two could call each other for ever. */
const isOffered = (assistant: RunnableAssistant, organization: OrganizationRuntime, nested: boolean): boolean =>
  !isSwitchedOff(assistant, organization) && !(nested && toolUse(assistant.document.raw) !== null);

/** ACCESS.md, R3 and R4: templates, system prompts and tool contents are for those who may edit. */
const mayReadPrompt = ({ access }: RunnableAssistant): boolean => access !== 'use';

export const unknown = (what: 'tool' | 'prompt', name: string): RpcError =>
  new RpcError(RPC.invalidParams, `Unknown ${what}: ${name.slice(0, 100)}`);

const presentTool = (assistant: RunnableAssistant): Tool => ({
  name: nameOf(assistant),
  title: assistant.name,
  description: describe(assistant),
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', minLength: 1, description: QUERY } },
    required: ['query'],
    additionalProperties: false,
  },
});

const presentPrompt = (assistant: RunnableAssistant): Prompt => ({
  name: nameOf(assistant),
  title: assistant.name,
  description: describe(assistant),
  arguments: [{ name: 'query', description: 'The question that the prompt is filled for.', required: true }],
});

function paged<T>(
  assistants: readonly RunnableAssistant[],
  cursor: string | undefined,
  present: (assistant: RunnableAssistant) => T,
): McpPage<T> {
  const after = cursor === undefined ? 0 : lastIdOf(cursor);
  const rest = assistants.filter(({ id }) => id > after);
  const page = rest.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return { items: page.map(present), ...(more ? { nextCursor: encodeCursor([last.id]) } : {}) };
}

function lastIdOf(cursor: string): number {
  const [id] = decodeCursor(cursor, 1) ?? [];
  if (typeof id !== 'number') throw new RpcError(RPC.invalidParams, 'Unknown cursor');
  return id;
}
