import { searchStatement } from './hybrid-query';

const keyword = [['a'], [1], 'org', ['english'], 20, 0, ['why'], ['english']] as const;
const vector = {
  organizationId: 'org',
  scopes: [{ knowledgeBaseId: 'a', index: 7, vector: [0.6, 0.8] }],
  topK: 20,
  threshold: 0,
  graphs: [],
};

const placeholders = (sql: string): number[] =>
  [...new Set([...sql.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))].sort((a, b) => a - b);

describe('the statement of a question', () => {
  it.each([
    ['keyword', keyword, null, 8],
    ['vector', null, vector, 6],
    ['hybrid', keyword, vector, 14],
  ] as const)('has every parameter once in %s mode', (_, words, vectors, count) => {
    const { sql, parameters } = searchStatement(words, vectors);
    expect(parameters).toHaveLength(count);
    expect(placeholders(sql)).toEqual(Array.from({ length: count }, (_value, n) => n + 1));
  });

  it('names the half that found a row, words first', () => {
    const { sql, parameters } = searchStatement(keyword, vector);
    expect([...sql.matchAll(/'(\w+)' AS by/g)].map(([, by]) => by)).toEqual(['keyword', 'vector']);
    expect(parameters.slice(0, 8)).toEqual(keyword);
    expect(parameters[10]).toEqual(['[0.6,0.8]']);
  });

  it('is one to keep only where its text does not depend on the indexes asked', () => {
    expect(searchStatement(keyword, vector).isConstant).toBe(true);
    expect(searchStatement(keyword, null).isConstant).toBe(true);
    expect(searchStatement(null, { ...vector, graphs: [{ index: 7, dimensions: 2 }] }).isConstant).toBe(false);
  });
});
