import { fileSize } from '$lib/kit/i18n/sizes';
import { api, must, type Schema } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { Reference } from './schema-form';

/** Something that can be chosen. */
export interface Option {
  /** Value that is stored when it is chosen. */
  readonly value: string | number;
  readonly name: string;
  readonly detail: string;
  /** Why it cannot be chosen. */
  readonly refused?: string;
  /** Other values that stand for it in stored configs. */
  readonly aliases: readonly string[];
}

type KnowledgeBase = Schema<'KnowledgeBaseDto'>;

function knowledgeBaseOption(base: KnowledgeBase & { readonly document_count?: number }): Option {
  const size =
    base.document_count === undefined
      ? i18n.count('tools.choice.passages', base.chunk_count)
      : i18n.count('tools.choice.documents', base.document_count);
  return { value: base.id, name: base.name, detail: size, aliases: [base.slug] };
}

const externalOption = ({ id, name }: Schema<'ExternalCollectionDto'>): Option => ({
  value: id,
  name,
  detail: t('tools.choice.external'),
  aliases: [],
});

/** Collections of the organization's external server; none while that does not answer, for the others can be chosen. */
export const externalCollections = (): Promise<readonly Schema<'ExternalCollectionDto'>[]> =>
  allOf(async (query) => must(await api.GET('/api/v1/knowledge-bases/external', { params: { query } }))).catch(
    () => [],
  );

async function knowledgeBaseOptions(): Promise<readonly Option[]> {
  const [own, external] = await Promise.all([catalogues.knowledgeBases(), externalCollections()]);
  return [...own.map(knowledgeBaseOption), ...external.map(externalOption)];
}

const rubricOption = ({ id, title, criteria, origin_id }: Schema<'RubricDto'>): Option => ({
  value: id,
  name: title,
  detail: i18n.count('tools.choice.criteria', criteria.length),
  aliases: origin_id === null ? [] : [String(origin_id)],
});

const fileOption = ({ id, path, size, content_type, updated_at }: Schema<'FileDto'>): Option => ({
  value: path,
  name: path,
  detail: [content_type, fileSize(size), i18n.date(updated_at)].join(' · '),
  aliases: [id],
});

const functionsOf = (metadata: unknown): readonly unknown[] => {
  const { functions } = (metadata ?? {}) as { functions?: unknown };
  return Array.isArray(functions) ? functions : [];
};

const assistantOption = ({ id, name, type, metadata }: Schema<'AssistantDto'>): Option => ({
  value: id,
  name,
  detail: t(type === 'classic' ? 'tools.choice.classic' : 'tools.choice.multi_tool'),
  ...(functionsOf(metadata).length > 0 ? { refused: t('tools.choice.calls_functions') } : {}),
  aliases: [],
});

/** Adds material that the assistant already reads with its owner's access. */
function withLent(kind: Reference, load: () => Promise<readonly Option[]>): () => Promise<readonly Option[]> {
  return () => {
    const lent = catalogues.lent
      .filter(({ type }) => type === kind)
      .map(({ reference, name, owner }) => ({ value: reference, name, detail: lentText(owner), aliases: [] }));
    return load().then((own) => [...lent.filter(({ value }) => !own.some((each) => isChosen(each, [value]))), ...own]);
  };
}

const lentText = (owner: string | null): string =>
  owner === null ? t('tools.choice.lent') : t('tools.choice.lent_by', { owner });

/** Everything of a kind that the reader may choose. */
export const OPTIONS: Readonly<Record<Reference, () => Promise<readonly Option[]>>> = {
  knowledge_base: withLent('knowledge_base', knowledgeBaseOptions),
  rubric: withLent('rubric', async () => (await catalogues.rubrics()).map(rubricOption)),
  file: withLent('file', async () => (await catalogues.files()).map(fileOption)),
  assistant: async () =>
    (await allOf(async (query) => must(await api.GET('/api/v1/assistants', { params: { query } })))).map(
      assistantOption,
    ),
};

/** Pages where things of a kind are made. */
export const PLACES: Readonly<Record<Reference, string>> = {
  knowledge_base: '/knowledge-bases',
  rubric: '/rubrics',
  file: '/files',
  assistant: '/assistants',
};

export const isChosen = ({ value, aliases }: Option, references: readonly unknown[]): boolean =>
  references.some((reference) => String(reference) === String(value) || aliases.includes(String(reference)));

/** Without accents and case, so that `algebra` finds `Àlgebra`. */
export const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

export const matchesSearch = ({ name, aliases, value }: Option, search: string): boolean =>
  [name, String(value), ...aliases].some((text) => folded(text).includes(folded(search.trim())));
