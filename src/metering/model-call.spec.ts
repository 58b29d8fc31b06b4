import { expectedTokens } from './model-call';

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
