import { i18n, t } from '$lib/i18n/i18n.svelte';
import type { MessageKey } from '$lib/i18n/keys';
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

/** Values of a config without ids. */
export const configText = (config: Readonly<Record<string, unknown>>): string =>
  Object.entries(config)
    .filter(([name]) => !name.endsWith('_id'))
    .map(([, value]) => String(value))
    .join(', ');
