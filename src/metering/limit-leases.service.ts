import { AppError, uuidv7 } from '@bellwether/kernel';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../infrastructure/audit';
import { CONFIG, type Config } from '../infrastructure/config';
import { isDatabaseUnavailable, withinOrganization } from '../infrastructure/database';
import { JobQueue, RepeatedWork, type SweepContext } from '../infrastructure/jobs';
import type { AppliedRule } from './applied-rules';
import { Lease } from './lease';
import { type CounterWarning, type LeaseReport, LeaseRepository, type LeaseState } from './lease.repository';

const LOGGER = new Logger('Limits');

/**
 * Warns once per window that a rule is half used, nearly used up or used up. The counter stores the times. Never rejects:
 * what was counted stays counted.
 */
async function warn(audit: AuditLog, warnings: readonly CounterWarning[]): Promise<void> {
  for (const { organizationId, ruleId, subject, percent, amount, used } of warnings) {
    const facts = { rule: ruleId, subject, percent, amount, used };
    LOGGER.warn({ msg: 'a limit is nearly used up', organization_id: organizationId, ...facts });
    // Hundreds of people reach their own limits every day; the audit log records only limits that many share.
    if (subject.startsWith('person/')) continue;
    const target = { type: 'limit', id: ruleId };
    const entry = { caller: null, organizationId, action: 'limit.warning', target, after: facts };
    await withinOrganization(organizationId, () => audit.record(entry)).catch((error: unknown) => {
      LOGGER.error({ msg: 'the warning of a limit could not be written to the audit log', err: error, ...facts });
    });
  }
}

/** The part of a rule that a run takes. */
export interface LeasePart {
  readonly lease: Lease;
  readonly applied: AppliedRule;
  readonly reserved: number;
}

interface WaitingRun {
  readonly parts: readonly LeasePart[];
  readonly resolve: (short: readonly LeasePart[]) => void;
  readonly reject: (error: unknown) => void;
  /** A counter was missing at the first try, and was made. */
  isSecondTry: boolean;
}

const NONE: readonly LeasePart[] = [];
const EVERY_MS = 1_000;
const SWEEP_SHARE = 0.4;
const RENEW_SHARE = 1 / 6;
const FORGET_MS = 10 * 60_000;
/** Leases outlive two missed heartbeats of runs, so that a short outage of the database ends none. */
const LEASES = 2;

/**
 * Leases of this process. Runs take their parts of them in memory. One statement a second reports all leases together. Another is sent earlier only when a lease runs dry, and serves all runs that wait.
 */
@Injectable()
export class LimitLeases implements BeforeApplicationShutdown {
  private readonly workerId = uuidv7();
  private readonly seconds: number;
  private readonly leases = new Map<string, Lease>();
  private readonly urgent = new Set<Lease>();
  private waiting: WaitingRun[] = [];
  /** Ids of leases that have ended and whose rows may exist. */
  private ended: string[] = [];
  private last: Promise<void> = Promise.resolve();
  private isHurrying = false;
  private isClosing = false;
  private reports = 0;
  private readonly background = new RepeatedWork((error) =>
    LOGGER.warn({ msg: 'leases of limits could not be reported or renewed, trying again', err: error }),
  );

  constructor(
    private readonly repository: LeaseRepository,
    private readonly audit: AuditLog,
    jobs: JobQueue,
    @Inject(CONFIG) { runs }: Config,
  ) {
    this.seconds = runs.leaseSeconds * LEASES;
    const leaseMs = this.seconds * 1_000;
    jobs.sweep(leaseMs * SWEEP_SHARE, (context) => this.sweep(context));
    jobs.sweep(FORGET_MS, ({ first }) => (first ? Promise.resolve() : this.repository.forget()));
    this.background.every(leaseMs * RENEW_SHARE, () => this.renew());
    this.background.every(EVERY_MS, () => this.report());
  }

  of(organizationId: string, applied: AppliedRule): Lease {
    const key = `${organizationId}\n${applied.rule.id}\n${applied.subject}\n${applied.start.getTime()}`;
    let lease = this.leases.get(key);
    if (lease === undefined) this.leases.set(key, (lease = new Lease(organizationId, applied)));
    return lease;
  }

  /** Takes all parts or none; returns those with too little left. A promise only when a lease has run dry. */
  take(parts: readonly LeasePart[]): readonly LeasePart[] | Promise<readonly LeasePart[]> {
    for (const { lease, applied } of parts) {
      lease.isBusy = true;
      lease.amount = applied.amount;
    }
    if (parts.every(({ lease, reserved }) => lease.allows(reserved))) return this.hold(parts);
    return new Promise((resolve, reject) => {
      this.waiting.push({ parts, resolve, reject, isSecondTry: false });
      this.hurry();
    });
  }

  /** Frees what was reserved and counts what was spent of it. */
  free(parts: readonly LeasePart[], spent: (part: LeasePart) => number): void {
    for (const part of parts) {
      const { lease } = part;
      lease.held -= part.reserved;
      lease.used += spent(part);
      lease.isBusy = true;
    }
    this.hurryFor(parts);
  }

  /** Resolves when the counters know all that was used until now. */
  report(): Promise<void> {
    return this.exchange(true);
  }

  /** Returns what no run holds. */
  async giveBack(): Promise<void> {
    for (const lease of this.leases.values()) lease.isBusy = false;
    await this.report();
    // Deletes the rows of leases that have ended with this answer.
    await this.report();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
    this.isClosing = true;
    await this.giveBack().catch((error: unknown) =>
      LOGGER.warn({ msg: 'leases of limits are not returned: they are charged when they expire', err: error }),
    );
    await this.background.settled();
  }

  /** At the first start of a process that has the database to itself, every lease is a dead process's. */
  async sweep({ alone, first }: SweepContext): Promise<void> {
    const { charged, warnings } = await this.repository.sweep(alone && first, this.workerId);
    if (charged > 0) LOGGER.warn({ msg: 'leases of dead processes were charged', count: charged });
    await warn(this.audit, warnings);
  }

  private async renew(): Promise<void> {
    if (this.leases.size > 0) await this.repository.renew(this.workerId, this.seconds);
  }

  private hold(parts: readonly LeasePart[]): typeof NONE {
    for (const { lease, reserved } of parts) {
      lease.held += reserved;
      if (lease.isLow) this.urgent.add(lease);
    }
    this.hurryFor(parts);
    return NONE;
  }

  private hurryFor(parts: readonly LeasePart[]): void {
    for (const { lease } of parts) if (lease.isUrgent || this.isClosing) this.urgent.add(lease);
    if (this.urgent.size > 0) this.hurry();
  }

  private hurry(): void {
    if (this.isHurrying) return;
    this.isHurrying = true;
    // Waiting runs are told of a failure; the report of all leases repeats the rest and logs that it fails.
    this.exchange(false).catch(() => undefined);
  }

  /** One report after the other: none arrives before an earlier one. */
  private exchange(isWhole: boolean): Promise<void> {
    const done = this.last.then(() => this.send(isWhole));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async send(isWhole: boolean): Promise<void> {
    this.isHurrying = false;
    const waiting = this.waiting.splice(0);
    const needs = this.due(isWhole, waiting);
    if (isWhole) this.forgetEnded(needs);
    const due = [...needs].map(([lease, need]) => ({ lease, report: lease.report(need) }));
    const ended = this.ended.splice(0);
    if (isWhole) for (const lease of this.leases.values()) lease.isBusy = false;
    if (due.length === 0 && ended.length === 0) return;
    try {
      const states = await this.tell(
        due.map(({ report }) => report),
        ended,
      );
      const missing = due.filter(({ lease, report }) => {
        const state = states.get(report.id);
        if (state !== undefined) lease.answered(report, state);
        return state === undefined;
      });
      if (missing.length > 0) await this.make(missing, waiting);
      this.serve(waiting, new Set(missing.map(({ lease }) => lease)));
    } catch (error) {
      for (const { lease } of due) lease.isUnsure = true;
      this.ended.push(...ended);
      for (const { reject } of waiting) reject(error);
      throw error;
    }
  }

  /** Leases to report, each with what waiting runs need of it. */
  private due(isWhole: boolean, waiting: readonly WaitingRun[]): ReadonlyMap<Lease, number> {
    const due = new Map<Lease, number>();
    for (const { parts } of waiting)
      for (const { lease, reserved } of parts) due.set(lease, (due.get(lease) ?? 0) + reserved);
    const others = [...this.urgent].filter((lease) => lease.isUrgent || lease.isLow || this.isClosing);
    this.urgent.clear();
    if (isWhole) others.push(...[...this.leases.values()].filter((lease) => lease.needsReport));
    for (const lease of others) if (!due.has(lease)) due.set(lease, 0);
    return due;
  }

  private forgetEnded(due: ReadonlyMap<Lease, number>): void {
    for (const [key, lease] of this.leases) {
      if (!lease.hasEnded || due.has(lease)) continue;
      this.leases.delete(key);
      this.ended.push(lease.id);
    }
  }

  /** States by the id of the lease. */
  private async tell(
    reports: readonly LeaseReport[],
    ended: readonly string[],
  ): Promise<ReadonlyMap<string, LeaseState>> {
    try {
      return await this.ask(reports, ended);
    } catch (error) {
      if (isDatabaseUnavailable(error) || reports.length === 0) throw error;
      // A report that the database refuses must not stop those of others.
      LOGGER.error({ msg: 'leases of limits were refused', err: error });
      const answers = await Promise.allSettled(reports.map((each) => this.ask([each], ended)));
      // A report without an answer was not refused: it is sent again.
      const lost = answers.find((answer) => answer.status === 'rejected' && isDatabaseUnavailable(answer.reason));
      if (lost?.status === 'rejected') throw lost.reason;
      return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [...answer.value] : [])));
    }
  }

  private async ask(
    reports: readonly LeaseReport[],
    ended: readonly string[],
  ): Promise<ReadonlyMap<string, LeaseState>> {
    this.reports += 1;
    const from = { number: this.reports, workerId: this.workerId, seconds: this.seconds };
    const { states, warnings } = await this.repository.report(reports, from, ended);
    if (warnings.length > 0) this.background.track(warn(this.audit, warnings));
    return new Map(states.map((state) => [state.id, state]));
  }

  /** Makes counters for runs that wait. Other leases without a counter belong to an erased person or organization. */
  private async make(
    missing: readonly { readonly lease: Lease; readonly report: LeaseReport }[],
    waiting: readonly WaitingRun[],
  ): Promise<void> {
    const wanted = new Set(waiting.flatMap(({ parts }) => parts.map(({ lease }) => lease)));
    const reports = missing.filter(({ lease }) => wanted.has(lease)).map(({ report }) => report);
    if (reports.length > 0) await this.repository.create(reports);
    for (const [key, lease] of this.leases)
      if (!wanted.has(lease) && missing.some((each) => each.lease === lease)) this.leases.delete(key);
  }

  private serve(waiting: readonly WaitingRun[], missing: ReadonlySet<Lease>): void {
    for (const run of waiting) {
      if (run.parts.some(({ lease }) => missing.has(lease))) {
        if (run.isSecondTry) run.reject(new AppError('unavailable', 'The counter of a limit cannot be made'));
        else this.waiting.push({ ...run, isSecondTry: true });
        continue;
      }
      const short = run.parts.filter(({ lease, reserved }) => lease.free < reserved);
      for (const { lease } of short) lease.refuse();
      if (short.length > 0) this.hurryFor(run.parts);
      run.resolve(short.length > 0 ? short : this.hold(run.parts));
    }
    if (this.waiting.length > 0) this.hurry();
  }
}
