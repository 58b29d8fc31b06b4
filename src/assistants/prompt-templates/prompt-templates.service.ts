import { Injectable } from '@nestjs/common';
import {
  AppError,
  assertCurrent,
  type Caller,
  decodeCursor,
  encodeCursor,
  isUuid,
  notFound,
  type Page,
  type PageRequest,
  staleVersion,
  uuidv7,
} from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { AuditLog } from '../../platform/audit';
import { Transactions } from '../../platform/database';
import type { AssistantType } from '../assistant.types';
import type {
  CreatePromptTemplateDto,
  PromptTemplateDto,
  PromptTemplateQueryDto,
  UpdatePromptTemplateDto,
} from './prompt-template.dto';
import type { PromptTemplateEntity } from './prompt-template.entity';
import { PromptTemplateRepository, type PromptTemplateScope } from './prompt-template.repository';
import { type Starter, STARTERS } from './starters';

type Changes = Partial<
  Pick<PromptTemplateEntity, 'name' | 'type' | 'description' | 'systemPrompt' | 'promptTemplate' | 'shared'>
>;

interface Change {
  readonly verb: string;
  readonly changes: Changes;
  /** null: whatever is current. */
  readonly expected: number | null;
}

/** Prompts to begin an assistant with: the caller's own, those shared in the organization, and the built-in starters. */
@Injectable()
export class PromptTemplatesService {
  constructor(
    private readonly templates: PromptTemplateRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  starters(request: PageRequest): Page<PromptTemplateDto> {
    const { items, next_cursor } = starterPage(STARTERS, starterCursor(request.cursor) ?? 0, request.limit);
    return { items, next_cursor, total: STARTERS.length };
  }

  /** Stored templates newest first, then the starters. */
  async list(caller: Caller, query: PromptTemplateQueryDto, request: PageRequest): Promise<Page<PromptTemplateDto>> {
    const filter = {
      viewerId: caller.userId,
      mine: query.owner === 'me',
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.q === undefined || query.q === '' ? {} : { text: query.q }),
    };
    const starters = filter.mine ? [] : startersLike(filter.type, filter.text);
    const reached = starterCursor(request.cursor);
    const stored = await this.templates
      .within(caller.organizationId)
      .page(filter, reached === null ? request : { limit: 0, cursor: null });
    const items = reached === null ? stored.items.map(present) : [];
    const total = stored.total + starters.length;
    if (reached === null && stored.next_cursor !== null) return { items, total, next_cursor: stored.next_cursor };
    const rest = starterPage(starters, reached ?? 0, request.limit - items.length);
    return { items: [...items, ...rest.items], total, next_cursor: rest.next_cursor };
  }

  async get(caller: Caller, id: string): Promise<PromptTemplateDto> {
    const starter = STARTERS.find((each) => each.id === id);
    return starter === undefined ? present(await this.readable(caller, id)) : presentStarter(starter);
  }

  create(caller: Caller, input: CreatePromptTemplateDto): Promise<PromptTemplateDto> {
    return this.insert(caller, 'create', {
      name: input.name,
      type: input.type ?? 'classic',
      description: input.description ?? '',
      systemPrompt: input.system_prompt ?? '',
      promptTemplate: input.prompt_template ?? '',
    });
  }

  /** A private copy of anything the caller can read, starters included. */
  async duplicate(caller: Caller, id: string): Promise<PromptTemplateDto> {
    const source = await this.get(caller, id);
    return this.insert(caller, 'duplicate', {
      name: source.builtin ? source.name : `Copy of ${source.name}`.slice(0, 200).toWellFormed(),
      type: source.type,
      description: source.description,
      systemPrompt: source.system_prompt,
      promptTemplate: source.prompt_template,
    });
  }

  /**
   * `expected` null takes whatever is current. Saving what is already there makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is no longer current.
   */
  update(
    caller: Caller,
    id: string,
    input: UpdatePromptTemplateDto,
    expected: number | null,
  ): Promise<PromptTemplateDto> {
    const changes = {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.type === undefined ? {} : { type: input.type }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.system_prompt === undefined ? {} : { systemPrompt: input.system_prompt }),
      ...(input.prompt_template === undefined ? {} : { promptTemplate: input.prompt_template }),
    };
    return this.change(caller, id, { verb: 'update', changes, expected });
  }

  /** @throws {AppError} `feature_disabled` where sharing is switched off. */
  async share(caller: Caller, id: string, shared: boolean): Promise<PromptTemplateDto> {
    const { features } = await this.organizations.runtime(caller.organizationId);
    if (shared && !features.sharing)
      throw new AppError('feature_disabled', 'Sharing is switched off in this organization');
    const verb = shared ? 'share' : 'unshare';
    return this.change(caller, id, { verb, changes: { shared }, expected: null });
  }

  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    await this.assertCurrent(caller, id, expected);
    await this.transactions.run(async (tx) => {
      const scope = this.templates.within(caller.organizationId, tx);
      const row = await owned(caller, id, scope);
      assertCurrent(expected, row.version);
      if (!(await scope.removeVersion(row))) throw staleVersion();
      const target = { type: 'prompt_template', id };
      await this.audit.record({ caller, action: 'prompt_template.delete', target, before: { name: row.name } }, tx);
    });
  }

  private async insert(
    caller: Caller,
    verb: string,
    values: Pick<PromptTemplateEntity, 'name' | 'type' | 'description' | 'systemPrompt' | 'promptTemplate'>,
  ): Promise<PromptTemplateDto> {
    const id = uuidv7();
    await this.transactions.run(async (tx) => {
      await this.templates.within(caller.organizationId, tx).insert({ ...values, id, ownerId: caller.userId });
      const target = { type: 'prompt_template', id };
      await this.audit.record({ caller, action: `prompt_template.${verb}`, target, after: values }, tx);
    });
    return this.get(caller, id);
  }

  private async change(caller: Caller, id: string, { verb, changes, expected }: Change): Promise<PromptTemplateDto> {
    await this.assertCurrent(caller, id, expected);
    return this.transactions.run(async (tx) => {
      const scope = this.templates.within(caller.organizationId, tx);
      const row = await owned(caller, id, scope);
      assertCurrent(expected, row.version);
      const after = Object.fromEntries(
        Object.entries(changes).filter(([member, value]) => row[member as keyof Changes] !== value),
      );
      if (Object.keys(after).length === 0) return present(row);
      if (!(await scope.advance(row, after))) throw staleVersion();
      const target = { type: 'prompt_template', id };
      await this.audit.record({ caller, action: `prompt_template.${verb}`, target, after }, tx);
      return present((await scope.find(id)) ?? row);
    });
  }

  /** Who is too late is told so without waiting for the row; who is not is judged again with it. */
  private async assertCurrent(caller: Caller, id: string, expected: number | null): Promise<void> {
    if (expected === null || !isUuid(id)) return;
    const row = await this.templates.within(caller.organizationId).find(id);
    if (row?.ownerId === caller.userId) assertCurrent(expected, row.version);
  }

  private async readable(caller: Caller, id: string): Promise<PromptTemplateEntity> {
    return seenBy(caller, isUuid(id) ? await this.templates.within(caller.organizationId).find(id) : null);
  }
}

function seenBy(caller: Caller, row: PromptTemplateEntity | null): PromptTemplateEntity {
  if (row === null || (row.ownerId !== caller.userId && !row.shared)) throw notFound('Prompt template');
  return row;
}

/** Nobody else changes it until the transaction of the scope ends. */
async function owned(caller: Caller, id: string, scope: PromptTemplateScope): Promise<PromptTemplateEntity> {
  if (STARTERS.some((starter) => starter.id === id))
    throw new AppError('forbidden', 'Built-in starters cannot be changed; duplicate it first');
  const row = seenBy(caller, isUuid(id) ? await scope.lock(id) : null);
  if (row.ownerId !== caller.userId) throw new AppError('forbidden', 'Only the owner may change a shared template');
  return row;
}

const STARTER_CURSOR = 'starters';

/** Position among the starters, or null while the stored templates are not through. */
function starterCursor(cursor: string | null): number | null {
  const [mark, position] = (cursor === null ? null : decodeCursor(cursor, 2)) ?? [];
  return mark === STARTER_CURSOR && Number.isSafeInteger(position) ? Math.max(0, position as number) : null;
}

const startersLike = (type: AssistantType | undefined, text = ''): Starter[] =>
  STARTERS.filter(
    (starter) =>
      (type === undefined || starter.type === type) &&
      `${starter.name}\n${starter.description}`.toLowerCase().includes(text.toLowerCase()),
  );

function starterPage(
  starters: readonly Starter[],
  from: number,
  limit: number,
): Pick<Page<PromptTemplateDto>, 'items' | 'next_cursor'> {
  const end = from + limit;
  return {
    items: starters.slice(from, end).map(presentStarter),
    next_cursor: end < starters.length ? encodeCursor([STARTER_CURSOR, end]) : null,
  };
}

const presentStarter = (starter: Starter): PromptTemplateDto => ({
  ...starter,
  shared: true,
  builtin: true,
  owner_id: null,
  version: 1,
  created_at: null,
  updated_at: null,
});

const present = (row: PromptTemplateEntity): PromptTemplateDto => ({
  id: row.id,
  type: row.type,
  name: row.name,
  description: row.description,
  system_prompt: row.systemPrompt,
  prompt_template: row.promptTemplate,
  shared: row.shared,
  builtin: false,
  owner_id: row.ownerId,
  version: row.version,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
