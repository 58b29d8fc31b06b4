import {
  AppError,
  type Caller,
  type CamelCased,
  type Page,
  type PageRequest,
  camelCased,
  decodeCursor,
  encodeCursor,
  isUuid,
  notFound,
  snakeCased,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog, type VersionedRequest, VersionedResource } from '../../infrastructure/audit';
import { TableImport, Transactions } from '../../infrastructure/database';
import { OrganizationsService } from '../../organizations';
import type { AssistantType } from '../definition';
import type {
  CreatePromptTemplateDto,
  PromptTemplateDto,
  PromptTemplateQueryDto,
  UpdatePromptTemplateDto,
} from './prompt-template.dto';
import { PromptTemplateEntity } from './prompt-template.entity';
import { PromptTemplateRepository } from './prompt-template.repository';

export type ImportedPromptTemplate = Readonly<
  Pick<PromptTemplateEntity, 'ownerId' | 'type' | 'name' | 'description' | 'systemPrompt' | 'promptTemplate' | 'shared'>
>;

@Injectable()
export class PromptTemplateImport extends TableImport<PromptTemplateEntity, ImportedPromptTemplate> {
  constructor() {
    super({
      entity: PromptTemplateEntity,
      idColumn: 'id',
      keyColumns: ['ownerId', 'name'],
      isVersioned: true,
      toRow: (value) => value,
      toValue: ({ ownerId, type, name, description, systemPrompt, promptTemplate, shared }) => ({
        ownerId,
        type,
        name,
        description,
        systemPrompt,
        promptTemplate,
        shared,
      }),
    });
  }
}

interface Starter {
  readonly id: string;
  readonly type: AssistantType;
  readonly name: string;
  readonly description: string;
  readonly system_prompt: string;
  readonly prompt_template: string;
}

/** Built-in templates. Their ids are words, so they never equal the UUID of a stored template. */
const STARTERS: readonly Starter[] = [
  {
    id: 'starter-plain',
    type: 'classic',
    name: 'Plain tutor',
    description: 'No sources: the model answers from what it knows.',
    system_prompt: 'You are a patient tutor. Explain step by step and ask back when a question is unclear.',
    prompt_template: 'Question of the student:\n\n{user_input}\n\nAnswer briefly and name what to read next.',
  },
  {
    id: 'starter-course-qa',
    type: 'classic',
    name: 'Course questions and answers',
    description: 'Answers from the knowledge bases of a course.',
    system_prompt: 'You answer questions about a university course. Say so when the material does not hold the answer.',
    prompt_template:
      'Course material:\n\n{context}\n\nQuestion of the student:\n\n{user_input}\n\nAnswer from the course material only and name the source.',
  },
  {
    id: 'starter-essay-feedback',
    type: 'multi_tool',
    name: 'Essay feedback',
    description: 'Course material and a rubric: feedback by criterion.',
    system_prompt:
      'You give feedback on student essays. Be kind and concrete, quote the passage you speak of, and never rewrite the essay.',
    prompt_template:
      'Course material:\n\n{1_context}\n\nRubric:\n\n{2_rubric}\n\nText of the student:\n\n{user_input}\n\nGive feedback criterion by criterion, then the one thing to improve first.',
  },
  {
    id: 'starter-research-desk',
    type: 'multi_tool',
    name: 'Research desk',
    description: 'Two knowledge bases side by side.',
    system_prompt: 'You compare sources. Keep apart what each says, and point out where they disagree.',
    prompt_template:
      'First collection:\n\n{1_context}\n\nSecond collection:\n\n{2_context}\n\nQuestion:\n\n{user_input}\n\nAnswer with references to both collections.',
  },
  {
    id: 'starter-document-guide',
    type: 'multi_tool',
    name: 'Document guide',
    description: 'One file, such as an assignment or a lab manual, beside the course material.',
    system_prompt: 'You help students to work with a document. Refer to its sections by name.',
    prompt_template:
      'Document:\n\n{1_file}\n\nCourse material:\n\n{2_context}\n\nQuestion of the student:\n\n{user_input}',
  },
];

type Changes = Partial<CamelCased<CreatePromptTemplateDto> & Pick<PromptTemplateEntity, 'shared'>>;

const EMPTY = { type: 'classic', description: '', systemPrompt: '', promptTemplate: '' } as const;

/** Templates for new assistants: the caller's own, shared ones, and the built-in starters. */
@Injectable()
export class PromptTemplatesService {
  private readonly versions: VersionedResource<PromptTemplateEntity>;

  constructor(
    private readonly templates: PromptTemplateRepository,
    private readonly organizations: OrganizationsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {
    this.versions = new VersionedResource(transactions, audit, {
      type: 'prompt_template',
      label: 'Prompt template',
      within: (caller, tx) => templates.within(caller.organizationId, tx),
      assertMayChange: assertOwns,
    });
  }

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
    return this.insert(caller, 'create', input);
  }

  /** A private copy of anything the caller can read, starters included. */
  async duplicate(caller: Caller, id: string): Promise<PromptTemplateDto> {
    const { builtin, name, type, description, system_prompt, prompt_template } = await this.get(caller, id);
    const copy = builtin ? name : `Copy of ${name}`.slice(0, 200).toWellFormed();
    return this.insert(caller, 'duplicate', { name: copy, type, description, system_prompt, prompt_template });
  }

  /**
   * `expected` null accepts any version. Saving unchanged values makes no version.
   * @throws {AppError} `precondition_failed` when `expected` is not current
   */
  update(
    caller: Caller,
    id: string,
    input: UpdatePromptTemplateDto,
    expected: number | null,
  ): Promise<PromptTemplateDto> {
    return this.change({ caller, id, expected }, 'update', camelCased(input));
  }

  /** @throws {AppError} `feature_disabled` where sharing is switched off. */
  async share(caller: Caller, id: string, shared: boolean): Promise<PromptTemplateDto> {
    const { features } = await this.organizations.runtime(caller.organizationId);
    if (shared && !features.sharing)
      throw new AppError('feature_disabled', 'Sharing is switched off in this organization');
    const verb = shared ? 'share' : 'unshare';
    return this.change({ caller, id, expected: null }, verb, { shared });
  }

  async remove(caller: Caller, id: string, expected: number | null): Promise<void> {
    assertStored(id);
    await this.versions.remove({ caller, id, expected }, ({ name }) => ({ name }));
  }

  private async insert(caller: Caller, verb: string, input: CreatePromptTemplateDto): Promise<PromptTemplateDto> {
    const values = { ...EMPTY, ...camelCased(input) };
    const id = await this.transactions.once('prompt_template.create', async (tx) => {
      const id = uuidv7();
      await this.templates.within(caller.organizationId, tx).insert({ ...values, id, ownerId: caller.userId });
      const target = { type: 'prompt_template', id };
      await this.audit.record({ caller, action: `prompt_template.${verb}`, target, after: audited(values) }, tx);
      return id;
    });
    return this.get(caller, id);
  }

  private async change(
    request: VersionedRequest,
    verb: 'update' | 'share' | 'unshare',
    changes: Changes,
  ): Promise<PromptTemplateDto> {
    assertStored(request.id);
    const row = await this.versions.change(request, verb, (row) => {
      const changed = Object.entries(changes).filter(([member, value]) => row[member as keyof Changes] !== value);
      const values = Object.fromEntries(changed);
      return changed.length === 0 ? null : { values, after: audited(values) };
    });
    return present(row);
  }

  private async readable(caller: Caller, id: string): Promise<PromptTemplateEntity> {
    return seenBy(caller, isUuid(id) ? await this.templates.within(caller.organizationId).find(id) : null);
  }
}

/** Administrators read the audit log, and no private templates: it has the lengths of their texts. */
const audited = ({ systemPrompt, promptTemplate, ...values }: Changes): object => ({
  ...values,
  ...(systemPrompt === undefined ? {} : { systemPromptChars: systemPrompt.length }),
  ...(promptTemplate === undefined ? {} : { promptTemplateChars: promptTemplate.length }),
});

function seenBy(caller: Caller, row: PromptTemplateEntity | null): PromptTemplateEntity {
  if (row === null || (row.ownerId !== caller.userId && !row.shared)) throw notFound('Prompt template');
  return row;
}

function assertStored(id: string): void {
  if (STARTERS.some((starter) => starter.id === id))
    throw new AppError('forbidden', 'Built-in starters cannot be changed; duplicate it first', {
      reason: 'template.built_in',
    });
}

function assertOwns(caller: Caller, row: PromptTemplateEntity): void {
  if (seenBy(caller, row).ownerId !== caller.userId)
    throw new AppError('forbidden', 'Only the owner may change a shared template', { reason: 'template.owner_only' });
}

const STARTER_CURSOR = 'starters';

/** Position among the starters; null before the stored templates are exhausted. */
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

const present = ({ organizationId: _, ...row }: PromptTemplateEntity): PromptTemplateDto => ({
  ...snakeCased(row),
  builtin: false,
});
