import { AppError } from '../../../kernel';
import type { RetrievalMode } from '../../storage/knowledge-base.types';

/** What of a knowledge base decides how it can be searched. */
export interface SearchableBase {
  readonly name: string;
  /** The model that its vectors are made with; null when nobody chose one. */
  readonly embedding: { readonly provider: string; readonly model: string } | null;
  /** False while its vectors are not all there yet. */
  readonly isIndexed: boolean;
  /** Share of the vector similarity in hybrid mode, 0..1. */
  readonly hybridWeight: number;
}

export interface ModeChoice {
  readonly mode: RetrievalMode;
  /** Why it is not the mode that was wished for, or that the knowledge base is set to. */
  readonly warning: string | null;
}

/** Without a wish: hybrid where a model and a weight say so, else keyword. */
const settled = ({ embedding, hybridWeight }: SearchableBase): RetrievalMode =>
  embedding !== null && hybridWeight > 0 ? 'hybrid' : 'keyword';

/** `lack` says why this database has no vectors at all; null where it has. */
export function chooseMode(base: SearchableBase, wish: RetrievalMode | undefined, lack: string | null): ModeChoice {
  const wanted = wish ?? settled(base);
  const obstacle = wanted === 'keyword' ? null : obstacleTo(wanted, base, lack);
  return obstacle === null ? { mode: wanted, warning: null } : keywordInstead(base, wanted, obstacle);
}

export const keywordInstead = (
  { name }: Pick<SearchableBase, 'name'>,
  wanted: RetrievalMode,
  why: string,
): ModeChoice => ({
  mode: 'keyword',
  warning: `Knowledge base ${name}: keyword mode ran instead of ${wanted}, ${why}`,
});

function obstacleTo(wanted: RetrievalMode, base: SearchableBase, lack: string | null): string | null {
  if (base.embedding === null) return 'it has no embedding model';
  if (lack !== null) return lack;
  if (!base.isIndexed) return 'its vectors are still being made';
  if (wanted === 'hybrid' && base.hybridWeight <= 0) return 'its hybrid weight is 0';
  return null;
}

/**
 * Vectors of different models do not compare, so a question for another model than the knowledge base's is refused.
 * @throws AppError `embedding_model_mismatch`, naming both
 */
export function assertModel(bases: readonly SearchableBase[], wanted: string | undefined): void {
  if (wanted === undefined) return;
  for (const { name, embedding } of bases) {
    if (embedding !== null && [embedding.model, `${embedding.provider}/${embedding.model}`].includes(wanted)) continue;
    const own = embedding === null ? 'has no embedding model' : `is embedded with ${embedding.model}`;
    throw new AppError(
      'embedding_model_mismatch',
      `The query names the model ${wanted}, but knowledge base ${name} ${own}`,
    );
  }
}
