import { describe, expect, it } from 'vitest';
import { changesBetween, readable } from './parts';
import { fileName, type VersionDetail } from './requests';

describe('parts of a definition', () => {
  it('reads a document the same way as an object and as JSON in a string', () => {
    const document = { connector: 'auto', tools: [] };
    expect(readable('metadata', JSON.stringify(document))).toBe(readable('metadata', document));
  });

  it('leaves alone what is no JSON', () => {
    expect(readable('metadata', '{broken')).toBe('{broken');
    expect(readable('system_prompt', '{"a": 1}')).toBe('{"a": 1}');
  });

  it('lists the parts that differ, and only those', () => {
    const version = { name: 'A', description: '', metadata: { a: 1 }, RAG_collections: ['x'], RAG_Top_k: 3 };
    const changes = changesBetween(
      version as unknown as VersionDetail,
      { ...version, metadata: { a: 2 }, RAG_collections: ['x', 'y'] } as unknown as VersionDetail,
    );
    expect(changes.map(({ part }) => part)).toEqual(['metadata', 'RAG_collections']);
    expect(changes[1]).toEqual({ part: 'RAG_collections', before: 'x', after: 'x\ny' });
  });
});

describe('the name of an exported file', () => {
  it.each([
    ['Essay feedback', 'essay-feedback'],
    ['Càlcul / «numèric»: 2n', 'calcul-numeric-2n'],
    ['../../etc', 'etc'],
    ['🧪', 'assistant'],
  ])('%s', (name, file) => expect(fileName(name)).toBe(file));
});
