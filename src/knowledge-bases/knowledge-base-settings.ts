import { invalid } from '@bellwether/kernel';
import type { CreateKnowledgeBaseDto, UpdateKnowledgeBaseDto } from './knowledge-base.dto';
import { INDEX_VERSION } from './search/searchable-text';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';

/** Characters: about a page. It measured best over collections in three languages. */
const CHUNK_SIZE = 2000;
const CHUNK_OVERLAP = 200;

/** Columns of the settings by their name in the API. */
const COLUMNS = {
  name: 'name',
  slug: 'slug',
  description: 'description',
  visibility: 'visibility',
  language: 'language',
  chunk_size: 'chunkSize',
  chunk_overlap: 'chunkOverlap',
  hybrid_weight: 'hybridWeight',
  rerank: 'rerank',
  passages_shown: 'passagesShown',
  embedding: 'embedding',
} as const satisfies Record<keyof UpdateKnowledgeBaseDto, keyof KnowledgeBaseEntity>;

type Setting = keyof typeof COLUMNS;
type Columns = Partial<
  Pick<KnowledgeBaseEntity, Exclude<(typeof COLUMNS)[Setting], 'embedding'> | 'languageChosen' | 'languages'>
>;

const named = (changes: UpdateKnowledgeBaseDto): [Setting, (typeof COLUMNS)[Setting]][] =>
  Object.entries(COLUMNS).filter(([setting]) => changes[setting as Setting] !== undefined) as [
    Setting,
    (typeof COLUMNS)[Setting],
  ][];

/** Settings whose columns depend on the row. */
const DEPENDENT: readonly Setting[] = ['embedding', 'language'];

/** Column values of a change, without embedding and language. */
export const columnsOf = (changes: UpdateKnowledgeBaseDto): Columns =>
  Object.fromEntries(
    named(changes).flatMap(([setting, column]) => (DEPENDENT.includes(setting) ? [] : [[column, changes[setting]]])),
  );

/**
 * Columns that follow from a new language; none when it is as before. Without a language each document decides for itself,
 * and the current languages are searched until then.
 */
export function languageColumns(row: LanguageSetting, { language }: UpdateKnowledgeBaseDto): Columns {
  const chosen = row.languageChosen ? row.language : null;
  if (language === undefined || language === chosen) return {};
  return language === null
    ? { language, languageChosen: false }
    : { language, languageChosen: true, languages: [language] };
}

type LanguageSetting = Pick<KnowledgeBaseEntity, 'language' | 'languageChosen' | 'languages'>;

/** A knowledge base without documents. */
export const NEW_INDEX = {
  language: null,
  languageChosen: false,
  languages: [],
  indexVersion: INDEX_VERSION,
} satisfies LanguageSetting & Pick<KnowledgeBaseEntity, 'indexVersion'>;

/** Settings that a change names, as they are now. */
export const currentSettings = (row: KnowledgeBaseEntity, changes: UpdateKnowledgeBaseDto): Record<string, unknown> =>
  Object.fromEntries(named(changes).map(([setting, column]) => [setting, row[column]]));

/** Whether the documents have to be cut, or their words stemmed, anew. */
export const needsReingest = (row: KnowledgeBaseEntity, columns: Columns): boolean =>
  columns.languageChosen === false ||
  (columns.languages ?? row.languages).join() !== row.languages.join() ||
  (['chunkSize', 'chunkOverlap'] as const).some((name) => (columns[name] ?? row[name]) !== row[name]);

/** Chunk size and overlap with defaults. @throws {AppError} `validation_failed` */
export function chunkSizes({ chunk_size: chunkSize = CHUNK_SIZE, chunk_overlap }: CreateKnowledgeBaseDto) {
  const chunkOverlap = chunk_overlap ?? Math.min(CHUNK_OVERLAP, Math.floor(chunkSize / 4));
  assertOverlap(chunkSize, chunkOverlap);
  return { chunkSize, chunkOverlap };
}

/** @throws {AppError} `validation_failed` */
export function assertSizes(row: KnowledgeBaseEntity, { chunk_size, chunk_overlap }: UpdateKnowledgeBaseDto): void {
  assertOverlap(chunk_size ?? row.chunkSize, chunk_overlap ?? row.chunkOverlap);
}

function assertOverlap(size: number, overlap: number): void {
  if (overlap * 2 <= size) return;
  throw invalid([{ path: 'chunk_overlap', message: 'must be at most half of chunk_size', code: 'chunk.overlap' }]);
}
