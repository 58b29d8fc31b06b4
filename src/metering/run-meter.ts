import type { ChatMessage, JsonObject } from '@bellwether/kernel';
import type { AppliedRule, RateLimit } from './applied-rules';
import { ModelCall, type ModelOperation, expectedTokens, promptTokens } from './model-call';
import type { ModelMetrics } from './model.metrics';
import type { PriceList, PricedTokens } from './price-lists';
import type { Hold } from './reservation';
import {
  NO_USAGE,
  type UsageBuffer,
  type UsageFigures,
  type UsageSubject,
  addFigures,
  dayOf,
} from './usage.repository';

export interface AskedModel {
  readonly provider: string;
  readonly model: string;
}

export interface MeteredRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly params: JsonObject;
}

interface Tally extends AskedModel {
  figures: UsageFigures;
}

export interface MeterParts {
  readonly subject: UsageSubject;
  /** Slug of the organization that pays. */
  readonly organization: string;
  readonly metrics: ModelMetrics;
  readonly prices: PriceList;
  readonly usage: UsageBuffer;
  /** Null when no rule counts the run. */
  readonly hold: Hold | null;
  /** The rule whose end sent the run to the organization's cheaper model. */
  readonly cheaper: AppliedRule | null;
  readonly rateLimit: RateLimit | null;
  /** False for a single call outside a run. */
  readonly isRun: boolean;
}

/**
 * Adds up the model calls of one run. Before a call begins, the reservation grows to cover it. The end of the run settles
 * the reservation and writes the usage of the day.
 */
export class RunMeter {
  private readonly tallies = new Map<string, Tally>();
  private readonly open = new Set<ModelCall>();
  private spent: UsageFigures = NO_USAGE;
  private answering: AskedModel | null = null;
  /** A call that outlives its run, or belongs to none, is written at once. */
  private settled: boolean;

  constructor(private readonly parts: MeterParts) {
    this.settled = !parts.isRun;
  }

  get cheaper(): AppliedRule | null {
    return this.parts.cheaper;
  }

  /** Cost of the calls that have ended, in millionths of the currency. */
  get costMicros(): number {
    return this.spent.costMicros;
  }

  get rateLimit(): RateLimit | null {
    return this.parts.rateLimit;
  }

  /** The model that gives the answer: the run counts as one of this model. */
  answersWith(model: AskedModel): void {
    this.answering = model;
  }

  /** A promise only when the database must be asked. @throws LimitReached */
  begin(
    provider: string,
    { model, messages, params }: MeteredRequest,
    operation: ModelOperation = 'chat',
  ): ModelCall | Promise<ModelCall> {
    const call = new ModelCall(operation, provider, model, promptTokens(messages), expectedTokens(params));
    const { hold } = this.parts;
    if (hold === null) return call;
    this.open.add(call);
    const covering = this.cover(hold, call);
    if (covering === null) return call;
    return covering.then(() => {
      call.startedAt = performance.now();
      return call;
    });
  }

  /** Reserves more for an answer that is longer than expected; null when nothing is to wait for. @throws LimitReached */
  extend(call: ModelCall): Promise<void> | null {
    const { hold } = this.parts;
    if (hold === null || !call.isLong) return null;
    call.expectMore();
    return this.cover(hold, call);
  }

  /** Adds a call that has ended. */
  end(call: ModelCall): void {
    this.open.delete(call);
    const figures = this.priced(call, call.figures);
    this.spent = addFigures(this.spent, figures);
    this.parts.metrics.called(call, figures, this.parts.prices.currency);
    if (!this.settled) this.add(call, figures);
    else {
      this.write(call, figures);
      if (!this.parts.isRun) this.free();
    }
  }

  /** Once; later calls do nothing. */
  settle({ failed }: { readonly failed: boolean }): void {
    if (this.settled) return;
    this.settled = true;
    const last = [...this.tallies.values()].at(-1);
    const { provider, model } = this.answering ?? last ?? { provider: '', model: '' };
    this.add({ provider, model }, { ...NO_USAGE, runs: 1, failed: failed ? 1 : 0 });
    for (const tally of this.tallies.values()) this.write(tally, tally.figures);
    this.free();
  }

  /** Gives the reservation back: the run did not begin. */
  giveBack(): void {
    this.settled = true;
    this.parts.hold?.giveBack();
  }

  private free(): void {
    const { promptTokens: prompt, completionTokens: completion, costMicros } = this.spent;
    this.parts.hold?.settle({ tokens: prompt + completion, costMicros });
  }

  private cover(hold: Hold, call: ModelCall): Promise<void> | null {
    const forget = (error: unknown): never => {
      this.open.delete(call);
      throw error;
    };
    let expected = this.spent;
    for (const each of this.open) expected = addFigures(expected, this.priced(each, each.expected));
    const { promptTokens: prompt, completionTokens: completion, costMicros } = expected;
    try {
      return hold.cover({ tokens: prompt + completion, costMicros })?.catch(forget) ?? null;
    } catch (error) {
      return forget(error);
    }
  }

  private priced({ provider, model }: AskedModel, figures: UsageFigures & PricedTokens): UsageFigures {
    const price = this.parts.prices.priceOf(provider, model, dayOf(new Date()));
    return { ...figures, costMicros: this.parts.prices.costMicros(price, figures) };
  }

  private add({ provider, model }: AskedModel, figures: UsageFigures): void {
    const key = `${provider}\n${model}`;
    const tally = this.tallies.get(key);
    if (tally === undefined) this.tallies.set(key, { provider, model, figures });
    else tally.figures = addFigures(tally.figures, figures);
  }

  private write({ provider, model }: AskedModel, figures: UsageFigures): void {
    const { subject, organization, prices, usage, metrics } = this.parts;
    usage.add({ ...subject, ...figures, day: dayOf(new Date()), provider, model });
    metrics.used(organization, figures, prices.currency);
  }
}
