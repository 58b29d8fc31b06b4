import { uuidv7 } from '@bellwether/kernel';
import type { AppliedRule } from './applied-rules';
import type { LeaseReport, LeaseState } from './lease.repository';

const PLACES: ReadonlySet<string> = new Set(['runs', 'streams']);

export const isPlace = ({ rule }: AppliedRule): boolean => PLACES.has(rule.limit);

/** A process leases ahead for this many runs of the usual size, and at most this part of what the rule has left. */
const RUNS_AHEAD = 64;
const PART_OF_LEFT = 1 / 20;
/** Weight of the last run in the usual size. */
const LAST_RUN = 1 / 8;

/**
 * The part of a counter that this process may give to runs without asking. The counter has it as reserved, so all
 * processes together never give more than the amount of the rule.
 */
export class Lease {
  readonly id = uuidv7();
  /** The last run that asked has this amount of the rule. */
  amount: number;
  /** Counted by ended runs since the lease began. */
  used = 0;
  /** Reserved by runs that have not ended, and the number of these runs. */
  held = 0;
  runs = 0;
  /** False when nothing was asked or freed since the last report of all leases. */
  isBusy = true;
  /** The outcome of the last report is unknown. */
  isUnsure = false;
  private isRefusalTold = true;
  private hasRefused = false;
  /** The most that `used` and `held` may be together. An unanswered report only lowers it. */
  private ceiling = 0;
  private usualRun = 0;
  /** The last answer: the amount that was judged, `used`, all else that the counter has, and what it has left. */
  private judged: number | null = null;
  private told = 0;
  private others = 0;
  private left = 0;

  constructor(
    readonly organizationId: string,
    readonly applied: AppliedRule,
  ) {
    this.amount = applied.amount;
  }

  get free(): number {
    return this.ceiling - this.used - this.held;
  }

  /** Left of the rule, as far as this process knows. */
  get remaining(): number {
    return Math.max(0, this.amount - this.others - (this.used - this.told) - this.held);
  }

  /** Nothing depends on the lease, and the counter knows that. */
  get hasEnded(): boolean {
    return !this.isBusy && this.runs === 0 && !this.needsReport;
  }

  get needsReport(): boolean {
    const isKnown = !this.isUnsure && this.used === this.told && this.isRefusalTold;
    return !isKnown || this.isUrgent || (!this.isBusy && this.free > 0);
  }

  /** Cannot wait for the report of all leases: more was spent than leased, or others need what is free. */
  get isUrgent(): boolean {
    return this.free < 0 || (this.isTight && this.free > 0);
  }

  /** Runs will soon have to wait for the database. */
  get isLow(): boolean {
    return !this.isTight && this.free < this.ahead / 2;
  }

  /** False when the counter must be asked: too little is free, or it has judged another amount of the rule. */
  allows(reserved: number): boolean {
    return this.judged === this.amount && this.free >= reserved;
  }

  begin(reserved: number): void {
    this.runs += 1;
    this.usualRun += (reserved - this.usualRun) * (this.usualRun === 0 ? 1 : LAST_RUN);
  }

  refuse(): void {
    if (!this.hasRefused) this.isRefusalTold = false;
    this.hasRefused = true;
  }

  /** Says what was used, and asks for what waiting runs `need`. Whatever becomes of the report, `keep` stays leased. */
  report(need: number): LeaseReport {
    const { applied, held, used } = this;
    // Another amount is judged anew: nothing that the last one allowed is kept, except what runs hold.
    const isSame = this.judged === null || this.judged === this.amount;
    const ahead = isSame && this.isBusy && !this.isTight ? this.ahead : 0;
    const spare = Math.max(0, Math.min(this.free, ahead));
    const place = isPlace(applied);
    const base = place ? 0 : this.ceiling;
    this.ceiling = Math.min(this.ceiling, used + held + spare);
    return {
      id: this.id,
      organization_id: this.organizationId,
      rule_id: applied.rule.id,
      subject: applied.subject,
      window_start: applied.start,
      window_end: applied.end,
      amount: this.amount,
      warns: applied.end !== null && applied.rule.per !== 'minute',
      is_place: place,
      used,
      held,
      keep: held + spare,
      need: Math.max(0, need - spare),
      want: ahead - spare,
      base,
      refused: this.hasRefused,
    };
  }

  answered({ amount, used: told, refused }: LeaseReport, { leased, used, reserved }: LeaseState): void {
    this.isUnsure = false;
    this.isRefusalTold = refused || !this.hasRefused;
    this.judged = amount;
    this.told = told;
    this.ceiling = told + leased;
    this.others = used + reserved - leased;
    this.left = amount - used - reserved;
  }

  /** Others could hardly begin a run with what the counter has left: nothing is leased ahead. */
  private get isTight(): boolean {
    return this.judged !== null && this.left < 2 * (this.held + this.usualRun);
  }

  private get ahead(): number {
    const most = this.judged === null ? Infinity : (this.left + Math.max(0, this.free)) * PART_OF_LEFT;
    return Math.floor(Math.max(0, Math.min(RUNS_AHEAD * this.usualRun, most)));
  }
}
