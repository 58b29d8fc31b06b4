import type { Organization } from '../organization.types';

export interface Price {
  readonly provider: string;
  readonly model: string;
  readonly from: string;
  readonly input: number;
  readonly output: number;
  readonly cached_input?: number;
}
export interface Prices {
  readonly currency?: string;
  readonly models?: readonly Price[];
}

/** Values of the form's fields: an empty number is null. */
export interface PriceRow {
  provider: string;
  model: string;
  from: string;
  input: number | null;
  output: number | null;
  cached: number | null;
}

export const pricesOf = ({ prices }: Organization): Prices => prices as Prices;

export const rowOf = ({ provider, model, from, input, output, cached_input }: Price): PriceRow => ({
  provider,
  model,
  from,
  input,
  output,
  cached: cached_input ?? null,
});

export const priceOf = ({ provider, model, from, input, output, cached }: PriceRow): Price => ({
  provider: provider.trim(),
  model: model.trim(),
  from,
  input: input ?? 0,
  output: output ?? 0,
  ...(cached === null ? {} : { cached_input: cached }),
});

/** The part of the settings that the fields describe. `null` takes a currency away. */
export const pricesPatch = (
  currency: string,
  rows: readonly PriceRow[],
): { currency: string | null; models: readonly Price[] } => ({
  currency: currency.trim() === '' ? null : currency.trim().toUpperCase(),
  models: rows.map(priceOf),
});

/** Rows of a model stay together, the newest first. */
export const sortedRows = (prices: readonly Price[]): PriceRow[] =>
  [...prices]
    .sort((one, other) => {
      const [a, b] = [one, other].map(({ provider, model }) => `${provider}\n${model}`);
      return (a ?? '').localeCompare(b ?? '') || other.from.localeCompare(one.from);
    })
    .map(rowOf);
