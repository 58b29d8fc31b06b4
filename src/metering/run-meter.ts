import type { ChatMessage, JsonObject } from '@bellwether/kernel';
import type { AppliedRule, RateLimit } from './applied-rules';
import { ModelCall, type ModelOperation, expectedTokens, promptTokens } from './model-call';
import type { ModelMetrics } from './model.metrics';
import type { PriceList, PricedTokens } from './price-lists';
import type { Hold, Reservations } from './reservations.service';
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
  readonly reservations: Reservations;
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

  /** @throws LimitReached */
  begin(
    provider: string,
    { model, messages, params }: MeteredRequest,
    operation: ModelOperation = 'chat',
  ): ModelCall | Promise<ModelCall> {
    const call = new ModelCall(operation, provider, model, promptTokens(messages), expectedTokens(params));
    const { hold } = this.parts;
    return hold === null ? call : this.beginCovered(hold, call);
  }

  /** Reserves more for an answer that is longer than expected; null when nothing is to do. @throws LimitReached */
  extend(call: ModelCall): Promise<unknown> | null {
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
      if (!this.parts.isRun) void this.free();
    }
  }

  /** Once; later calls do nothing. Null when there is nothing to wait for. Never rejects. */
  settle({ failed }: { readonly failed: boolean }): Promise<void> | null {
    if (this.settled) return null;
    this.settled = true;
    const last = [...this.tallies.values()].at(-1);
    const { provider, model } = this.answering ?? last ?? { provider: '', model: '' };
    this.add({ provider, model }, { ...NO_USAGE, runs: 1, failed: failed ? 1 : 0 });
    for (const tally of this.tallies.values()) this.write(tally, tally.figures);
    return this.free();
  }

  /** Gives the reservation back: the run did not begin. Never rejects. */
  async giveBack(): Promise<void> {
    const { hold, reservations } = this.parts;
    this.settled = true;
    if (hold !== null) await reservations.settle(hold, () => hold.giveBack());
  }

  private free(): Promise<void> | null {
    const { hold, reservations } = this.parts;
    if (hold === null) return null;
    const { promptTokens: prompt, completionTokens: completion, costMicros } = this.spent;
    return reservations.settle(hold, () => hold.settle({ tokens: prompt + completion, costMicros }));
  }

  private async beginCovered(hold: Hold, call: ModelCall): Promise<ModelCall> {
    this.open.add(call);
    await this.cover(hold, call);
    call.startedAt = performance.now();
    return call;
  }

  private async cover(hold: Hold, call: ModelCall): Promise<ModelCall> {
    const expected = [...this.open].reduce(
      (sum, each) => addFigures(sum, this.priced(each, each.expected)),
      this.spent,
    );
    const { promptTokens: prompt, completionTokens: completion, costMicros } = expected;
    const need = { tokens: prompt + completion, costMicros };
    if (hold.covers(need)) return call;
    const { provider, model } = call;
    const estimate = { provider, model, promptTokens: prompt, completionTokens: completion, costMicros };
    try {
      await hold.cover(need, estimate);
    } catch (error) {
      this.open.delete(call);
      throw error;
    }
    return call;
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
