import { GeminiAnswer } from './gemini';

const parts = (...given: readonly object[]) => ({ candidates: [{ content: { parts: given } }] }) as never;
const piece = (jsonPath: string, stringValue: string) => ({
  functionCall: { partialArgs: [{ jsonPath, stringValue }], willContinue: true },
});

describe('a Gemini answer that comes in chunks', () => {
  it('counts pieces of arguments while they arrive, though no call ever ends', () => {
    const answer = new GeminiAnswer(10_000);
    answer.add(parts({ functionCall: { name: 'f', willContinue: true } }));
    const flood = (): void => {
      for (let i = 0; i < 200; i += 1) answer.add(parts(piece('$.text', 'x'.repeat(100))));
    };
    expect(flood).toThrow(/too long/);
  });

  it('makes no long array of an index alone', () => {
    const answer = new GeminiAnswer(10_000);
    answer.add(parts({ functionCall: { name: 'f', willContinue: true } }));
    answer.add(parts(piece('$.list[0]', 'a'), piece('$.list[1000]', 'b')));
    const [call] = answer.add(parts({ functionCall: {} })).calls;
    expect(call?.function.arguments).toBe('{"list":["a"]}');
  });

  it('writes out no thousands of elements that were skipped', () => {
    const answer = new GeminiAnswer(100_000);
    answer.add(parts({ functionCall: { name: 'f', willContinue: true } }));
    for (let i = 0; i < 50; i += 1) answer.add(parts(piece(`$.l${i}${'[999]'.repeat(30)}`, 'x')));
    const [call] = answer.add(parts({ functionCall: {} })).calls;
    expect(call?.function.arguments.length).toBeLessThan(20_000);
  });

  it('counts no tokens that cannot be', () => {
    const answer = new GeminiAnswer(10_000);
    const usageMetadata = { promptTokenCount: -5, candidatesTokenCount: 7, cachedContentTokenCount: -1 };
    answer.add({ ...(parts({ text: 'a' }) as object), usageMetadata });
    expect(answer.usage).toEqual({ prompt_tokens: 0, completion_tokens: 7, total_tokens: 7 });
  });

  it('counts images over all chunks', () => {
    const answer = new GeminiAnswer(10_000);
    const image = parts({ inlineData: { mimeType: 'image/png', data: 'AAAA' } });
    for (let i = 0; i < 16; i += 1) expect(answer.add(image).images).toHaveLength(1);
    expect(() => answer.add(image)).toThrow(/too many images/);
  });
});
