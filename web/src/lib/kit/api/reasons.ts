import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { fileSize } from '$lib/kit/i18n/sizes';

type Values = Readonly<Record<string, string | number>>;

const MIB = 1_048_576;

/** Limits are set in mebibytes, which people call MB. */
const limitText = (bytes: number): string =>
  bytes % MIB === 0 ? i18n.number(bytes / MIB, { style: 'unit', unit: 'megabyte' }) : fileSize(bytes);

function written(name: string, value: string | number): string | number {
  if (name === 'bytes') return limitText(Number(value));
  if (name.endsWith('_at')) return i18n.date(String(value), { dateStyle: 'medium', timeStyle: 'short' });
  return typeof value === 'number' ? i18n.number(value) : value;
}

/** Areas with texts of codes, the most exact first. */
const AREAS = ['problem', 'content.document_error', 'form.diagnostic', 'errors'] as const;

/** The text of a code of the service in the reader's language, with its values as the reader writes them. */
export function codeText(code: string, values: Values = {}): string | null {
  const words = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(name, value)]));
  return AREAS.map((area) => i18n.maybe(`${area}.${code}`, words)).find((text) => text !== null) ?? null;
}
