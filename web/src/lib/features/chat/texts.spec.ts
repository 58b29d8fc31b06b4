import { expect, it } from 'vitest';
import { contentOf, picturesOf, textOf } from '$lib/features/run/content';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { lookedIn } from './looked-in';
import { plainFailure } from './plain-failure';
import { spokenAnswer } from './spoken';

it('reads text and pictures of a question back', () => {
  const pictures = [{ url: 'data:image/jpeg;base64,AAAA' }];
  expect(contentOf('Why?', [])).toBe('Why?');
  for (const text of ['Why?', '']) {
    const content = contentOf(text, pictures);
    expect([textOf(content), picturesOf(content)]).toEqual([text, ['data:image/jpeg;base64,AAAA']]);
  }
  expect([textOf('Why?'), picturesOf('Why?')]).toEqual(['Why?', []]);
});

it('names each knowledge base, rubric and file once', () => {
  const source = { type: 'knowledge_base', knowledge_base: { id: 'b', name: 'Biology' }, title: 'cells.md' } as never;
  const rubric = { type: 'rubric', title: 'Essay' } as never;
  expect(lookedIn([source, source, rubric, { type: 'file' } as never])).toEqual(['Biology', 'Essay']);
});

it('says an answer without buttons, and each formula once', () => {
  const drawn = document.createElement('div');
  drawn.innerHTML =
    '<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>' +
    '<annotation encoding="application/x-tex">x</annotation></semantics></math></span>' +
    '<span class="katex-html">x</span></span></p><pre>let x;</pre><button>Copy</button>';
  expect(spokenAnswer(drawn)).toBe('So x');
  expect(spokenAnswer(null)).toBe('');
  drawn.textContent = 'a'.repeat(2_000);
  expect(spokenAnswer(drawn)).toHaveLength(1_002);
});

it('says of an answer that broke off that it is not complete, and why', () => {
  for (const code of ['server_shutdown', 'worker_lost']) {
    expect(plainFailure(code, true)).toBe(t('chat.failed.restarted_part'));
    expect(plainFailure(code, false)).toBe(t('chat.failed.restarted'));
  }
  expect(plainFailure('internal_error', true)).toBe(t('chat.failed.part'));
  expect(plainFailure('upstream_truncated', true)).toBe(t('chat.failed.part'));
  expect(plainFailure('upstream_rejected', false)).toBe(t('chat.failed'));
});
