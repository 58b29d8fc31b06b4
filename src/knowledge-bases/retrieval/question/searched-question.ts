import { isMultilingualEmbedding } from '../../../connectors';
import type { LanguageGap, SearchFacts } from '../../../kernel';
import type { Hit } from '../../search/chunk.types';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';
import { matchOf, NO_MATCH } from './match-strength';
import { foreignLanguages, languagesOf, type Question } from './wordings';

/** Nothing is known about the question. */
export const AS_ASKED: SearchFacts = { match: null, searchedFor: null, languages: null };

/** The question of a search, with the knowledge bases and corrections. */
interface Asked {
  readonly question: Question;
  readonly bases: readonly SearchedBase[];
  readonly vectors: readonly { readonly knowledgeBaseId: string }[];
  readonly searchedFor: string | null;
}

export function searchedQuestion(
  { question, bases, vectors, searchedFor }: Asked,
  hits: readonly Hit[],
  isExternal: boolean,
): SearchFacts {
  const isAsked = bases.length > 0 && question.text.trim() !== '';
  return {
    match: isExternal || vectors.length > 0 || !isAsked ? null : (matchOf(hits) ?? NO_MATCH),
    searchedFor,
    languages: languageGap({ question, bases, vectors }),
  };
}

type SearchedBase = Pick<KnowledgeBaseEntity, 'id' | 'language' | 'languages' | 'indexVersion' | 'vectorEmbedding'>;

/** Null when some passages are in the language of the question. */
function languageGap({ question, bases, vectors }: Omit<Asked, 'searchedFor'>): LanguageGap | null {
  const { language, translations } = question;
  if (language === null) return null;
  const all = new Set(bases.flatMap((base) => languagesOf(base, language)));
  const material = foreignLanguages(bases, language);
  if (material.length === 0 || material.length < all.size) return null;
  const embedded = new Set(vectors.map(({ knowledgeBaseId }) => knowledgeBaseId));
  const isEmbedded = ({ id, vectorEmbedding }: SearchedBase): boolean =>
    embedded.has(id) && vectorEmbedding !== null && isMultilingualEmbedding(vectorEmbedding.model);
  const isTranslated = material.some((each) => translations.has(each));
  const bridge = isTranslated ? 'translator' : bases.some(isEmbedded) ? 'embedding' : null;
  return { question: language.language, material, bridge };
}
