import { ranksWellIn } from '../../connectors';
import { isIn, type TextLanguage } from '../../infrastructure/languages';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';

/** Default weight of the vectors in a hybrid ranking. */
const KNOWN_MODEL_WEIGHT = 0.5;

type Base = Pick<KnowledgeBaseEntity, 'hybridWeight' | 'embedding' | 'vectorEmbedding' | 'language' | 'languages'>;

/** The owner's weight; else by model and languages, because vectors of a language that a model does not know are noise. */
export function hybridWeightOf(base: Base): number {
  if (base.hybridWeight !== null) return base.hybridWeight;
  const embedding = base.vectorEmbedding ?? base.embedding;
  const { language, languages } = base;
  const all = languages.length > 0 || language === null ? languages : [language];
  return embedding !== null && ranksWellIn(embedding.model, all) ? KNOWN_MODEL_WEIGHT : 0;
}

const ANY_LANGUAGE = ['*'];

/**
 * Whether the question is in a language that the model does not know. The owner's own weight holds for every question. Waits
 * for the language only where it matters.
 */
export async function isForeignTo(
  { hybridWeight, vectorEmbedding }: Pick<Base, 'hybridWeight' | 'vectorEmbedding'>,
  asked: Promise<TextLanguage | null>,
): Promise<boolean> {
  if (hybridWeight !== null || vectorEmbedding === null || ranksWellIn(vectorEmbedding.model, ANY_LANGUAGE))
    return false;
  const question = await asked;
  return question !== null && !isIn(question, ['en']);
}
