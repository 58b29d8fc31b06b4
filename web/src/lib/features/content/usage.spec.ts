import { expect, it } from 'vitest';
import { mentions } from './usage';

it('finds a reference anywhere in the settings of an assistant, whole texts only', () => {
  const metadata = { tools: [{ config: { collections: ['biology'], top_k: 3, file_path: 'notes/a.md' } }] };
  expect(mentions(metadata, new Set(['biology']))).toBe(true);
  expect(mentions(metadata, new Set(['notes/a.md']))).toBe(true);
  expect(mentions(metadata, new Set(['bio', '3', 'a.md']))).toBe(false);
  expect(mentions([null, undefined, 'biology'], new Set(['biology']))).toBe(true);
});
