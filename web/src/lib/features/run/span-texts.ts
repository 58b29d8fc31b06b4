import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { languageNames } from '$lib/kit/i18n/language-name';
import type { Span } from './run-state';
import { reasonOf } from './spans';

/** The service tells reasons in sentences, which strategies of plugins write, too. These are its own. */
const REASONS = [
  [/which it depends on|wait for each other/, 'runs.skipped.dependency'],
  [/condition/, 'runs.skipped.condition'],
  [/plan does not need it/, 'runs.skipped.plan'],
  [/stopped the run/, 'runs.skipped.stopped'],
] as const;

/** Why a tool did not run, in the reader's language; null for a reason of a plugin. */
export function skipText(reason: string): string | null {
  const key = REASONS.find(([pattern]) => pattern.test(reason))?.[1];
  return key === undefined ? null : t(key);
}

/** Codes of failures whose text says all that there is to say. */
const COMPLETE: ReadonlySet<string> = new Set([
  'tool.cancelled',
  'tool.config_incomplete',
  'tool.inaccessible',
  'tool.timeout',
  'tool.unknown',
]);

/** The badge says that it failed. */
const SAYS_NOTHING = 'tool.failed';

/** Remarks on a step beside its name, its time and its state. `nameOf`: the name of a tool by its plugin. */
export const remarksOf = (span: Span, nameOf: (plugin: string) => string): readonly string[] => [
  ...effortOf(span, nameOf),
  ...searchRemarks(span),
  ...(span.step === null ? [] : [t('runs.step', { step: span.step })]),
];

function effortOf(
  { kind, cached, retries, chars, sources, confidence, fallback }: Span,
  nameOf: (plugin: string) => string,
): readonly string[] {
  const remarks: string[] = [];
  if (cached) remarks.push(t('runs.cached'));
  if (retries > 0) remarks.push(i18n.count('runs.retries', retries));
  if (chars !== null) remarks.push(i18n.count('runs.chars', chars));
  if (sources > 0) remarks.push(i18n.count('runs.sources', sources));
  if (kind === 'check' && confidence !== null) {
    remarks.push(t('runs.confidence', { value: i18n.number(confidence, { style: 'percent' }) }));
  }
  if (fallback !== null) remarks.push(t('runs.fallback', { name: nameOf(fallback) }));
  return remarks;
}

function searchRemarks({ search }: Span): readonly string[] {
  if (search === null) return [];
  const { match, searched_for: words, languages } = search;
  return [
    ...(match?.weak === true ? [t('runs.weak_match')] : []),
    ...(words === undefined ? [] : [t('runs.searched_for', { words })]),
    ...(languages === undefined ? [] : [t('runs.other_language', { languages: languageNames(languages.material) })]),
  ];
}

/** Why a step failed or was skipped; null for other steps and where the badge says it all. */
export function reasonText({ status, code, note }: Span): string | null {
  if (status === 'skipped' && note !== null) return skipText(note) ?? wordsOf(note);
  if (status !== 'failed' && status !== 'skipped') return null;
  const known = code === null || code === SAYS_NOTHING ? null : i18n.maybe(`runs.code.${code}`);
  const isComplete = code !== null && COMPLETE.has(code);
  return [known, isComplete ? null : sentenceOf(note)].filter((text) => text !== null).join(' · ') || null;
}

/** The service words its notes in English only. */
const wordsOf = (note: string): string | null => (i18n.locale === 'en' ? reasonOf(note) : null);

/** A note for people. Names of reasons are for programs; the opened step has them. */
function sentenceOf(note: string | null): string | null {
  const words = note === null ? null : wordsOf(note);
  return words === null || words === '' || /^[a-z_]+$/.test(words) ? null : words;
}
