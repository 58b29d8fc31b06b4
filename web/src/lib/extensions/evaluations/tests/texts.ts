import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { MessageKey } from '$lib/kit/i18n/keys';
import type { ExpectationKind } from './requests';

type Texts = Readonly<Record<string, { readonly name: string; readonly about: string } | undefined>>;

const textsOf = ({ texts }: ExpectationKind) => {
  const known = texts as Texts;
  return known[i18n.locale] ?? known['en'];
};

export const kindName = (kinds: readonly ExpectationKind[], name: string): string => {
  const kind = kinds.find((each) => each.name === name);
  return (kind === undefined ? undefined : textsOf(kind)?.name) ?? name;
};

export const kindAbout = (kind: ExpectationKind): string => textsOf(kind)?.about ?? '';

export const stateText = (state: string): string => t(`tests.state.${state}` as MessageKey);

/** An expectation as a teacher says it: `cites “Lecture 3”, page 11`. */
export function expectationText(kinds: readonly ExpectationKind[], kind: string, config: Config): string {
  const { page, seconds, document, text } = config;
  const values = { document: String(document ?? ''), text: String(text ?? '') };
  if (kind === 'within_time') return i18n.count('tests.says.within_time', Number(seconds));
  if (kind === 'cites_document' && page !== undefined)
    return t('tests.says.cites_page', { ...values, page: i18n.number(Number(page)) });
  return (
    i18n.maybe(`tests.says.${kind}`, values) ?? [kindName(kinds, kind), configText(config)].filter(Boolean).join(' ')
  );
}

type Config = Readonly<Record<string, unknown>>;

/** Values of a config without ids. */
export const configText = (config: Readonly<Record<string, unknown>>): string =>
  Object.entries(config)
    .filter(([name]) => !name.endsWith('_id'))
    .map(([, value]) => String(value))
    .join(', ');
