import { type Caller, decodeCursor, pageOf, strictObject, orNull } from '@bellwether/kernel';
import type { Prompt, Tool } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { running } from '../../src/answering';
import { AssistantsService, type RunnableAssistant, toolUse } from '../../src/assistants';
import { OrganizationsService } from '../../src/organizations';
import { RPC, RpcError } from './rpc.errors';

const NAME = /^assistant_([1-9]\d{0,9})$/;
/** Ids are `integer` columns. */
const MAX_ID = 2_147_483_647;
const DESCRIPTION_CHARS = 1_000;

/** Name of an assistant's tool and prompt: it stays when the assistant is renamed (MCP specification, "Tool Names"). */
const nameOf = ({ id }: Pick<RunnableAssistant, 'id'>): string => `assistant_${id}`;

/** Id behind a name, or null for what can be none. */
function idOf(name: string): number | null {
  const id = Number(NAME.exec(name)?.[1] ?? 0);
  return id < 1 || id > MAX_ID ? null : id;
}

/** Description for the client's model, which chooses by it. */
function describe({ name, description }: Pick<RunnableAssistant, 'name' | 'description'>): string {
  const text = description.trim() === '' ? name : `${name}: ${description.trim()}`;
  return text.slice(0, DESCRIPTION_CHARS).toWellFormed();
}

/** Entries of one page of `tools/list` and `prompts/list`. */
export const PAGE_SIZE = 100;

const QUERY = 'What to ask, in full: nothing else of your conversation is passed on.';

/** The caller of this API. */
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
    return this.page(visitor, cursor, { accept: () => true, present: presentTool });
  }

  /** Only assistants whose prompts the caller may read. @throws RpcError */
  async prompts(visitor: McpVisitor, cursor: string | undefined): Promise<McpPage<Prompt>> {
    return this.page(visitor, cursor, { accept: mayReadPrompt, present: presentPrompt });
  }

  /** @throws RpcError, the same for what is missing, foreign, invisible or switched off */
  async tool(visitor: McpVisitor, name: string): Promise<RunnableAssistant> {
    const assistant = await this.find(visitor, name);
    if (assistant === null) throw unknown('tool', name);
    return assistant;
  }

  /** @throws RpcError, the same for an assistant whose prompt the caller may not read */
  async prompt(visitor: McpVisitor, name: string): Promise<RunnableAssistant> {
    const assistant = await this.find(visitor, name);
    if (assistant === null || !mayReadPrompt(assistant)) throw unknown('prompt', name);
    return assistant;
  }

  private async page<T>(
    { caller, nested }: McpVisitor,
    cursor: string | undefined,
    { accept, present }: { accept: (assistant: RunnableAssistant) => boolean; present: (a: RunnableAssistant) => T },
  ): Promise<McpPage<T>> {
    const after = cursor === undefined ? 0 : lastIdOf(cursor);
    const found = await this.assistants.someRunnable(
      caller,
      async (assistants) => (await this.offered(assistants, nested)).filter(accept),
      { after, count: PAGE_SIZE + 1 },
    );
    const { items, next_cursor } = pageOf(found, PAGE_SIZE, ({ id }) => id);
    return { items: items.map(present), ...(next_cursor === null ? {} : { nextCursor: next_cursor }) };
  }

  private async find({ caller, nested }: McpVisitor, name: string): Promise<RunnableAssistant | null> {
    const id = idOf(name);
    if (id === null) return null;
    return orNull('not_found', async () => {
      const [assistant] = await this.offered([await this.assistants.runnable(caller, id)], nested);
      return assistant ?? null;
    });
  }

  /** An assistant that uses tools is not offered to another one, or two could call each other endlessly. */
  private async offered(assistants: readonly RunnableAssistant[], nested: boolean): Promise<RunnableAssistant[]> {
    const answering = (await running(assistants, this.organizations)).map(({ assistant }) => assistant);
    return nested ? answering.filter(({ document }) => toolUse(document.raw) === null) : answering;
  }
}

const mayReadPrompt = ({ disclosure }: RunnableAssistant): boolean => disclosure !== 'none';

export const unknown = (what: 'tool' | 'prompt', name: string): RpcError =>
  new RpcError(RPC.invalidParams, `Unknown ${what}: ${name.slice(0, 100)}`);

const presentTool = (assistant: RunnableAssistant): Tool => ({
  name: nameOf(assistant),
  title: assistant.name,
  description: describe(assistant),
  inputSchema: strictObject({ query: { type: 'string', minLength: 1, description: QUERY } }),
});

const presentPrompt = (assistant: RunnableAssistant): Prompt => ({
  name: nameOf(assistant),
  title: assistant.name,
  description: describe(assistant),
  arguments: [{ name: 'query', description: 'The question that the prompt is filled for.', required: true }],
});

function lastIdOf(cursor: string): number {
  const [id] = decodeCursor(cursor, 1) ?? [];
  if (typeof id !== 'number') throw new RpcError(RPC.invalidParams, 'Unknown cursor');
  return id;
}
