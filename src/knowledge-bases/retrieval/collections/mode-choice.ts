import { AppError } from '../../../kernel';
import type { RetrievalMode } from '../../storage/knowledge-base.types';

/** Properties of a knowledge base that decide which modes can run. */
export interface SearchableBase {
  readonly name: string;
  readonly embedding: { readonly provider: string; readonly model: string } | null;
  /** Whether it has a complete vector index. */
  readonly isIndexed: boolean;
  /** Weight of the vector similarity in hybrid mode, 0..1. */
  readonly hybridWeight: number;
}

export interface ModeChoice {
  readonly mode: RetrievalMode;
  /** Why another mode than the wanted one runs. */
  readonly warning: string | null;
}

/** Default mode. */
const settled = ({ embedding, hybridWeight }: SearchableBase): RetrievalMode =>
  embedding !== null && hybridWeight > 0 ? 'hybrid' : 'keyword';

/** `lack`: why this database cannot store vectors; null when it can. */
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

/** @throws {AppError} `embedding_model_mismatch` when a knowledge base has another model than `wanted` */
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
