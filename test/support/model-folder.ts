import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Values {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: NodeJS.TypedArray;
}

/** Splits at spaces; knows four words. */
export const TOKENIZER = JSON.stringify({
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[UNK]': 0, water: 1, light: 2, osmosis: 3, das: 4 } },
});

const VECTORS: Values = {
  dtype: 'F32',
  shape: [5, 3],
  values: Float32Array.from([9, 9, 9, 1, 0, 0, 0, 2, 0, 2, 0, 1, 0, 0, 3]),
};

/** A file as the format says. */
export function safetensors(tensors: Readonly<Record<string, Values>>): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  const header = Object.entries(tensors).map(([name, { dtype, shape, values }]) => {
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    parts.push(bytes);
    const begin = at;
    at += bytes.length;
    return [name, { dtype, shape, data_offsets: [begin, at] }] as const;
  });
  const json = Buffer.from(JSON.stringify(Object.fromEntries(header)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...parts]);
}

/** Writes a model folder of three dimensions. */
export function modelFolder(path: string, tensors: Readonly<Record<string, Values>> = { embeddings: VECTORS }): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'tokenizer.json'), TOKENIZER);
  writeFileSync(join(path, 'model.safetensors'), safetensors(tensors));
  return path;
}
