import { type Awaitable, type Caller, NO_ASSISTANT, after } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantLookup } from './access/assistant-lookup';
import { mayConfigure } from './access/assistant.permissions';
import type { RunnableAssistant } from './access/assistant.types';
import { CallQuotas, type CallReservation, type CallTraffic } from './assistant-tools/call-quotas';
import { type CallAnswer, type CallQuestion, CallTargets } from './assistant-tools/call-targets';
import { AccessMigration } from './rewriting/access-migration';
import { AssistantNames, type AssistantReference } from './running/assistant-names';
import { RunnableAssistants, type RunnablePage } from './running/runnable-assistants';

/** Runs assistants and checks rights to them. Knows nothing of saving, so that an answer needs no validator. */
@Injectable()
export class AssistantsService {
  constructor(
    private readonly runnables: RunnableAssistants,
    private readonly targets: CallTargets,
    private readonly migration: AccessMigration,
    private readonly quotas: CallQuotas,
    private readonly lookup: AssistantLookup,
    private readonly names: AssistantNames,
  ) {}

  /**
   * From a cache of at most 5 s; migrated first where the policy says so.
   * @throws {AppError} `not_found` for an assistant that the caller may not use
   */
  runnable(caller: Caller, id: number): Awaitable<RunnableAssistant> {
    return after(this.runnables.find(caller, id), (found) => {
      // Callers of another organization have no rights to change the assistant.
      if (found.organizationId !== caller.organizationId) return found;
      const { organizationId, newestVersion: version } = found;
      const migrated = this.migration.migrate({ id, organizationId, version });
      return after(migrated, (isNewer) => (isNewer ? this.runnables.find(caller, id) : found));
    });
  }

  /** An assistant that is switched off, for those who could use it otherwise; null where it is not, or not theirs. */
  async paused(caller: Caller, id: number): Promise<{ readonly ownerId: string; readonly mayEdit: boolean } | null> {
    const found = await this.lookup.find(caller, id);
    if (found?.row.disabled !== true) return null;
    return { ownerId: found.row.ownerId, mayEdit: mayConfigure(found.access) };
  }

  /**
   * Ids of the assistants that one of the references means. Several are all within the caller's reach; the only one may
   * be out of it.
   */
  idsMeant(caller: Caller, references: readonly AssistantReference[]): Promise<readonly number[]> {
    return this.names.find(caller, references);
  }

  /** Whether a number means the assistant with this id and no other. */
  isOwnNumber(caller: Caller, number: number): Awaitable<boolean> {
    return this.names.isOwnNumber(caller, number);
  }

  /**
   * The id that a number in an address means: one that the caller may use, else that of the only imported assistant with
   * this number. @throws {AppError} `validation_failed` for the number of several imported assistants
   */
  idHere(caller: Caller, number: number): Promise<number> {
    return this.names.idHere(caller, number);
  }

  /** The ids that are also the number of another assistant at its source. */
  contestedIds({ organizationId }: Caller, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return this.names.contested(organizationId, ids);
  }

  /** With unpublished changes; for previews in the editor. @throws {AppError} `not_found` */
  newest(caller: Caller, id: number): Promise<RunnableAssistant> {
    return this.runnables.newest(caller, id);
  }

  /** Checks the right to run it on fresh rows, and to edit it for a draft. @throws {AppError} `not_found`, `forbidden` */
  async assertUsable(caller: Caller, { id, draft }: Pick<RunnableAssistant, 'id' | 'draft'>): Promise<void> {
    // An unsaved definition belongs to the caller alone.
    if (id === NO_ASSISTANT) return;
    await this.runnables.assertUsable(caller, id);
    if (draft) await this.assertConfigurable(caller, id);
  }

  /**
   * At most `count` assistants that the caller may use and `select` keeps, by id, after the id `after`. They are of the
   * caller's organization or published to all.
   */
  async someRunnable(
    caller: Caller,
    select: (assistants: readonly RunnableAssistant[]) => Promise<readonly RunnableAssistant[]>,
    { after: first, count }: { readonly after: number; readonly count: number },
  ): Promise<RunnableAssistant[]> {
    const found: RunnableAssistant[] = [];
    for (let next: number | null = first; next !== null && found.length < count;) {
      const page: RunnablePage = await this.runnables.page(caller, next, count - found.length);
      found.push(...(await select(page.assistants)));
      next = page.next;
    }
    return found.slice(0, count);
  }

  /** Ids of assistants that the caller owns or may edit by a share. */
  editableIds(caller: Caller): Promise<number[]> {
    return this.runnables.editableIds(caller);
  }

  /** Checks the right to see how it is made. @throws {AppError} `not_found`, or `forbidden` for mere users */
  async assertConfigurable(caller: Caller, id: number): Promise<void> {
    await this.lookup.configurable(caller, id);
  }

  /** Checks the right to publish it. @throws {AppError} `not_found`, or `forbidden` for all but its owner and administrators */
  async assertAdministered(caller: Caller, id: number): Promise<void> {
    await this.lookup.administered(caller, id);
  }

  /** Whether an assistant may be offered as a tool of another; reads fresh rows. */
  mayOffer(question: CallQuestion): Promise<CallAnswer> {
    return this.targets.offer(question);
  }

  /** Whether an assistant may call another now; reads fresh rows. */
  mayCall(question: CallQuestion): Promise<CallAnswer> {
    return this.targets.decide(question);
  }

  /** Counts a call in the quotas of the paying organization; null when one is spent. */
  reserveCall(traffic: CallTraffic): Promise<CallReservation | null> {
    return this.quotas.reserve(traffic);
  }
}
