import { AppError, type Caller } from '@bellwether/kernel';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { withinOrganization } from '../../infrastructure/database';
import { OrganizationChanges, OrganizationStatusService } from '../../organizations';
import { ApiKeyRepository, type KeyRow } from '../api-key.repository';
import { SessionRepository } from '../sessions/session.repository';
import { callerOf, isUsable } from './authenticator';

const refused = (): AppError =>
  new AppError(
    'unauthenticated',
    'The credential that asked for this is no longer valid, or its owner no longer a member',
  );

/** Renews the rights of a caller for delayed work, from fresh rows. */
@Injectable()
export class CallerRenewal {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly sessions: SessionRepository,
    private readonly status: OrganizationStatusService,
  ) {}

  /** The caller with current rights. @throws {AppError} `unauthenticated` */
  async renew(caller: Caller): Promise<Caller> {
    if (caller.kind === 'system') return caller;
    const { mayNameEndUser, endUser } = caller;
    const named = { ...(mayNameEndUser && { mayNameEndUser }), ...(endUser && { endUser }) };
    return { ...(await this.present(caller)), ...named };
  }

  private async present(caller: Caller): Promise<Caller> {
    const { kind, credentialId } = caller;
    if (kind === 'api_key') return this.held(caller, credentialId && (await this.keys.findById(credentialId)));
    if (kind === 'session') return this.held(caller, credentialId && (await this.sessions.findById(credentialId)));
    return this.byMembership(caller);
  }

  private held({ kind, organizationId, userId }: Caller, row: KeyRow | null | ''): Caller {
    if (!row || !isUsable(row) || row.organizationId !== organizationId || row.userId !== userId) throw refused();
    return callerOf(row, kind === 'session' ? 'session' : 'api_key');
  }

  private async byMembership(caller: Caller): Promise<Caller> {
    const member = await this.status.member(caller.organizationId, caller.userId);
    const organization = (await this.status.of([caller.organizationId])).get(caller.organizationId);
    if (member === null || member.disabled || organization?.suspended !== false) throw refused();
    return { ...caller, role: member.role, systemAdmin: caller.systemAdmin && member.systemAdmin };
  }
}

/** Open work of one caller: an answer, a run in the background, a stream of events. */
export interface WorkToMonitor {
  readonly caller: Caller;
  /** Organizations whose changes trigger a check. */
  readonly organizationIds: readonly string[];
  /** Work of one caller on the same subject shares one check. */
  readonly subject: string;
  /** Checks the caller's current rights. @throws AppError when they no longer cover the work */
  readonly check: (caller: Caller) => Promise<void>;
  /** Ends it. Called at most once. */
  readonly end: (refusal: AppError) => void;
}

export interface MonitoredWork {
  /** Checks now. @throws AppError `unauthenticated`, `forbidden`, `not_found` */
  assert(): Promise<void>;
  leave(): void;
}

/** Work ends within 5 s after its caller lost the right: this interval plus the check. */
export const CHECK_EVERY_MS = 4_000;
/** Debounces bursts of changes, such as those of an import. */
const GATHER_MS = 1_000;
const AT_ONCE = 8;

const REFUSALS: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden', 'not_found']);

/**
 * Ends open work whose caller loses the right to it: a revoked key, a disabled member, a suspended organization or
 * assistant. Reads fresh rows at every signalled change, and every `CHECK_EVERY_MS` in case a signal was lost.
 */
@Injectable()
export class CallerMonitor implements OnModuleDestroy {
  private readonly logger = new Logger('CallerWatch');
  private readonly works = new Set<WorkToMonitor>();
  private readonly changed = new Set<string>();
  private gathering: NodeJS.Timeout | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isChecking = false;

  constructor(
    private readonly callers: CallerRenewal,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.recheck(organizationId));
  }

  onModuleDestroy(): void {
    this.works.clear();
    if (this.gathering !== null) clearTimeout(this.gathering);
    this.stopTimer();
  }

  watch(work: WorkToMonitor): MonitoredWork {
    this.works.add(work);
    this.timer ??= setInterval(() => void this.checkInTurn(), CHECK_EVERY_MS).unref();
    return {
      assert: async () => {
        const refusal = await this.refusalOf(work);
        if (refusal !== null) throw refusal;
      },
      leave: () => {
        this.works.delete(work);
        if (this.works.size === 0) this.stopTimer();
      },
    };
  }

  /** Schedules a check of the work that depends on an organization. */
  recheck(organizationId: string): void {
    if (this.works.size === 0) return;
    this.changed.add(organizationId);
    this.gathering ??= setTimeout(() => void this.checkChanged(), GATHER_MS).unref();
  }

  /** Rounds do not overlap on a slow database. */
  private async checkInTurn(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      await this.checkAll([...this.works]);
    } finally {
      this.isChecking = false;
    }
  }

  private async checkChanged(): Promise<void> {
    const changed = new Set(this.changed);
    this.changed.clear();
    this.gathering = null;
    await this.checkAll([...this.works].filter((work) => work.organizationIds.some((id) => changed.has(id))));
  }

  private async checkAll(works: readonly WorkToMonitor[]): Promise<void> {
    const groups = grouped(works);
    const refusals = new Map<WorkToMonitor, AppError>();
    const next = async (): Promise<void> => {
      for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
        const [first] = group;
        const refusal = first === undefined ? null : await this.refusalOf(first);
        if (refusal !== null) for (const work of group) refusals.set(work, refusal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    // Latest first: a stream must close before its run emits the end.
    for (const work of [...works].reverse()) {
      const refusal = refusals.get(work);
      if (refusal !== undefined && this.works.delete(work)) work.end(refusal);
    }
  }

  /** Null also when the rights cannot be read: an outage ends no work. */
  private async refusalOf({ caller, check }: WorkToMonitor): Promise<AppError | null> {
    try {
      await withinOrganization(caller.organizationId, async () => check(await this.callers.renew(caller)));
      return null;
    } catch (error) {
      if (error instanceof AppError && REFUSALS.has(error.code)) return error;
      this.logger.warn({ msg: 'the rights of a caller could not be checked', err: error });
      return null;
    }
  }

  private stopTimer(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }
}

function grouped(works: readonly WorkToMonitor[]): WorkToMonitor[][] {
  const groups = new Map<string, WorkToMonitor[]>();
  for (const work of works) {
    const key = groupOf(work);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [work]);
    else group.push(work);
  }
  return [...groups.values()];
}

const groupOf = ({ caller, subject }: WorkToMonitor): string =>
  JSON.stringify([caller.kind, caller.credentialId, caller.organizationId, caller.userId, subject]);
