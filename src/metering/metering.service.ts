import { type Awaitable, type Caller, NO_ASSISTANT, after } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { GroupMemberships, type OrganizationRuntime } from '../organizations';
import { type PriceList, PriceLists } from './price-lists';
import { type OpenedReservation, type RunEstimate, reserve } from './reservation';
import { type AppliedRule, appliedRules, hasRunRules } from './applied-rules';
import { LimitLeases } from './limit-leases.service';
import { ModelMetrics } from './model.metrics';
import { RunMeter } from './run-meter';
import { UsageBuffer, type UsageSubject, dayOf } from './usage.repository';

type Payer = Pick<OrganizationRuntime, 'id' | 'slug' | 'isSystem' | 'limits' | 'prices'>;

/** A run that has not begun. */
export interface MeteredRun {
  readonly caller: Caller;
  readonly assistant: { readonly id: number; readonly name: string };
  /** Organization of the assistant. */
  readonly payer: Payer;
  readonly stream: boolean;
  /** Started by another run, whose requests and places it shares. */
  readonly nested: boolean;
  readonly mayEdit: boolean;
  /** The model of the answer and its tokens; null when `cheaper` is wanted and the organization has no such model. */
  readonly estimate: (cheaper: boolean) => Awaitable<Omit<RunEstimate, 'costMicros'> | null>;
}

const UNLIMITED: OpenedReservation = { hold: null, cheaper: null, rateLimit: null };

/** Opens the meters of runs, and finds them again by the id of the run. */
@Injectable()
export class Metering {
  private readonly meters = new Map<string, RunMeter>();

  constructor(
    private readonly prices: PriceLists,
    private readonly usage: UsageBuffer,
    private readonly leases: LimitLeases,
    private readonly groups: GroupMemberships,
    private readonly metrics: ModelMetrics,
  ) {}

  /** Asks the database only when a lease of a rule has run dry. @throws LimitReached */
  open(run: MeteredRun): Awaitable<RunMeter> {
    return after(this.prices.of(run.payer), (prices) => {
      const subject = subjectOf(run);
      const reservation = hasRunRules(run.payer.limits) ? this.reserve(run, prices) : UNLIMITED;
      return after(reservation, (opened) => this.meter(run.payer, subject, prices, opened, true));
    });
  }

  bind(runId: string, meter: RunMeter): void {
    this.meters.set(runId, meter);
  }

  release(runId: string): void {
    this.meters.delete(runId);
  }

  /** The meter of a run, else one for a single call, which counts for the organization alone. @throws LimitReached */
  of(runId: string, payer: Payer): RunMeter | Promise<RunMeter> {
    return this.meters.get(runId) ?? this.single(payer);
  }

  private async single(payer: Payer): Promise<RunMeter> {
    const prices = await this.prices.of(payer);
    const subject = { ...NOBODY, organizationId: payer.id };
    if (!hasRunRules(payer.limits)) return this.meter(payer, subject, prices, UNLIMITED, false);
    const rules = await appliedRules(payer.limits, NO_RUN, new Date());
    const estimate = (): RunEstimate => NOTHING;
    const request = { organizationId: payer.id, rules, mayEdit: true, estimate };
    return this.meter(payer, subject, prices, await reserve(this.leases, request), false);
  }

  private reserve(run: MeteredRun, prices: PriceList): Awaitable<OpenedReservation> {
    const estimate = (cheaper: boolean): Awaitable<RunEstimate | null> =>
      after(run.estimate(cheaper), (expected) => (expected === null ? null : priced(expected, prices)));
    return after(this.rulesOf(run), (rules) => {
      if (rules.length === 0) return UNLIMITED;
      const { payer, mayEdit } = run;
      return reserve(this.leases, { organizationId: payer.id, rules, mayEdit, estimate });
    });
  }

  private rulesOf({ caller, assistant, payer, stream, nested }: MeteredRun): Awaitable<readonly AppliedRule[]> {
    const groupIds = () => this.groups.idsOf(caller.userId, payer.id);
    return appliedRules(payer.limits, { caller, assistantId: assistant.id, stream, nested, groupIds }, new Date());
  }

  private meter(
    { slug }: Payer,
    subject: UsageSubject,
    prices: PriceList,
    opened: OpenedReservation,
    isRun: boolean,
  ): RunMeter {
    const { usage, metrics } = this;
    return new RunMeter({ subject, organization: slug, prices, usage, metrics, ...opened, isRun });
  }
}

function priced(estimate: Omit<RunEstimate, 'costMicros'>, prices: PriceList): RunEstimate {
  const price = prices.priceOf(estimate.provider, estimate.model, dayOf(new Date()));
  return { ...estimate, costMicros: prices.costMicros(price, { ...estimate, cachedTokens: 0 }) };
}

const NOBODY = {
  callerOrganizationId: null,
  assistantId: null,
  assistantName: null,
  userId: null,
  credentialId: null,
};

/** Matches rules for tokens and cost of the whole organization only. */
const NO_RUN = {
  caller: null,
  assistantId: null,
  stream: false,
  nested: true,
  groupIds: () => Promise.resolve([]),
} as const;

const NOTHING: RunEstimate = { provider: '', model: '', promptTokens: 0, completionTokens: 0, costMicros: 0 };

const subjectOf = ({ caller, assistant, payer }: MeteredRun): UsageSubject => ({
  organizationId: payer.id,
  callerOrganizationId: caller.organizationId === payer.id ? null : caller.organizationId,
  assistantId: assistant.id === NO_ASSISTANT ? null : assistant.id,
  assistantName: assistant.name,
  userId: caller.userId,
  credentialId: caller.kind === 'api_key' ? caller.credentialId : null,
});
