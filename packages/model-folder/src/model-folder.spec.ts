import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safetensors, TOKENIZER } from '../../../test/support/model-folder';
import { openModelFolder } from './model-folder';

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'bellwether-model-'));
});
afterAll(() => rmSync(parent, { recursive: true }));

describe('a folder that does not fit is refused with every problem and what was expected', () => {
  const files = (name: string, contents: Record<string, string | Buffer>): string => {
    const folder = join(parent, name);
    mkdirSync(folder);
    for (const [file, content] of Object.entries(contents)) writeFileSync(join(folder, file), content);
    return folder;
  };
  const flat = safetensors({ embeddings: { dtype: 'F32', shape: [3], values: Float32Array.from([1, 2, 3]) } });
  const short = safetensors({ embeddings: { dtype: 'F32', shape: [9, 3], values: Float32Array.from([1, 2, 3]) } });
  const other = safetensors({ bias: { dtype: 'F32', shape: [1], values: Float32Array.from([1]) } });

  it.each<[string, Record<string, string | Buffer>, string[]]>([
    ['nothing', {}, ['tokenizer.json is missing', 'model.safetensors is missing']],
    ['text', { 'tokenizer.json': '{', 'model.safetensors': 'weights' }, ['is no JSON', 'cannot be read']],
    ['a flat tensor', { 'tokenizer.json': TOKENIZER, 'model.safetensors': flat }, ['have the shape [3]']],
    ['too few numbers', { 'tokenizer.json': TOKENIZER, 'model.safetensors': short }, ['are no 9 × 3 numbers']],
    ['other tensors', { 'tokenizer.json': '{}', 'model.safetensors': other }, ['no member "model"', 'it has bias']],
    [
      'a cut file',
      { 'tokenizer.json': TOKENIZER, 'model.safetensors': flat.subarray(0, flat.length - 2) },
      ['lies outside of the file'],
    ],
  ])('%s', (name, contents, problems) => {
    const folder = files(`bad ${name}`, contents);
    for (const problem of [...problems, 'A model folder holds']) expect(() => openModelFolder(folder)).toThrow(problem);
  });
});
