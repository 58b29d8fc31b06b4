import { type Awaitable, type Caller, after, invalid, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { FreshCache } from '../../infrastructure/cache';
import type { RunnableAssistant } from '../access/assistant.types';
import { type AssistantAlias, AssistantAliasRepository } from '../storage/assistant-alias.repository';
import { AssistantRepository } from '../storage/assistant.repository';
import { AssistantChanges } from './public-assistants';
import { RunnableAssistants } from './runnable-assistants';

const MAX_AGE_MS = 5_000;
const MAX_ORGANIZATIONS = 1_000;
const MAX_NAMES = 5_000;

/** An assistant by its id here or its number at any source, by its number at one source, or by its name. */
export type AssistantReference =
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'alias'; readonly source: string; readonly number: number }
  | { readonly kind: 'name'; readonly name: string };

interface Aliases {
  readonly organizationId: string;
  /** Aliases with one number. */
  readonly rows: readonly AssistantAlias[];
}

interface Named {
  readonly organizationId: string;
  readonly ids: readonly number[];
}

/** Finds assistants by the numbers of their sources and by their names, among those that a caller may use. */
@Injectable()
export class AssistantNames {
  /** Whether an organization has aliases. Most have imported nothing and need no statement for a number. */
  private readonly imported = new FreshCache<string, boolean>({
    maxAge: MAX_AGE_MS,
    max: MAX_ORGANIZATIONS,
    load: (organizationId) => this.repository.exist(organizationId),
  });
  private readonly aliases = new FreshCache<string, Aliases>({
    maxAge: MAX_AGE_MS,
    max: MAX_NAMES,
    load: (key) => this.loadAliases(key),
  });
  private readonly named = new FreshCache<string, Named>({
    maxAge: MAX_AGE_MS,
    max: MAX_NAMES,
    load: (key) => this.loadNamed(key),
  });

  constructor(
    private readonly runnables: RunnableAssistants,
    private readonly assistants: AssistantRepository,
    private readonly repository: AssistantAliasRepository,
    changes: AssistantChanges,
  ) {
    changes.on({
      assistant: (organizationId) => this.named.deleteWhere((each) => each.organizationId === organizationId),
      organization: (organizationId) => this.drop(organizationId),
    });
  }

  /**
   * Ids of the assistants that one of the references means, by id. Several are all within the caller's reach; the only
   * one may be out of it.
   */
  async find(caller: Caller, references: readonly AssistantReference[]): Promise<readonly number[]> {
    const meant = new Set<number>();
    for (const reference of references) for (const id of await this.idsOf(caller, reference)) meant.add(id);
    return meant.size > 1 ? (await this.reachable(caller, [...meant])).map(({ id }) => id) : [...meant];
  }

  /** Whether a number means the assistant with this id and no other. */
  isOwnNumber({ organizationId }: Caller, number: number): Awaitable<boolean> {
    return after(this.aliasesOf(organizationId, number), (rows) => rows.length === 0);
  }

  /**
   * The id that a number in an address means: one that the caller may use, else that of the only imported assistant with
   * this number. Others come back as they are.
   * @throws {AppError} `validation_failed` for the number of several imported assistants
   */
  async idHere(caller: Caller, number: number): Promise<number> {
    const ids = await this.find(caller, [{ kind: 'number', number }]);
    const [only = number, another] = ids;
    if (another === undefined || ids.includes(number)) return another === undefined ? only : number;
    const message = `${number} means ${ids.length} assistants: ${ids.join(', ')}. Use one of these ids.`;
    throw invalid([{ path: 'assistant', message, code: 'assistant.ambiguous' }]);
  }

  /** The ids that are also the number of another assistant at its source. */
  async contested(organizationId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0 || !(await this.imported.get(organizationId))) return new Set();
    const aliases = await this.repository.withNumbers(organizationId, ids);
    return new Set(aliases.filter(({ number, assistantId }) => number !== assistantId).map(({ number }) => number));
  }

  private async idsOf(caller: Caller, reference: AssistantReference): Promise<readonly number[]> {
    const { organizationId } = caller;
    if (reference.kind === 'name') {
      const { ids } = await this.named.get(JSON.stringify([organizationId, reference.name]));
      const found = await this.reachable(caller, ids);
      // The name that the caller sees is that of the version that runs.
      return found.filter(({ name }) => name === reference.name).map(({ id }) => id);
    }
    const rows = await this.aliasesOf(organizationId, reference.number);
    if (reference.kind === 'number') return [reference.number, ...rows.map(({ assistantId }) => assistantId)];
    return rows.filter(({ source }) => source === reference.source).map(({ assistantId }) => assistantId);
  }

  private async reachable(caller: Caller, ids: readonly number[]): Promise<RunnableAssistant[]> {
    const found: RunnableAssistant[] = [];
    for (const id of [...ids].sort((one, other) => one - other)) {
      const assistant = await orNull('not_found', () => this.runnables.find(caller, id));
      if (assistant !== null) found.push(assistant);
    }
    return found;
  }

  private drop(organizationId: string): void {
    this.imported.delete(organizationId);
    this.aliases.deleteWhere((each) => each.organizationId === organizationId);
    this.named.deleteWhere((each) => each.organizationId === organizationId);
  }

  private aliasesOf(organizationId: string, number: number): Awaitable<readonly AssistantAlias[]> {
    return after(this.imported.get(organizationId), (hasAliases) =>
      hasAliases ? after(this.aliases.get(JSON.stringify([organizationId, number])), ({ rows }) => rows) : [],
    );
  }

  private async loadAliases(key: string): Promise<Aliases> {
    const [organizationId, number] = JSON.parse(key) as [string, number];
    return { organizationId, rows: await this.repository.withNumbers(organizationId, [number]) };
  }

  private async loadNamed(key: string): Promise<Named> {
    const [organizationId, name] = JSON.parse(key) as [string, string];
    return { organizationId, ids: await this.assistants.within(organizationId).idsNamed(name) };
  }
}
