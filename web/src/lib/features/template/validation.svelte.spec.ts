import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { FixedTemplate } from './fixed-template.svelte';
import { Validation } from './validation.svelte';

interface Asked {
  readonly template: string;
  readonly signal: AbortSignal;
  readonly answer: (code: string) => void;
  readonly fail: () => void;
}

/** A validation of a template, with the questions that reached the service. */
function validated(): { validation: Validation; document: FixedTemplate; asked: Asked[]; end: () => void } {
  const asked: Asked[] = [];
  const post = async (_path: string, { body, signal }: { body: { template: string }; signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const answer = (code: string): void => {
        const diagnostics = [{ severity: 'warning', code, path: 'template', message: code }];
        resolve({ data: { diagnostics, placeholders: [], valid: true, material: [] } });
      };
      asked.push({ template: body.template, signal, answer, fail: () => reject(new TypeError('offline')) });
    });
  vi.spyOn(api, 'POST').mockImplementation(post as unknown as typeof api.POST);
  const document = new FixedTemplate('a', () => []);
  let validation!: Validation;
  const end = $effect.root(() => {
    validation = new Validation(() => ({ template: document.template }));
  });
  flushSync();
  return { validation, document, asked, end };
}

describe('asking the service about a definition', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('waits until typing pauses', async () => {
    const { document, asked, end } = validated();
    await vi.advanceTimersByTimeAsync(200);
    document.edit('ab');
    flushSync();
    await vi.advanceTimersByTimeAsync(200);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(asked.map(({ template }) => template)).toEqual(['ab']);
    end();
  });

  it('gives up a question that is overtaken and never shows its answer', async () => {
    const { validation, document, asked, end } = validated();
    await vi.advanceTimersByTimeAsync(300);
    document.edit('ab');
    flushSync();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer('tool.unknown');
    await vi.advanceTimersByTimeAsync(300);
    expect([validation.diagnostics, validation.pending]).toEqual([[], true]);
    asked[1]?.answer('tool.invalid');
    await vi.advanceTimersByTimeAsync(1);
    expect([validation.diagnostics.map(({ code }) => code), validation.pending]).toEqual([['tool.invalid'], false]);
    end();
  });

  it('keeps the last answer when the service cannot be reached, and asks again when told to', async () => {
    const { validation, document, asked, end } = validated();
    await vi.advanceTimersByTimeAsync(300);
    asked[0]?.answer('tool.invalid');
    await vi.advanceTimersByTimeAsync(1);
    document.edit('ab');
    flushSync();
    await vi.advanceTimersByTimeAsync(300);
    asked[1]?.fail();
    await vi.advanceTimersByTimeAsync(1);
    expect([validation.diagnostics.length, validation.error]).toEqual([1, expect.any(TypeError)]);
    validation.retry();
    flushSync();
    await vi.advanceTimersByTimeAsync(300);
    expect(asked).toHaveLength(3);
    end();
  });
});
