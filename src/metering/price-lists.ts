import { type Awaitable, after } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type ModelPrice, OrganizationsService, OrganizationStatusService, type PriceSettings } from '../organizations';

/** Tokens of one model. `cachedTokens` is a part of `promptTokens`. */
export interface PricedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
}

/**
 * Prices of one organization. The installation's prices serve models without a price of its own, unless the currencies
 * differ.
 */
export class PriceList {
  readonly currency: string | null;
  /** Newest first, by provider and model. */
  private readonly prices = new Map<string, ModelPrice[]>();

  constructor(own: PriceSettings, installation: PriceSettings = {}) {
    this.currency = own.currency ?? installation.currency ?? null;
    const inherits = installation.currency === this.currency;
    const named = new Set((own.models ?? []).map(keyOf));
    const inherited = inherits ? (installation.models ?? []).filter((price) => !named.has(keyOf(price))) : [];
    for (const price of [...(own.models ?? []), ...inherited]) {
      const key = keyOf(price);
      const known = this.prices.get(key) ?? [];
      this.prices.set(
        key,
        [...known, price].sort((a, b) => b.from.localeCompare(a.from)),
      );
    }
  }

  /** The price with the latest first day that is not after `day`; null without one. */
  priceOf(provider: string, model: string, day: string): ModelPrice | null {
    return this.prices.get(keyOf({ provider, model }))?.find(({ from }) => from <= day) ?? null;
  }

  /** Millionths of the currency: a price per million tokens is the price of one token in millionths. */
  costMicros(price: ModelPrice | null, { promptTokens, completionTokens, cachedTokens }: PricedTokens): number {
    if (price === null) return 0;
    const { input, output, cached_input: cached = input } = price;
    return Math.round((promptTokens - cachedTokens) * input + cachedTokens * cached + completionTokens * output);
  }
}

const keyOf = ({ provider, model }: Pick<ModelPrice, 'provider' | 'model'>): string =>
  JSON.stringify([provider, model]);

interface Priced {
  readonly isSystem: boolean;
  readonly prices: PriceSettings;
}

/** The price list of each organization, compiled once per change of its settings. */
@Injectable()
export class PriceLists {
  private readonly lists = new WeakMap<
    PriceSettings,
    { readonly inherited: PriceSettings; readonly list: PriceList }
  >();
  private systemId: string | null = null;

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly status: OrganizationStatusService,
  ) {}

  of({ isSystem, prices }: Priced): Awaitable<PriceList> {
    return isSystem ? this.inheriting(prices, prices) : after(this.installation(), (of) => this.inheriting(prices, of));
  }

  private inheriting(prices: PriceSettings, inherited: PriceSettings): PriceList {
    const known = this.lists.get(prices);
    if (known?.inherited === inherited) return known.list;
    const list = new PriceList(prices, prices === inherited ? {} : inherited);
    this.lists.set(prices, { inherited, list });
    return list;
  }

  /** Prices that system administrators gave the system organization. */
  private installation(): Awaitable<PriceSettings> {
    if (this.systemId !== null) return this.pricesOf(this.systemId);
    return this.status.systemId().then((id) => {
      this.systemId = id;
      return id === null ? {} : this.pricesOf(id);
    });
  }

  private pricesOf(systemId: string): Awaitable<PriceSettings> {
    return after(this.organizations.runtime(systemId), ({ prices }) => prices);
  }
}
