import { sameLocked } from '../organization/settings.service';
import type { LimitRule, OrganizationSettings } from './settings.types';

const rule: LimitRule = { id: 'budget', for: { kind: 'organization' }, limit: 'cost', amount: 100, per: 'month' };
const price = { provider: 'openai', model: 'm', from: '2026-01-01', input: 3, output: 6 };
const settings = (changes: Partial<LimitRule>, prices: OrganizationSettings['prices']): OrganizationSettings => ({
  limits: { rules: [{ ...rule, ...changes }] },
  ...(prices !== undefined && { prices }),
});

describe('prices under a locked limit of cost', () => {
  const before = settings({ locked: true }, { currency: 'EUR', models: [price] });

  it.each([
    ['made lower', { currency: 'EUR', models: [{ ...price, input: 0, output: 0 }] }],
    ['set for a later day', { currency: 'EUR', models: [price, { ...price, from: '2026-02-01', input: 0 }] }],
    ['moved to a currency without the prices of the installation', { currency: 'CHF', models: [] }],
    ['removed', undefined],
  ])('are not %s', (_, prices) => expect(sameLocked(before, settings({ locked: true }, prices))).toBe(false));

  it('may stay, and are free where no limit of cost is locked', () => {
    expect(sameLocked(before, { ...before, features: { sharing: false } })).toBe(true);
    const tokens = { limit: 'tokens', locked: true } as const;
    expect(sameLocked(settings({}, before.prices), settings({}, { currency: 'CHF' }))).toBe(true);
    expect(sameLocked(settings(tokens, before.prices), settings(tokens, { currency: 'CHF' }))).toBe(true);
  });
});

it('the weight of an organization is not changed', () => {
  expect(sameLocked({ limits: { weight: 1 } }, { limits: { weight: 2 } })).toBe(false);
  expect(sameLocked({}, { limits: { weight: 2 } })).toBe(false);
  expect(sameLocked({ limits: { weight: 2 } }, { limits: { weight: 2, rules: [] } })).toBe(true);
});
