import { describe, expect, it } from 'vitest';
import { priceOf, type Price, pricesPatch, rowOf, sortedRows } from './prices';

const PRICE: Price = { provider: 'openai', model: 'gpt-4o', from: '2026-01-01', input: 2.5, output: 10 };

describe('prices in their fields', () => {
  it.each([PRICE, { ...PRICE, cached_input: 0 }])('come back as they were: %j', (price) =>
    expect(priceOf(rowOf(price))).toEqual(price),
  );

  it('take the currency away when its field is empty, and write it in capitals', () => {
    expect(pricesPatch(' ', []).currency).toBeNull();
    expect(pricesPatch('eur', [rowOf(PRICE)])).toEqual({ currency: 'EUR', models: [PRICE] });
  });

  it('keep the prices of a model together, the newest first', () => {
    const rows = sortedRows([PRICE, { ...PRICE, model: 'a' }, { ...PRICE, from: '2026-06-01' }]);
    expect(rows.map(({ model, from }) => [model, from])).toEqual([
      ['a', '2026-01-01'],
      ['gpt-4o', '2026-06-01'],
      ['gpt-4o', '2026-01-01'],
    ]);
  });
});
