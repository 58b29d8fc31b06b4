import { AppError, type Caller, NO_ASSISTANT, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AUTO, ConnectorsService } from '../../connectors';
import { AcrossOrganizations } from '../../infrastructure/database';
import { type Member, MembersService, type OrganizationStatus, OrganizationStatusService } from '../../organizations';
import { accessLevel, usesEverything } from '../access/assistant.permissions';
import type { RunnableAssistant } from '../access/assistant.types';
import { type AssistantDocument, type DiagnosticCode, type DiagnosticValues, parseMetadata } from '../definition';
import { RunnableAssistants } from '../running/runnable-assistants';
import type { ShareGrant } from '../storage/assistant-share-scope.repository';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import type { RunningRow } from '../storage/running-rows.repository';
import { toolUse } from './assistant-references';
import type {
  CallDecision,
  CallFacts,
  CallingFacts,
  Grant,
  OrganizationFacts,
  Refusal,
  TargetFacts,
} from './call-decision.types';
import { CallQuotas, type CallReservation } from './call-quotas';

const refused = (row: Refusal): CallDecision => ({ allowed: false, row });

/**
 * Whether O may call T in a run that P asked for. The first matching row decides; a call that no row allows is refused.
 * Only the rights of O's owner count (docs/reference/access-rules.md).
 */
export function decideCall(facts: CallFacts): CallDecision {
  const { callerMayRun, calling, target, depth, quotaSpent } = facts;
  if (!callerMayRun) return refused('R1');
  if (!calling.live || !calling.ownerActive) return refused('C3');
  if (target === null) return refused('T0');
  const obstacle = recursion(calling, target, depth) ?? state(calling, target);
  if (obstacle !== null) return refused(obstacle);
  const reach = reachOf(calling, target);
  if (!reach.allowed) return reach;
  return quotaSpent ? refused('E4') : reach;
}

/** Whether the owner of O reaches T at all. A refusal here looks like a missing assistant. */
export function reachOf(calling: CallingFacts, target: TargetFacts): CallDecision {
  return calling.organization.id === target.organization.id ? within(calling, target) : across(calling, target);
}

/** Rows B4, B1 and B5: T could start a second level of calls. */
function recursion(calling: CallingFacts, target: TargetFacts, depth: number): Refusal | null {
  if (depth > 0) return 'B5';
  if (target.id === calling.id) return 'B4';
  return target.toolUsing ? 'B1' : null;
}

function state(calling: CallingFacts, target: TargetFacts): Refusal | null {
  if (target.deleted || target.disabled) return 'C1';
  if (!target.ownerActive) return 'C2';
  return calling.organization.suspended || target.organization.suspended ? 'C4' : null;
}

function within(calling: CallingFacts, target: TargetFacts): CallDecision {
  const right = rightOf(calling, target);
  return right === null ? refused('A6') : { allowed: true, row: right };
}

function rightOf(calling: CallingFacts, target: TargetFacts): Grant | null {
  if (target.ownerId === calling.ownerId) return 'A1';
  if (target.sharedWithOwner) return 'A2';
  return target.publication === 'none' ? null : 'A4';
}

/** Ownership and publication end at the organization; a call across needs the consent of both. */
function across(calling: CallingFacts, target: TargetFacts): CallDecision {
  const consent = target.organization.exports && calling.organization.imports;
  const right = target.publication === 'public' ? 'D3' : target.sharedWithOwner ? 'D5' : null;
  if (right !== null) return consent ? { allowed: true, row: right } : refused('D4');
  if (target.ownerId === calling.ownerId) return refused('D1');
  return refused(target.publication === 'organization' ? 'D2' : 'A6');
}

interface CallProblem {
  readonly code: Extract<
    DiagnosticCode,
    'tool.inaccessible' | 'tool_using_assistant' | 'tool.disabled' | 'tool.degraded'
  >;
  readonly message: string;
  readonly values?: DiagnosticValues;
}

const MISSING: CallProblem = { code: 'tool.inaccessible', message: 'no such assistant' };

/**
 * The problem of naming T in a definition, or null. A target out of the owner's reach looks like a missing assistant.
 * `answerable`: T has a model to answer with.
 */
export function savableCall(facts: CallFacts, answerable: boolean): CallProblem | null {
  const { calling, target } = facts;
  if (target !== null && target.id === calling.id)
    return { code: 'tool_using_assistant', message: 'an assistant cannot call itself' };
  if (target === null || target.deleted || !reachOf(calling, target).allowed) return MISSING;
  const decision = decideCall({ ...facts, quotaSpent: false, depth: 0 });
  if (decision.allowed) return answerable ? null : UNANSWERABLE;
  return MESSAGES[decision.row] ?? MISSING;
}

/** Messages for targets within the owner's reach. */
const MESSAGES: Partial<Record<Refusal, CallProblem>> = {
  B1: { code: 'tool_using_assistant', message: 'an assistant that calls functions cannot be one' },
  C1: { code: 'tool.disabled', message: 'this assistant is switched off', values: { reason: 'assistant.off' } },
};

const UNANSWERABLE: CallProblem = {
  code: 'tool.degraded',
  message: 'its organization has no model for this assistant; calls of it will fail',
  values: { reason: 'assistant.no_model' },
};

/** The calling assistant when its run began. Its current state is read again. */
export type Calling = Pick<RunnableAssistant, 'id' | 'organizationId' | 'ownerId'>;

export interface CallQuestion {
  readonly calling: Calling;
  readonly caller: Caller;
  readonly targetId: number;
  readonly depth: number;
}

export type CallAnswer =
  | {
      readonly allowed: true;
      readonly row: Grant;
      /** The row of the decision. */
      readonly target: RunnableAssistant;
      /** Whether the caller could run the target directly; if not, they see only its answer. */
      readonly callerMayUse: boolean;
      /** Whether its organization has a model for it. */
      readonly answerable: boolean;
      /** null where the call is only offered. */
      readonly reservation: CallReservation | null;
    }
  | { readonly allowed: false; readonly row: Refusal };

interface Rows {
  readonly assistants: ReadonlyMap<number, RunningRow>;
  readonly shares: readonly ShareGrant[];
  readonly organizations: ReadonlyMap<string, OrganizationStatus>;
  readonly members: ReadonlyMap<string, Member>;
}

/** Decides calls between assistants on freshly read rows; nothing comes from a cache. */
@Injectable()
export class CallTargets {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly status: OrganizationStatusService,
    private readonly quotas: CallQuotas,
    private readonly runnables: RunnableAssistants,
    private readonly connectors: ConnectorsService,
  ) {}

  /** Whether a model may be offered the call. A spent quota shows only when the call is made. */
  offer(question: CallQuestion): Promise<CallAnswer> {
    return this.answer(question, () => Promise.resolve(null));
  }

  /** Whether the call may be made now; an allowed call is counted. */
  decide(question: CallQuestion): Promise<CallAnswer> {
    return this.answer(question, async ({ organizationId, id }, { organizations }) => {
      const payer = organizations.get(organizationId);
      const callerOrganizationId = question.calling.organizationId;
      if (payer === undefined) return null;
      return (await this.quotas.reserve({ payer, targetId: id, callerOrganizationId })) ?? 'spent';
    });
  }

  /** Problems at save of an assistant of `owner`, in the order of `targetIds`. */
  @AcrossOrganizations('calls')
  async problems(
    owner: Principal,
    assistantId: number | null,
    targetIds: readonly number[],
  ): Promise<readonly (CallProblem | null)[]> {
    const rows = await this.read(targetIds, owner, null);
    const found: (CallProblem | null)[] = [];
    for (const id of targetIds) {
      const row = rows.assistants.get(id) ?? null;
      const calling = { id: assistantId, organizationId: owner.organizationId, ownerId: owner.userId, live: true };
      const facts = factsOf({ calling, target: row, rows, callerMayRun: true, depth: 0 });
      const problem = savableCall(facts, true);
      found.push(problem ?? savableCall(facts, row === null || (await this.isAnswerable(this.runnables.granted(row)))));
    }
    return found;
  }

  @AcrossOrganizations('calls')
  private async answer(
    { calling, caller, targetId, depth }: CallQuestion,
    reserve: (target: AssistantEntity, rows: Rows) => Promise<CallReservation | 'spent' | null>,
  ): Promise<CallAnswer> {
    const owner = { organizationId: calling.organizationId, userId: calling.ownerId };
    const rows = await this.read([calling.id, targetId], owner, caller);
    const own = rows.assistants.get(calling.id);
    const target = rows.assistants.get(targetId) ?? null;
    const isDraft = isOwnDraft(calling, caller);
    const live = isDraft || isLive(own, calling);
    const callerMayRun = isDraft || (own !== undefined && mayUse(caller, own, rows));
    const facts = factsOf({ calling: { ...calling, live }, target, rows, callerMayRun, depth });
    const first = decideCall(facts);
    if (!first.allowed) return first;
    if (target === null) return { allowed: false, row: 'T0' };
    const runnable = this.runnables.granted(target);
    const answerable = await this.isAnswerable(runnable);
    const reserved = await reserve(target, rows);
    const decision = decideCall({ ...facts, quotaSpent: reserved === 'spent' });
    if (!decision.allowed || reserved === 'spent') return { allowed: false, row: 'E4' };
    const callerMayUse = mayUse(caller, target, rows);
    return { ...decision, target: runnable, callerMayUse, answerable, reservation: reserved };
  }

  private async read(ids: readonly number[], owner: Principal, caller: Caller | null): Promise<Rows> {
    const people = [owner.userId, ...(caller === null ? [] : [caller.userId])];
    const { rows, shares } = await this.assistants.forCall(ids, people);
    const organizations = await this.status.of([
      owner.organizationId,
      ...(caller === null ? [] : [caller.organizationId]),
      ...rows.map(({ organizationId }) => organizationId),
    ]);
    const members = new Map<string, Member>();
    const places = [owner, ...rows.map(({ organizationId, ownerId }) => ({ organizationId, userId: ownerId }))];
    for (const { organizationId, userId } of caller === null ? places : [...places, caller]) {
      const key = keyOf(organizationId, userId);
      const member = members.has(key) ? null : await this.members.find(organizationId, userId);
      if (member !== null) members.set(key, member);
    }
    return { assistants: new Map(rows.map((row) => [row.id, row])), shares, organizations, members };
  }

  /** False for `auto` without any vendor, which would only echo the question. */
  private async isAnswerable({ organizationId, document }: RunnableAssistant): Promise<boolean> {
    const { connector, llm }: AssistantDocument = document;
    try {
      const { provider } = await this.connectors.resolve(organizationId, { connector, llm });
      return provider !== null || connector !== AUTO;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }
}

/** The author of a draft that is not stored is its owner and its caller. */
const isOwnDraft = ({ id, ownerId }: Calling, { userId }: Caller): boolean => id === NO_ASSISTANT && ownerId === userId;

const isLive = (row: AssistantEntity | undefined, { ownerId }: Calling): boolean =>
  row?.deletedAt === null && !row.disabled && row.ownerId === ownerId;

const keyOf = (organizationId: string, userId: string): string => `${organizationId}/${userId}`;

const isActive = ({ members }: Rows, organizationId: string, userId: string): boolean =>
  members.get(keyOf(organizationId, userId))?.disabled === false;

/** Uses the caller's current role; a credential never gains rights. */
function mayUse(caller: Caller, row: AssistantEntity, rows: Rows): boolean {
  const { members, shares } = rows;
  const member = members.get(keyOf(caller.organizationId, caller.userId));
  if (member === undefined || member.disabled || row.deletedAt !== null || row.disabled) return false;
  if (caller.organizationId !== row.organizationId) return isOpenTo(caller, row, rows);
  const share = shares.find(({ assistantId, userId }) => assistantId === row.id && userId === caller.userId)?.access;
  const systemAdmin = caller.systemAdmin && member.systemAdmin;
  const grants = { share, membersUseAll: opensToMembers(row, rows) };
  return accessLevel({ ...caller, role: member.role, systemAdmin }, row, grants) !== null;
}

/** The same rule as in `PublicAssistants`. */
function isOpenTo({ organizationId, assistantIds }: Caller, row: AssistantEntity, rows: Rows): boolean {
  if (!row.published || !row.publishedToAll || assistantIds?.includes(row.id) === false) return false;
  const [own, target] = [organizationFacts(organizationId, rows), organizationFacts(row.organizationId, rows)];
  return own.imports && !own.suspended && target.exports && !target.suspended;
}

const opensToMembers = ({ organizationId }: AssistantEntity, { organizations }: Rows): boolean =>
  organizations.get(organizationId)?.features.members_can_use_all === true;

function organizationFacts(id: string, { organizations }: Rows): OrganizationFacts {
  const standing = organizations.get(id);
  if (standing === undefined) return { id, suspended: true, exports: false, imports: false };
  const { assistants_export: exports, assistants_import: imports } = standing.features;
  return { id, suspended: standing.suspended, exports, imports };
}

interface Subject {
  readonly calling: Omit<Calling, 'id'> & { readonly id: number | null; readonly live: boolean };
  readonly target: AssistantEntity | null;
  readonly rows: Rows;
  readonly callerMayRun: boolean;
  readonly depth: number;
}

function factsOf({ calling, target, rows, callerMayRun, depth }: Subject): CallFacts {
  const { id, organizationId, ownerId, live } = calling;
  return {
    callerMayRun,
    depth,
    quotaSpent: false,
    calling: {
      id,
      ownerId,
      live,
      ownerActive: isActive(rows, organizationId, ownerId),
      organization: organizationFacts(organizationId, rows),
    },
    target: target === null ? null : targetFacts(target, ownerId, rows),
  };
}

/** With `members_can_use_all`, an assistant counts as published for a teacher of its organization. */
function publicationOf(row: AssistantEntity, callingOwnerId: string, rows: Rows): TargetFacts['publication'] {
  if (row.publishedToAll) return 'public';
  const owner = rows.members.get(keyOf(row.organizationId, callingOwnerId));
  const isOpen = owner !== undefined && usesEverything(owner) && opensToMembers(row, rows);
  return row.published || isOpen ? 'organization' : 'none';
}

function targetFacts(row: AssistantEntity, callingOwnerId: string, rows: Rows): TargetFacts {
  const parsed = parseMetadata(row.metadata);
  return {
    id: row.id,
    ownerId: row.ownerId,
    ownerActive: isActive(rows, row.organizationId, row.ownerId),
    deleted: row.deletedAt !== null,
    disabled: row.disabled,
    publication: publicationOf(row, callingOwnerId, rows),
    sharedWithOwner: rows.shares.some(({ assistantId, userId }) => assistantId === row.id && userId === callingOwnerId),
    toolUsing: parsed.ok && toolUse(parsed.metadata) !== null,
    organization: organizationFacts(row.organizationId, rows),
  };
}
