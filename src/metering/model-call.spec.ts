import { ModelCall, expectedTokens } from './model-call';

describe('the expected length of an answer', () => {
  it.each([
    [{ max_tokens: 50 }, 50],
    [{ max_completion_tokens: 20, max_tokens: 50 }, 20],
    [{ max_tokens: -1 }, 1_000],
    [{ max_tokens: 1.5 }, 1_000],
    [{}, 1_000],
    // A counter would refuse it as no number: 500 instead of a reached limit.
    [{ max_tokens: 1e21 }, 1_000_000_000],
  ])('of %j is %d', (params, tokens) => expect(expectedTokens(params)).toBe(tokens));
});

describe('the figures of a call', () => {
  const figuresOf = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0) => {
    const call = new ModelCall('chat', 'p', 'm', 7, 100);
    const usage = { prompt_tokens, completion_tokens, total_tokens: 0, prompt_tokens_details: { cached_tokens } };
    call.receive({ text: 'abc', usage });
    return call.figures;
  };

  it('are those of the vendor', () =>
    expect(figuresOf(20, 30, 5)).toMatchObject({ promptTokens: 20, completionTokens: 30, cachedTokens: 5 }));

  it.each([
    [-1_000_000, 0],
    [0, -1_000_000],
    [1.5, 0],
    [Number.NaN, 0],
    [Number.MAX_SAFE_INTEGER, 0],
    [0, 1e21],
  ])('are an estimate where the vendor says what cannot be true: %d and %d tokens', (prompt, completion) =>
    expect(figuresOf(prompt, completion)).toMatchObject({ promptTokens: 7, completionTokens: 1, estimatedCalls: 1 }),
  );

  it('have no fewer than no cached tokens', () => expect(figuresOf(20, 30, -5).cachedTokens).toBe(0));
});
