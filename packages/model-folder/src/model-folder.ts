import { isJsonObject } from '@bellwether/kernel';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Tensor, tensorsOf } from './safetensors';

/** Names under which Model2Vec and Sentence Transformers store the vectors of tokens. */
const VECTORS = ['embeddings', 'embedding.weight'];
const MOST_BYTES = 4 * 1024 ** 3 - 1;
const MOST_DIMENSIONS = 2_000;
/** Types of numbers that can be read. */
const BYTES: Readonly<Record<string, number>> = { F16: 2, BF16: 2, F32: 4, F64: 8 };

/** A folder with static vectors: a text's vector is the mean of its tokens' vectors. */
export interface ModelFolder {
  /** Name of the folder; the model's name in `embedding.model`. */
  readonly name: string;
  /** Changes with the weights: vectors of other weights must not be reused. */
  readonly version: string;
  readonly tokenizer: string;
  readonly weights: string;
  /** One row per token or, with `mapping`, per group of tokens. */
  readonly vectors: Tensor;
  readonly dimensions: number;
  /** Row of each token; null: the token's own number. */
  readonly mapping: Tensor | null;
  /** Weight of each token in the mean; null: all alike. */
  readonly tokenWeights: Tensor | null;
}

const EXPECTED =
  'A model folder holds tokenizer.json, and model.safetensors with a table of static vectors (Model2Vec, or the StaticEmbedding of Sentence Transformers)';

/**
 * Looks at a folder without reading the vectors.
 * @throws {Error} that names every problem and says what was expected
 */
export function openModelFolder(path: string): ModelFolder {
  const folder = resolve(path);
  const tokenizer = join(folder, 'tokenizer.json');
  const weights = join(folder, 'model.safetensors');
  const table = tableOf(weights);
  const problems = [...problemsOfTokenizer(tokenizer), ...('problem' in table ? [table.problem] : [])];
  if ('problem' in table || problems.length > 0)
    throw new Error(`EMBEDDING_FOLDER ${folder}: ${problems.join('; ')}. ${EXPECTED}.`);
  const { size, mtimeMs } = statSync(weights);
  const { vectors, tensors } = table;
  return {
    name: basename(folder),
    version: `${size}-${Math.round(mtimeMs)}`,
    tokenizer,
    weights,
    vectors,
    dimensions: vectors.shape[1] ?? 0,
    mapping: tensors.get('mapping') ?? null,
    tokenWeights: tensors.get('weights') ?? null,
  };
}

function problemsOfTokenizer(file: string): string[] {
  if (!existsSync(file)) return ['tokenizer.json is missing'];
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(content) && isJsonObject(content['model']) ? [] : ['tokenizer.json has no member "model"'];
  } catch {
    return ['tokenizer.json is no JSON'];
  }
}

type Table = { readonly vectors: Tensor; readonly tensors: ReadonlyMap<string, Tensor> } | { readonly problem: string };

function tableOf(file: string): Table {
  if (!existsSync(file)) return { problem: 'model.safetensors is missing' };
  const { size } = statSync(file);
  if (size > MOST_BYTES) return { problem: `model.safetensors has ${size} bytes; ${MOST_BYTES} can be read` };
  try {
    const tensors = tensorsOf(file, size);
    const vectors = VECTORS.map((name) => tensors.get(name)).find((tensor) => tensor !== undefined);
    if (vectors === undefined) {
      const known = [...tensors.keys()].slice(0, 5).join(', ');
      return { problem: `model.safetensors has no tensor ${VECTORS.join(' or ')} (it has ${known || 'none'})` };
    }
    const problem = problemOfShape(vectors);
    return problem === null ? { vectors, tensors } : { problem };
  } catch (error) {
    return {
      problem: `model.safetensors cannot be read: ${error instanceof Error ? error.message : 'unknown format'}`,
    };
  }
}

function problemOfShape({ shape, dtype, begin, end }: Tensor): string | null {
  const [rows = 0, dimensions = 0] = shape;
  if (shape.length !== 2 || dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return `the vectors have the shape [${shape.join(', ')}]; two sizes, the second at most ${MOST_DIMENSIONS}`;
  if (rows * dimensions * (BYTES[dtype] ?? 0) === end - begin) return null;
  return `the vectors are no ${rows} × ${dimensions} numbers of the type ${dtype}`;
}
