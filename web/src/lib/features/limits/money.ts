import { i18n } from '$lib/kit/i18n/i18n.svelte';

/** Small amounts keep the digits that tell them from nothing. */
export function money(amount: number, currency: string | null): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  if (currency === null) return i18n.number(amount, { maximumFractionDigits: digits });
  return i18n.number(amount, { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: digits });
}
