import type { ModelPrice } from '../organizations';
import { PriceList } from './price-lists';

const price = (from: string, input: number, more: Partial<ModelPrice> = {}): ModelPrice => ({
  provider: 'openai',
  model: 'm',
  from,
  input,
  output: 2 * input,
  ...more,
});
const tokens = { promptTokens: 1_000, completionTokens: 100, cachedTokens: 400 };

describe('the price of a model', () => {
  it('is the one with the latest first day that is not in the future', () => {
    const list = new PriceList({ currency: 'EUR', models: [price('2026-01-01', 1), price('2026-06-01', 3)] });
    expect(list.priceOf('openai', 'm', '2025-12-31')).toBeNull();
    expect(list.priceOf('openai', 'm', '2026-05-31')?.input).toBe(1);
    expect(list.priceOf('openai', 'm', '2026-06-01')?.input).toBe(3);
    expect(list.priceOf('ollama', 'm', '2026-06-01')).toBeNull();
  });

  it('counts cached tokens at their own price, or as others', () => {
    const list = new PriceList({});
    expect(list.costMicros(price('2026-01-01', 3, { cached_input: 0.5 }), tokens)).toBe(600 * 3 + 400 * 0.5 + 600);
    expect(list.costMicros(price('2026-01-01', 3), tokens)).toBe(1_000 * 3 + 600);
    expect(list.costMicros(null, tokens)).toBe(0);
  });

  it('comes from the installation for models that the organization does not price, in one currency', () => {
    const installation = { currency: 'EUR', models: [price('2026-01-01', 9), price('2026-01-01', 8, { model: 'n' })] };
    const own = new PriceList({ currency: 'EUR', models: [price('2026-01-01', 1)] }, installation);
    expect([own.priceOf('openai', 'm', '2026-02-01')?.input, own.priceOf('openai', 'n', '2026-02-01')?.input]).toEqual([
      1, 8,
    ]);
    expect(new PriceList({}, installation).currency).toBe('EUR');
    const francs = new PriceList({ currency: 'CHF', models: [] }, installation);
    expect(francs.priceOf('openai', 'n', '2026-02-01')).toBeNull();
  });
});
