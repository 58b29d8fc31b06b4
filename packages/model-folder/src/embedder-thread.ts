import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { ModelFolder } from './model-folder';
import { floatsOf, integersOf } from './safetensors';

export interface ToEmbedder {
  readonly id: number;
  readonly texts: readonly string[];
}

export type FromEmbedder =
  { readonly id: number; readonly vectors: number[][] } | { readonly id: number; readonly error: string };

/** The data that the thread starts with. */
export type EmbedderData = ModelFolder;

/** The part of the tokenizer library that is used. Its declarations cannot be resolved from CommonJS. */
interface TextTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] };
  token_to_id(token: string): number | undefined;
}

interface TokenizerLibrary {
  readonly Tokenizer: new (description: object, settings: object) => TextTokenizer;
}

/** Longer texts are cut. */
const MOST_TOKENS = 8_192;

/** Turns texts into the means of their tokens' vectors (Model2Vec, github.com/MinishLab/model2vec). */
class StaticVectors {
  private constructor(
    private readonly tokenizer: TextTokenizer,
    private readonly vectors: Float32Array,
    private readonly dimensions: number,
    private readonly mapping: Int32Array | null,
    private readonly weights: Float32Array | null,
    /** Tokens that are left out: the one for unknown words. */
    private readonly meaningless: ReadonlySet<number>,
  ) {}

  static async read(folder: ModelFolder): Promise<StaticVectors> {
    const { Tokenizer } = (await import('@huggingface/tokenizers')) as unknown as TokenizerLibrary;
    const description = JSON.parse(readFileSync(folder.tokenizer, 'utf8')) as { model?: { unk_token?: string } };
    const tokenizer = new Tokenizer(description, {});
    const unknown = description.model?.unk_token;
    const unknownId = unknown === undefined ? undefined : tokenizer.token_to_id(unknown);
    return new StaticVectors(
      tokenizer,
      floatsOf(folder.weights, folder.vectors),
      folder.dimensions,
      folder.mapping === null ? null : integersOf(folder.weights, folder.mapping),
      folder.tokenWeights === null ? null : floatsOf(folder.weights, folder.tokenWeights),
      new Set(unknownId === undefined ? [] : [unknownId]),
    );
  }

  /** Not normalised. A text without a known token gets the unit vector of the first dimension. */
  embed(text: string): number[] {
    const { ids } = this.tokenizer.encode(text, { add_special_tokens: false });
    const sum = new Array<number>(this.dimensions).fill(0);
    const known = ids.slice(0, MOST_TOKENS).filter((id) => this.isKnown(id));
    for (const id of known) {
      const start = this.rowOf(id) * this.dimensions;
      const weight = this.weights?.[id] ?? 1;
      for (let at = 0; at < this.dimensions; at++) sum[at] = (sum[at] ?? 0) + weight * (this.vectors[start + at] ?? 0);
    }
    return known.length === 0 ? sum.fill(1, 0, 1) : sum;
  }

  private isKnown(id: number): boolean {
    const row = this.rowOf(id);
    return row >= 0 && (row + 1) * this.dimensions <= this.vectors.length && !this.meaningless.has(id);
  }

  private rowOf(id: number): number {
    return this.mapping === null ? id : (this.mapping[id] ?? -1);
  }
}

const reading = StaticVectors.read(workerData as EmbedderData);

async function answer({ id, texts }: ToEmbedder): Promise<FromEmbedder> {
  try {
    const model = await reading;
    return { id, vectors: texts.map((text) => model.embed(text)) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : 'unknown' };
  }
}

parentPort?.on('message', (message: ToEmbedder) => {
  void answer(message).then((told) => parentPort?.postMessage(told));
});
